"""A parsed document: pages of text, where each word stands on its page, and what the file says its parts are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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

    A format without a layout has one page or one page a section, no words, and width and height 0. `ocr` says that the
    text was read from a picture of the page and may hold misread characters.
    """

    number: int
    text: str
    words: tuple[Word, ...] = ()
    width: float = 0.0
    height: float = 0.0
    ocr: bool = False


RegionKind = Literal[
    "title", "author", "affiliation", "abstract", "keywords", "journal", "doi", "publication_date", "email",
    "registration", "funding", "conflicts", "acknowledgements", "heading", "caption", "table", "footnote", "reference",
]  # fmt: skip


_FRONT_KINDS: frozenset[RegionKind] = frozenset(
    ("title", "author", "abstract", "keywords", "journal", "doi", "publication_date", "reference")
)
_OF_ARTICLES: frozenset[RegionKind] = frozenset(("author", "journal", "doi", "publication_date"))


@dataclass(frozen=True, slots=True)
class Region:
    """`pages[page - 1].text[start:end]` is a `kind`: the file's own markup says so, the layout, or a parsing service.

    Where a parser knows the cells, a table's lines are its rows, with a tab between two cells. `level` is that of a
    heading, from 1.
    """

    kind: RegionKind
    page: int
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser hands on. `metadata` is what the file says of itself (title, author, ...): a hint, not truth.

    `regions` are in the order of the text; one may lie within another. `marked_up` says that they come from the file's
    own markup; what may be concluded from a kind's absence, `settles` says. `unread` are the numbers of pages that have
    content (a picture, text in a font that says nothing) and hardly any text.
    """

    pages: tuple[Page, ...]
    media_type: str
    parser: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    marked_up: bool = False
    unread: tuple[int, ...] = ()

    def settles(self, kind: RegionKind) -> bool:
        """Whether the markup would have a region of the kind if the document had one.

        So it is where the markup describes an article (JATS does, and web pages with an article's metadata), for the
        kinds such markup always carries; a web page or a Word file with mere headings says nothing of authors.
        """
        described = self.marked_up and any(region.kind in _OF_ARTICLES for region in self.regions)
        return described and kind in _FRONT_KINDS
