"""Numbers under which a study is registered, written as the registry writes them. Not those of references or DOIs.

How sure: 0.97 in a registration's own section or region; 0.93 in the abstract or before the first heading; 0.9 in the
methods or where the sentence says that this study was registered; 0.4 elsewhere (introduction, results, discussion);
0.2 where it speaks of another trial, such as "an earlier trial (NCT...)". What is below 0.5 is left out: it is
somebody else's trial more often than not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.folding import Folded, folded
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.trial_registries import FORMS_BY_KEY, Form, value_of
from scatter_pipelines.model.template import SectionName

LEAST = 0.5
"""Numbers that are less sure are left out."""

_AROUND = 120
_GLUED = ("gov", "number", "identifier", "registration", "registry")
_IN_DOI = re.compile(r"(?<![\d.])10\.\d{4,9}/\S*$")
_REGISTRY_DOI = re.compile(r"10\.1186/isrctn|10\.17605/osf\.io|10\.37766/inplasy")
_HEADED = re.compile(r"^(?:\w+ )?registration\b|(?:trial|study) registration")
_TAIL = re.compile(r"p?(?![a-z0-9]|_\d)|p?(?=_)")
_SENTENCE_END = re.compile(r"(?<!\bno)(?<!\bNo)(?<!\bnr)[.?!][\"')\]]?\s+(?=[A-Z])|\n\s*\n")
_POSTCODE = re.compile(r"\s?[A-Z]{2}\b")
_OURS = re.compile(
    r"\b(?:this|our|the present|the current)\s(?:[\w,-]+\s){0,5}?(?:trial|study|review|protocol|meta-analysis)\b"
    r"|\bthe (?:trial|study|review|protocol)\b.{0,60}regist|\bwe (?:\w+ )?(?:pre-?)?regist"
    r"|(?:trial|study|protocol|review|clinical trials?|prospero|isrctn) ?registration",
    re.DOTALL,
)
_REGISTERED = re.compile(
    r"(?:was|were|is|been) (?:\w+ ){0,2}(?:pre-?)?registered|registration (?:number|no|id|code)"
    r"|registered (?:at|in|with|on|under|as)|identifier|trial number"
)
_OTHER = re.compile(
    r"\b(?:previous|earlier|prior|another|other|similar|parent|large|recent|ongoing|published|included|separate|companion)"
    r"(?:ly)? (?:[\w-]+ ){0,4}?(?:trials?|stud(?:y|ies)|rct)"
    r"|\bet al\b|trials? (?:are|is) (?:currently |still )?(?:ongoing|under way|recruiting|in progress)"
    r"|under ?way",
)
_SURE: tuple[SectionName, ...] = ("abstract", "front")
_METHODS: tuple[SectionName, ...] = (
    "methods",
    "ethics",
    "funding",
    "acknowledgements",
    "data",
    "conflicts",
    "keywords",
)


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    value: str


def read(quote: str) -> str | None:
    """The first number in the quote; one that needs words around it also where it is the whole quote."""
    text = folded(quote.strip())
    match = next(_matches(text, quote.strip()), None)
    return match.value if match else _whole(text.text)


def _whole(text: str) -> str | None:
    found = (
        (form, match)
        for forms in FORMS_BY_KEY.values()
        for form in forms
        if text.startswith(form.key) and (match := form.pattern.fullmatch(text))
    )
    return next((value_of(form, match) for form, match in found), None)


def find(reading: Reading) -> Iterator[Found]:
    """In the order of the document."""
    for page in reading.layout.document.pages:
        text = folded(page.text)
        for match in _matches(text, page.text):
            span = Span(page.number, text.origin(match.start), text.origin(match.end - 1) + 1)
            sure = _confidence(reading, span, page.text)
            if sure >= LEAST:
                yield Found(match.value, span, sure)


def _matches(text: Folded, raw: str) -> Iterator[_Match]:
    """Numbers that do not overlap, in order."""
    end = 0
    found = sorted(_all_matches(text, raw), key=lambda match: (match.start, -match.end))
    for match in found:
        if match.start >= end:
            yield match
            end = match.end


def _all_matches(text: Folded, raw: str) -> Iterator[_Match]:
    for key, forms in FORMS_BY_KEY.items():
        position = text.text.find(key)
        while position >= 0:
            match = _at(text, raw, position, forms) if _may_begin(text.text, position) else None
            if match:
                yield match
            position = text.text.find(key, match.end if match else position + 1)


def _at(text: Folded, raw: str, position: int, forms: tuple[Form, ...]) -> _Match | None:
    for form in forms:
        found = form.pattern.match(text.text, position)
        if found and _fits(text, raw, form, found):
            return _Match(position, found.end(), value_of(form, found))
    return None


def _may_begin(text: str, position: int) -> bool:
    before = text[position - 1 : position]
    number = text[position].isdigit()
    joined = before.isalnum() or (number and before == "-" and text[position - 2 : position - 1].isdigit())
    return not joined or text.endswith(_GLUED, max(0, position - 12), position)


def _fits(text: Folded, raw: str, form: Form, found: re.Match[str]) -> bool:
    """Whether the number ends here, has its capitals and its cue, and is no part of a DOI."""
    if not _ends(text, raw, found.end()):
        return False
    start, end = text.origin(found.start()), text.origin(found.end() - 1) + 1
    if form.capitals and (not raw[start : start + 2].isupper() or _POSTCODE.match(raw, end)):
        return False
    if form.cue and not form.cue.search(_sentence(raw, start, end)):
        return False
    return not _in_foreign_doi(text.text, found.start())


def _ends(text: Folded, raw: str, end: int) -> bool:
    """At white space or punctuation, or where a word with a capital was set against the number."""
    if _TAIL.match(text.text, end):
        return True
    after = raw[text.origin(end - 1) + 1 :][:3]
    return after[:1].isupper() and after[1:].isalpha() and after[1:].islower()


def _in_foreign_doi(text: str, start: int) -> bool:
    """Some registries give their numbers a DOI; every other DOI that has such a number in it is another thing."""
    doi = _IN_DOI.search(text, max(0, start - 80), start)
    return doi is not None and not _REGISTRY_DOI.match(text, doi.start())


def _confidence(reading: Reading, span: Span, raw: str) -> float:
    inside = reading.sections.inside
    sentence = _sentence(raw, span.start, span.end)
    if _in_region(reading, span):
        return 0.97
    if inside(span, "references"):
        return 0.9 if inside(span, "registration") and _HEADED.search(sentence) else 0.0
    if inside(span, "registration"):
        return 0.97
    ours = bool(_OURS.search(sentence))
    if not ours and _OTHER.search(sentence):
        return 0.2
    if any(inside(span, name) for name in _SURE):
        return 0.93
    said = ours or _REGISTERED.search(sentence) or any(inside(span, name) for name in _METHODS)
    return 0.9 if said else 0.4


def _in_region(reading: Reading, span: Span) -> bool:
    return any(
        region.kind == "registration" and Span(region.page, region.start, region.end).contains(span)
        for region in reading.layout.document.regions
    )


def _sentence(raw: str, start: int, end: int) -> str:
    """The sentence around a number, without the number, in small letters."""
    before, after = raw[max(0, start - 2 * _AROUND) : start], raw[end : end + _AROUND // 2]
    begins = [gap.end() for gap in _SENTENCE_END.finditer(before)]
    stop = _SENTENCE_END.search(after)
    parts = (before[begins[-1] if begins else 0 :], after[: stop.start()] if stop else after)
    return " ".join(" # ".join(parts).lower().split())


RECOGNISER = Recogniser("registration", ("string", "text"), find, read)
