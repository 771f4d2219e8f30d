"""The document's own DOI. DOIs of its references are left out, those of its supplements come last.

Confidence: 0.99 markup; else by how many of these hold: on a first page, after "doi", on several pages, the file's
metadata name it too; 0.97 with three of them, 0.9 with two, 0.6 with one.
"""

import re
from collections import Counter
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.document import Page

_PLAIN = r"[^\s\"<>{}|\\^`]"
_NO_NUMBER = r"(?![\[(]?\d{1,4}[.\])]*(?:\s|$))"
_AT_A_SIGN = rf"(?:{_PLAIN}{{0,100}}[/_.\-])?\n{_NO_NUMBER}(?=\S{{0,40}}\d)"
_ANYWHERE = rf"{_PLAIN}{{1,100}}\n(?=[a-z\d]{{0,12}}[.\-/()][\w.\-/();:]*\d[.,;]?(?:\s|$))"
DOI = re.compile(rf"(?<![\w.])10\.\d{{4,9}}/(?:{_AT_A_SIGN})?{_PLAIN}{{1,200}}")
IN_LIST = re.compile(rf"(?<![\w.])10\.\d{{4,9}}/(?:{_AT_A_SIGN}|{_ANYWHERE})?{_PLAIN}{{1,200}}")
"""As in a list of references, where a DOI is broken anywhere; the rest of it looks like no number of a reference."""
_CUE = re.compile(r"doi(?:\.org/|\s*:|\s)?\s*(?:https?://(?:dx\.)?doi\.org/)?$|doi\.org/$", re.IGNORECASE)
_OTHERS = re.compile(
    r"(?:\.(?:[stg]\d{1,3}|suppl?\d*|d\d{4,})|/-/DC\d*)$|^10\.(?:5061|5281|6084|17605|5256)/", re.IGNORECASE
)
"""Supplements, and the prefixes of archives for data: Dryad, Zenodo, figshare, OSF, F1000Research's own."""
_ELSEWHERE = re.compile(
    r"supplementa\w+[^.]{0,40}$|data (?:are|is)[^.]{0,60}$|related article[^.]{0,40}$|german edition[^.]{0,20}$"
    r"|(?:corrigendum|erratum|correction|retraction|addendum|update) (?:to|of)[^.]{0,30}$"
    r"|comment(?:ary)? on[^.]{0,40}$",
    re.IGNORECASE,
)
_CITED_AFTER = re.compile(r"\W{0,3}\s*(?:cite this article|citation:)", re.IGNORECASE)
_CITED_BEFORE = re.compile(
    r"(?:cite this article|^citation:)[^\n]*\n?[^\n]*$|Volume \d{4}, Article ID \d+, \d+ pages?\s+\S*$"
    r"|\bPublished \d{1,2} \w+ \d{4}\s+\S*$",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands about the article's own DOI after its references."""
_LINK = re.compile(r"\s*(?:doi:?\s*)?\S*$|\n", re.IGNORECASE)
_FIRST_PAGES = 2
_PAIRS = {")": "(", "]": "[", ">": "<"}
_CUE_REACH = 40
_ELSEWHERE_REACH = 90
_LEAST_ALONE = 3


def read(quote: str) -> str | None:
    """The DOI at the quote's start, its case kept, without the punctuation of the sentence around it."""
    found = DOI.search(quote)
    return without_tail("".join(found[0].split())) if found else None


def without_tail(doi: str) -> str:
    while doi and (doi[-1] in ".,;:'*’”…" or (doi[-1] in _PAIRS and doi.count(doi[-1]) > doi.count(_PAIRS[doi[-1]]))):
        doi = doi[:-1]
    return doi


def own(reading: Reading) -> Found | None:
    """The best candidate."""
    return next(find(reading), None)


def find(reading: Reading) -> Iterator[Found]:
    """The best first: near "doi" on a first page, and repeated on other pages."""
    yield from by_markup(reading, "doi", read)
    if is_settled(reading, "doi"):
        return
    found = [item for page in reading.layout.document.pages for item in on_page(page)]
    outside = [item for item in found if _is_outside(reading, item)]
    repeats = Counter(value for value, _ in {(str(item.value).casefold(), item.span.page) for item in outside})
    hints = " ".join(reading.layout.document.metadata.values()).casefold()
    scored = [(_signs(reading, item, repeats[str(item.value).casefold()], hints), item) for item in outside]
    for (score, signs), item in sorted(scored, key=lambda pair: -pair[0][0]):
        if score >= _LEAST_ALONE:
            yield Found(item.value, item.span, (0.4, 0.6, 0.9, 0.97, 0.97)[signs])


def _is_outside(reading: Reading, item: Found) -> bool:
    """Not in the list of references, or there with the words by which an article asks to be cited."""
    return not reading.sections.inside(item.span, "references") or cites_itself(reading, item)


def cites_itself(reading: Reading, item: Found) -> bool:
    text = reading.layout.document.pages[item.span.page - 1].text
    before = text[max(0, item.span.start - _ELSEWHERE_REACH) : item.span.start]
    return bool(_CITED_AFTER.match(text, item.span.end) or _CITED_BEFORE.search(before))


def on_page(page: Page, pattern: "re.Pattern[str]" = DOI) -> Iterator[Found]:
    """Every DOI of the page."""
    if "10." not in page.text:
        return
    for match in pattern.finditer(page.text):
        value = without_tail("".join(match[0].split()))
        span = Span(page.number, match.start(), _end(page.text, match.start(), value))
        if value and not value.endswith("/"):
            yield Found(value, span)


def _end(text: str, start: int, value: str) -> int:
    """Where the value ends in the text, in which a line break may stand between its characters."""
    end, left = start, len(value)
    while left:
        left -= not text[end].isspace()
        end += 1
    return end


def _signs(reading: Reading, item: Found, repeats: int, hints: str) -> tuple[int, int]:
    """A score to rank by, and how many signs speak for the candidate."""
    text = reading.layout.document.pages[item.span.page - 1].text
    before = text[max(0, item.span.start - _ELSEWHERE_REACH) : item.span.start]
    cue = bool(_CUE.search(before[-_CUE_REACH:])) or cites_itself(reading, item)
    first = item.span.page <= _FIRST_PAGES
    hinted = str(item.value).casefold() in hints
    others = bool(_OTHERS.search(str(item.value))) or bool(_ELSEWHERE.search(_LINK.sub("", before)))
    score = 3 * first + 3 * cue + min(repeats, 4) + 5 * hinted - 6 * others
    return score, (first + cue + (repeats > 1) + hinted) * (not others)


RECOGNISER = Recogniser("doi", ("string", "text"), find, read)
