"""Small documents made in the test that uses them."""

from collections.abc import Iterable

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.model.document import Document, Page, Word
from scatter_pipelines.model.template import Template

Styled = tuple[str, float, bool]


def plain(*pages: str) -> Document:
    """A document without a layout."""
    return Document(tuple(Page(i, text) for i, text in enumerate(pages, 1)), "text/plain", "test")


def laid_out(*pages: Iterable[Styled]) -> Document:
    """Each page from lines of (text, size, bold), set from the top down."""
    return Document(tuple(_page(i, list(lines)) for i, lines in enumerate(pages, 1)), "application/pdf", "test")


def _page(number: int, lines: list[Styled]) -> Page:
    words: list[Word] = []
    position, top = 0, 60.0
    for text, size, bold in lines:
        words += _words(text, position, top, size, bold)
        position += len(text) + 1
        top += size * 1.3
    return Page(number, "\n".join(text for text, _, _ in lines), tuple(words), 600.0, 800.0)


def _words(text: str, position: int, top: float, size: float, bold: bool) -> Iterable[Word]:
    start = 0
    for token in text.split(" "):
        if token:
            left = 50 + start * size / 2
            box = (left, top, left + len(token) * size / 2, top + size)
            yield Word(position + start, position + start + len(token), box, size, bold)
        start += len(token) + 1


def template(**field: object) -> Template:
    """A template with one field, named `it`."""
    return Template.model_validate({"name": "test", "version": 1, "fields": [{"name": "it", **field}]})


def span_of(document: Document, quote: str) -> Span:
    for page in document.pages:
        if quote in page.text:
            start = page.text.index(quote)
            return Span(page.number, start, start + len(quote))
    raise ValueError(quote)
