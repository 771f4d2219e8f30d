"""The authors' e-mail addresses, as written. Not those of references.

Confidence: 0.99 markup; 0.95 after "correspondence" or "e-mail"; 0.9 elsewhere on the first page; 0.75 on a later one,
where it may be an institution's.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.marked import by_markup
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.document import Page

_ADDRESS = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}\s?@\n?(?:[A-Za-z0-9-]{1,63}\.\n?){1,5}[A-Za-z]{2,12}(?![A-Za-z0-9-])"
)
_CUE = re.compile(r"correspond|e-?mail|contact", re.IGNORECASE)
_CUE_REACH = 300
_CUED, _FIRST_PAGE, _LATER = 0.95, 0.9, 0.75


def read(quote: str) -> str | None:
    found = _ADDRESS.search(quote)
    return "".join(found[0].split()) if found else None


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "email", read)
    for page in reading.layout.document.pages:
        if "@" in page.text:
            yield from _on_page(reading, page)


def _on_page(reading: Reading, page: Page) -> Iterator[Found]:
    for match in _ADDRESS.finditer(page.text):
        span = Span(page.number, *match.span())
        if not reading.sections.inside(span, "references"):
            cued = _CUE.search(page.text, max(0, match.start() - _CUE_REACH), match.start())
            yield Found(read(match[0]), span, _CUED if cued else _FIRST_PAGE if page.number == 1 else _LATER)


RECOGNISER = Recogniser("email", ("string",), find, read)
