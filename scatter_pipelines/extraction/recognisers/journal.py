"""The journal's name: in the markup, by the code in the article's DOI, or in front of year, volume or pages.

An abbreviation is spelled out where the long form stands in the document too, or where its words leave no choice.
Confidence: 0.99 markup; 0.97 the name of the DOI's code is printed too; 0.93 by the code alone; else from 0.4 on by how
much of a journal the printed name looks (known words, running head, several places).
"""

import re
from collections import Counter
from collections.abc import Iterator

from scatter_pipelines.extraction import journal_names
from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers import doi
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import clean_text, normalise
from scatter_pipelines.model.document import Page

_NAME = r"(?P<name>(?:The )?[A-Z][A-Za-zÀ-ÿ&:'’.\- ]{2,90}?)"
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^[A-Z][\w‑-]+ and [A-Z][\w‑-]+ {_NAME}\s+\((?:19|20)\d\d\)\s\d+:",
        rf"\bal\.?,?\s?:?\s{_NAME},?\s+\(?(?:19|20)\d\d\)?[,:;\s]+\(?\d",
        rf"^(?:\d+\s+)?{_NAME}[,.]?\s+\(?(?:19|20)\d\d\)?\s?(?:[,;:]\s?\d|;$)",
        rf"^(?:\d+\s+)?{_NAME}[,.]?\s+\((?:19|20)\d\d\)\s?\d",
        rf"^(?:\d+\s+)?{_NAME}[,.]?\s+(?:[Vv]ol(?:ume)?\.?|VOL\.?)\s?\d",
        rf"^(?:\d+\s+)?{_NAME},\s(?:[A-Z][a-z]+(?:[–-][A-Z][a-z]+)?\s)?(?:19|20)\d\d",
        rf"^{_NAME}\s?[|│]\s?(?:https?://|doi|DOI|www|[Vv]ol|\d+:)",
        rf"^{_NAME},?\s(?:E-?|e)?(?:ISSN|issn)\b",
        rf"^(?:a section of the journal|[Jj]ournal homepage:|[Cc]ontents lists available at \w+)\s{_NAME}$",
    )
)
_WORD = re.compile(
    r"\b(?:journal|annals|archives|proceedings|transactions|bulletin|acta|bmc|plos|frontiers|bmj|jama|lancet|world|reports"
    r"|reviews|medicine|surgery|sciences?|research|letters|international|advances|cell|nature)\b",
    re.IGNORECASE,
)
_NOT_NAME = re.compile(
    r"\b(?:copyright|received|accepted|published|department|university|volume|page|downloaded|figure|table|author"
    r"|available|updated|cite this|hindawi|et al)\b"
    r"|^[A-Z][a-z]+ \d|https?:|www\.",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:cite (?:this|as)|citation|this article is cited as)\s*:\s*", re.IGNORECASE)
_LOST_TH = re.compile(r"^[^\w\s]?e (?=[A-Z])")
_ABOVE = re.compile(r"(?:Volume|Vol\.?)\s?\d")
_ARTICLE_ID = re.compile(r"Volume \d{4}, Article ID")
_HEAD_NUMBER = re.compile(r"^\d{1,5}\s+|\s+\d{1,5}$")
_TITLE_CASE = re.compile(r"(?:The )?[A-Z][\w-]+(?: (?:of|for|in|and|&|the|on|[A-Z][\w-]+)){0,9}")
_WHOLE = re.compile(
    r"^(?:The )?(?:[A-Z][\w-]+ ){0,6}(?:Journal|Annals|Archives|Acta|Bulletin|Proceedings)"
    r"(?: (?:of|for|in|and|&|the|[A-Z][\w-]+),?){0,9}(?<! of)(?<! and)(?<! for)(?<!,)$"
)
_SMALL = r"(?:(?:of|in|on|for|and|the|&)\s+)*"
_FIRST_PAGES = 3
_HEAD = 0.25
_EDGE = 0.12
_BY_CODE, _BY_CODE_AND_NAME = 0.93, 0.97
_LEAST, _MOST = 0.4, 0.92


def read(quote: str) -> str | None:
    """The name a quote holds: itself, spelled out where it is an abbreviation, or that of a DOI's code."""
    text = _LABEL.sub("", _LOST_TH.sub("The ", clean_text(quote).strip(" ,;:|")))
    if text.startswith("10."):
        return journal_names.of_doi(text)
    return journal_names.spelled_out(text) or text.strip(" .") or None


def names(reading: Reading) -> tuple[str, ...]:
    """The candidates, best first, each once."""
    return tuple(dict.fromkeys(str(item.value) for item in find(reading) if item.value))


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "journal", read)
    if not is_settled(reading, "journal"):
        yield from _by_code(reading)
        printed = _printed(reading)
        yield from (longer for item in printed[:1] for longer in _long_form(reading, item))
        yield from printed


def _by_code(reading: Reading) -> Iterator[Found]:
    """By the article's own DOI; the evidence is the printed name where there is one."""
    own = reading.once(doi.own)
    name = journal_names.of_doi(str(own.value)) if own else None
    if own is None or name is None or own.confidence is None:
        return
    pattern = re.compile(r"\s+".join(map(re.escape, name.split())), re.IGNORECASE)
    for page in reading.layout.document.pages[:_FIRST_PAGES]:
        for match in pattern.finditer(page.text):
            if match[0].lower() != match[0]:
                yield Found(read(match[0]), Span(page.number, *match.span()), _BY_CODE_AND_NAME)
                return
    yield Found(name, own.span, min(_BY_CODE, own.confidence))


def _printed(reading: Reading) -> list[Found]:
    scored = [item for page in reading.layout.document.pages[:_FIRST_PAGES] for item in _on_page(reading, page)]
    counts = Counter(str(found.value).casefold() for found, _ in scored)
    total = {id(found): score + min(counts[str(found.value).casefold()], 4) for found, score in scored}
    order = sorted((found for found, _ in scored), key=lambda found: -total[id(found)])
    return [Found(found.value, found.span, _confidence(total[id(found)])) for found in order]


def _confidence(score: float) -> float:
    """Scores lie between 2 and 12."""
    return min(_MOST, _LEAST + 0.06 * max(0.0, score - 2.0))


def _long_form(reading: Reading, short: Found) -> Iterator[Found]:
    """Where the words that the abbreviation stands for follow each other on a first page or the last."""
    tokens = [token.strip(".,") for token in reading.layout.text(short.span).split()]
    if len(tokens) < 2 or not all(token.isalpha() for token in tokens):
        return
    words = rf"\s+{_SMALL}".join(rf"{re.escape(token)}[a-z]*" for token in tokens)
    pattern = re.compile(rf"(?<!\w){words}(?!\w)")
    pages = reading.layout.document.pages
    for page in (*pages[:_FIRST_PAGES], *pages[_FIRST_PAGES:][-1:]):
        for match in pattern.finditer(page.text):
            span = Span(page.number, *match.span())
            grown = sum(len(a) > len(b) for a, b in zip(re.sub(_SMALL, "", match[0]).split(), tokens, strict=False))
            if grown and not reading.sections.inside(span, "references"):
                yield Found(read(match[0]), span, _MOST)
                return


def _on_page(reading: Reading, page: Page) -> Iterator[tuple[Found, float]]:
    lines = reading.layout.lines(page)
    for index, line in enumerate(lines):
        if len(line.text) <= 300 and (at_edge(page, line) or page.number == 1):
            found = (
                _in_line(line)
                or _above_volume(line, lines[index + 1 : index + 2])
                or _whole_line(page, line)
                or _running_head(reading, page, line)
            )
            if found:
                yield found, _score(page, line, str(found.value))


def _in_line(line: Line) -> Found | None:
    label = _LABEL.match(line.text)
    offset = label.end() if label else 0
    for form in _FORMS:
        match = form.search(line.text[offset:])
        value = read(match["name"]) if match else None
        if match and value and not _NOT_NAME.search(value) and len(value) > 2:
            start = line.span.start + offset + match.start("name")
            return Found(value, Span(line.span.page, start, start + len(match["name"].rstrip(" ,.;:|"))))
    return None


def _above_volume(line: Line, following: tuple[Line, ...]) -> Found | None:
    """A name on a line of its own above "Volume 2014, Article ID 239508"."""
    below = following[0].text if following else ""
    named = _ARTICLE_ID.match(below) or (_ABOVE.match(below) and _WORD.search(line.text))
    if not named or _NOT_NAME.search(line.text) or len(line.text) > 100:
        return None
    return Found(read(line.text), line.span)


def names_a_journal(text: str) -> bool:
    return bool(_WHOLE.match(text)) and len(text.split()) > 1


def _whole_line(page: Page, line: Line) -> Found | None:
    """A journal's name alone in a line at the head of a page."""
    if line.box is None or line.box[1] > page.height * _HEAD or not names_a_journal(line.text):
        return None
    return Found(read(line.text), line.span)


def _running_head(reading: Reading, page: Page, line: Line) -> Found | None:
    """A name beside the page's number at the head of a later page, if it is no part of the article's own title."""
    number = _HEAD_NUMBER.search(line.text)
    if page.number == 1 or number is None or not at_edge(page, line):
        return None
    name = _HEAD_NUMBER.sub("", line.text)
    first = reading.layout.first_page
    if not _TITLE_CASE.fullmatch(name) or first is None or normalise(name) in normalise(first.text):
        return None
    start = line.span.start + line.text.index(name)
    return Found(read(name), Span(page.number, start, start + len(name)))


def at_edge(page: Page, line: Line) -> bool:
    """Whether the line stands where running heads and footers do."""
    if line.box is None or not page.height:
        return False
    return line.box[3] < page.height * _EDGE or line.box[1] > page.height * (1 - _EDGE)


def _score(page: Page, line: Line, value: str) -> float:
    spelled_out = 2.0 * names_a_journal(value) + 1.0 * (len(value.split()) > 1)
    return 3.0 * at_edge(page, line) + 2.0 * bool(_WORD.search(value)) + spelled_out


RECOGNISER = Recogniser("journal", ("string", "text"), find, read)
