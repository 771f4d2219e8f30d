"""A parsed document: pages of text, and where each word of it stands on the page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]
"""(x0, y0, x1, y1) in PDF points of the page as a reader sees it (rotation applied), origin top left."""


@dataclass(frozen=True, slots=True)
class Word:
    """One run of characters without white space: `page.text[start:end]`, its box and its font size in points."""

    start: int
    end: int
    box: Box
    size: float = 0.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `number` counts from 1; `words` are in the order of `text` and do not overlap.

    A format without a layout has one page or one page a section, no words, and width and height 0.
    """

    number: int
    text: str
    words: tuple[Word, ...] = ()
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser hands on. `metadata` is what the file says of itself (title, author, ...): a hint, not truth."""

    pages: tuple[Page, ...]
    media_type: str
    parser: str
    metadata: Mapping[str, str] = field(default_factory=dict)
