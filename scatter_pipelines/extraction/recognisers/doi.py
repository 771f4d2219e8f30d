"""The document's own DOI. DOIs of its references are left out, those of its supplements come last."""

import re
from collections import Counter
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.document import Page

_DOI = re.compile(
    r"(?<![\w.])10\.\d{4,9}/(?:(?:[^\s\"<>{}|\\^`]{0,100}[/_.\-])?\n(?=\S{0,40}\d))?[^\s\"<>{}|\\^`]{1,200}",
)
_CUE = re.compile(r"doi(?:\.org/|\s*:|\s)?\s*(?:https?://(?:dx\.)?doi\.org/)?$|doi\.org/$", re.IGNORECASE)
_SUPPLEMENT = re.compile(r"\.(?:[stg]\d{1,3}|suppl?\d*)$", re.IGNORECASE)
_FIRST_PAGES = 2
_PAIRS = {")": "(", "]": "[", ">": "<"}
_CUE_REACH = 40


def read(quote: str) -> str | None:
    """The DOI at the quote's start, its case kept, without the punctuation of the sentence around it."""
    found = _DOI.search(quote)
    return _without_tail("".join(found[0].split())) if found else None


def _without_tail(doi: str) -> str:
    while doi and (doi[-1] in ".,;:'*’”…" or (doi[-1] in _PAIRS and doi.count(doi[-1]) > doi.count(_PAIRS[doi[-1]]))):
        doi = doi[:-1]
    return doi


def find(reading: Reading) -> Iterator[Found]:
    """The best first: near "doi" on a first page, and repeated on other pages."""
    found = [item for page in reading.layout.document.pages for item in _on_page(reading, page)]
    repeats = Counter(value for value, _ in {(str(item.value).casefold(), item.span.page) for item in found})
    yield from sorted(found, key=lambda item: -_score(reading, item, repeats[str(item.value).casefold()]))


def _on_page(reading: Reading, page: Page) -> Iterator[Found]:
    if "10." not in page.text:
        return
    for match in _DOI.finditer(page.text):
        value = read(match[0])
        span = Span(page.number, match.start(), _end(page.text, match.start(), value or ""))
        if value and not value.endswith("/") and not reading.sections.inside(span, "references"):
            yield Found(value, span)


def _end(text: str, start: int, value: str) -> int:
    """Where the value ends in the text, in which a line break may stand between its characters."""
    end, left = start, len(value)
    while left:
        left -= not text[end].isspace()
        end += 1
    return end


def _score(reading: Reading, item: Found, repeats: int) -> int:
    text = reading.layout.document.pages[item.span.page - 1].text
    cue = bool(_CUE.search(text[max(0, item.span.start - _CUE_REACH) : item.span.start]))
    first = item.span.page <= _FIRST_PAGES
    return 3 * first + 3 * cue + min(repeats, 4) - 6 * bool(_SUPPLEMENT.search(str(item.value)))


RECOGNISER = Recogniser("doi", ("string", "text"), find, read)
