"""What every parser offers. The choice of a parser by content is in `parsing/detect.py` and `parsing/parse.py`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.placed import Line

Progress = Callable[[int, int], None]
"""Called with (pages done, pages in all) after each page; may raise to stop the work."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Beyond these a document is `too_large`."""

    max_pages: int = 5_000
    max_characters: int = 50_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as displayed: `rows` of `columns` pixels of blue, green, red from the top left; its size in points."""

    pixels: bytearray
    columns: int
    rows: int
    width: float
    height: float


class PictureReader(Protocol):
    """Reads pages whose text is in a picture. May raise to stop the work."""

    def begin(self, pages: int) -> None:
        """Says how many pages will come."""

    def read(self, number: int, picture: Callable[[], Picture]) -> Sequence[Line]:
        """The lines of page `number` in reading order; `picture` is asked for where it is needed."""


class Parser(Protocol):
    """Turns bytes into a document, or raises `DocumentError` with the fitting code."""

    name: str
    version: str

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document: ...
