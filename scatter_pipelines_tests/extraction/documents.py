"""Small documents made in the test that uses them."""

from collections.abc import Iterable, Sequence

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.model.document import Document, Page, Region, RegionKind, Word
from scatter_pipelines.model.template import Template

Styled = tuple[str, float, bool]
Placed = tuple[str, float, bool, float]
Part = tuple[RegionKind | None, str]


def plain(*pages: str) -> Document:
    """A document without a layout."""
    return Document(tuple(Page(i, text) for i, text in enumerate(pages, 1)), "text/plain", "test")


def laid_out(*pages: Iterable[Styled]) -> Document:
    """Each page from lines of (text, size, bold), set from the top down."""
    return Document(tuple(_page(i, list(lines)) for i, lines in enumerate(pages, 1)), "application/pdf", "test")


def placed(*pages: Iterable[Placed]) -> Document:
    """As `laid_out`, each line with its left edge; an empty one is a gap."""
    return Document(tuple(_page(i, list(lines)) for i, lines in enumerate(pages, 1)), "application/pdf", "test")


def marked(*parts: Part, levels: dict[str, int] | None = None) -> Document:
    """One page without a layout, a paragraph for each part, whose kind the file's markup says."""
    regions, position = [], 0
    for kind, text in parts:
        if kind is not None:
            regions.append(Region(kind, 1, position, position + len(text), (levels or {}).get(text, 0)))
        position += len(text) + 2
    page = Page(1, "\n\n".join(text for _, text in parts))
    return Document((page,), "application/jats+xml", "test", regions=tuple(regions), marked_up=True)


def _page(number: int, lines: Sequence[Styled | Placed]) -> Page:
    words: list[Word] = []
    position, top = 0, 60.0
    for text, size, bold, *left in lines:
        words += _words(text, position, (left[0] if left else 50.0, top), size, bold)
        position += len(text) + 1
        top += size * 1.3
    return Page(number, "\n".join(line[0] for line in lines), tuple(words), 600.0, 800.0)


def _words(text: str, position: int, corner: tuple[float, float], size: float, bold: bool) -> Iterable[Word]:
    start, top = 0, corner[1]
    for token in text.split(" "):
        if token:
            left = corner[0] + start * size / 2
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
