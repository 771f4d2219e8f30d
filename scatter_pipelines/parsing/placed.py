"""Words that have a place but no offset yet, and the page made of them."""

from collections.abc import Iterable, Sequence
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


def page_of(number: int, lines: Iterable[Line], size: tuple[float, float]) -> Page:
    """Writes the lines down: a space between words, a line break between lines, offsets to match."""
    words: list[Word] = []
    start = 0
    texts = []
    for line in lines:
        for word in line:
            end = start + len(word.text)
            words.append(Word(start, end, word.box, word.size, word.bold))
            start = end + 1
        texts.append(" ".join(word.text for word in line))
    return Page(number, "\n".join(texts), tuple(words), *size)
