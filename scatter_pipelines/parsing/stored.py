"""A parsed document as bytes and back, to be kept instead of parsing it again: JSON under zlib (RFC 1950)."""

import json
import zlib
from dataclasses import asdict
from typing import Any

from scatter_pipelines.model.document import Document, Page, Region, Word

FORMAT = 1
"""Goes up with every change of what is written; documents of another format are not read."""
_LEVEL = 3


def to_bytes(document: Document) -> bytes:
    """Everything of it, so that the same document comes back."""
    data = {
        "pages": [_page(page) for page in document.pages],
        "media_type": document.media_type,
        "parser": document.parser,
        "metadata": dict(document.metadata),
        "regions": [list(asdict(region).values()) for region in document.regions],
        "marked_up": document.marked_up,
        "unread": list(document.unread),
    }
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode("ascii"), _LEVEL)


def _page(page: Page) -> list[Any]:
    words = [[word.start, word.end, *word.box, word.size, int(word.bold)] for word in page.words]
    return [page.number, page.text, words, page.width, page.height, page.ocr]


def from_bytes(stored: bytes) -> Document:
    data = json.loads(zlib.decompress(stored))
    return Document(
        pages=tuple(_page_from(*page) for page in data["pages"]),
        media_type=data["media_type"],
        parser=data["parser"],
        metadata=data["metadata"],
        regions=tuple(Region(*region) for region in data["regions"]),
        marked_up=data["marked_up"],
        unread=tuple(data["unread"]),
    )


def _page_from(number: int, text: str, words: list[list[Any]], width: float, height: float, ocr: bool) -> Page:
    placed = tuple(
        Word(start, end, (x0, y0, x1, y1), size, bool(bold)) for start, end, x0, y0, x1, y1, size, bold in words
    )
    return Page(number, text, placed, width, height, ocr)
