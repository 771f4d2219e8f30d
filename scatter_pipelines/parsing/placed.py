"""Words that have a place but no offset yet, and the page made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from scatter_pipelines.model.document import Box, Page, Word


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """As `Word`, with its own text in place of offsets."""

    text: str
    box: Box
    size: float
    bold: bool


Line = Sequence[PlacedWord]


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page's lines from top to bottom as far as they are in order, and its width and height in points."""

    number: int
    lines: Sequence[Line]
    size: tuple[float, float] = (0.0, 0.0)


def page_of(page: PageLines) -> Page:
    """Writes the lines down: a space between words, a line break between lines, offsets to match."""
    words: list[Word] = []
    start = 0
    texts = []
    for line in page.lines:
        for word in line:
            end = start + len(word.text)
            words.append(Word(start, end, word.box, word.size, word.bold))
            start = end + 1
        texts.append(" ".join(word.text for word in line))
    return Page(page.number, "\n".join(texts), tuple(words), *page.size)
