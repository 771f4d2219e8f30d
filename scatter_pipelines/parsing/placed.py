"""Words that have a place but no offset yet, and the page made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from scatter_pipelines.model.document import Box, Page, Region, RegionKind, Word


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """As `Word`, with its own text in place of offsets. `tabs`: it opens a table's cell, so many after the last one."""

    text: str
    box: Box
    size: float
    bold: bool
    tabs: int = 0


Line = Sequence[PlacedWord]


@dataclass(frozen=True, slots=True)
class Part:
    """`lines[start:end]` of a page are a `kind`."""

    kind: RegionKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page's lines from top to bottom as far as they are in order, and its width and height in points."""

    number: int
    lines: Sequence[Line]
    size: tuple[float, float] = (0.0, 0.0)
    parts: Sequence[Part] = ()
    ocr: bool = False


def page_of(page: PageLines) -> tuple[Page, tuple[Region, ...]]:
    """Writes the lines down: spaces between words, tabs between cells, line breaks between lines; offsets match."""
    words: list[Word] = []
    spans: list[tuple[int, int]] = []
    pieces: list[str] = []
    end = 0
    for line in page.lines:
        first = end + bool(spans)
        pieces.append("\n" * bool(spans))
        end = first
        for at, word in enumerate(line):
            between = "\t" * word.tabs or " " * (at > 0)
            start = end + len(between)
            end = start + len(word.text)
            pieces += (between, word.text)
            words.append(Word(start, end, word.box, word.size, word.bold))
        spans.append((first, end))
    regions = (Region(p.kind, page.number, spans[p.start][0], spans[p.end - 1][1]) for p in page.parts)
    return Page(page.number, "".join(pieces), tuple(words), *page.size, page.ocr), tuple(regions)
