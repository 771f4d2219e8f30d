"""What every parser offers. The choice of a parser by content is in `parsing/detect.py` and `parsing/parse.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from scatter_pipelines.model.document import Document

Progress = Callable[[int, int], None]
"""Called with (pages done, pages in all) after each page; may raise to stop the work."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Beyond these a document is `too_large`."""

    max_pages: int = 5_000
    max_characters: int = 50_000_000


class Parser(Protocol):
    """Turns bytes into a document, or raises `DocumentError` with the fitting code."""

    name: str
    version: str

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document: ...
