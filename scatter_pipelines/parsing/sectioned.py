"""Text in pages that are sections, for formats without a layout. Every region is recorded as its text is written."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document, Page, Region, RegionKind
from scatter_pipelines.parsing.protocol import ParseLimits, Progress

_UNWANTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_IN_CELL = re.compile(r"[\t\n]+")
_LONGEST_METADATA = 4_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A place between two blocks: that many pages are complete, and that many blocks of the open one are written."""

    page: int
    block: int


@dataclass(slots=True)
class Sectioned:
    """Collects blocks, each of one line or more, and the regions they are. A page without text is not kept.

    The limits hold while text is added: raises `too_large`. `progress` is called at the end of each page.
    """

    limits: ParseLimits
    progress: Progress
    regions: list[Region] = field(default_factory=list)
    _pages: list[Page] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _length: int = 0
    _characters: int = 0

    def new_page(self) -> None:
        """What follows is on a page of its own."""
        if not self._blocks:
            return
        self._pages.append(Page(len(self._pages) + 1, "\n".join(self._blocks)))
        self._blocks, self._starts, self._length = [], [], 0
        self.progress(len(self._pages), len(self._pages))

    def block(
        self,
        text: str,
        kind: RegionKind | None = None,
        *,
        level: int = 0,
        within: Iterable[tuple[RegionKind, str]] = (),
    ) -> None:
        """One block, a region of `kind` as a whole; `within` names kinds of texts that stand in it."""
        cleaned = _UNWANTED.sub("", text).strip("\n ")
        if not cleaned.strip():
            return
        mark = self.mark()
        self._write(cleaned)
        if kind is not None:
            self.close(kind, mark, level)
        start = self._starts[-1]
        for inner, part in within:
            at = cleaned.find(_UNWANTED.sub("", part).strip())
            if part.strip() and at >= 0:
                self.regions.append(Region(inner, len(self._pages) + 1, start + at, start + at + len(part.strip())))

    def row(self, cells: Iterable[str]) -> None:
        """A table's row: a tab between two cells, none within one."""
        line = "\t".join(_IN_CELL.sub(" ", _UNWANTED.sub("", cell)).strip() for cell in cells)
        if line.strip():
            self._write(line)

    def mark(self) -> Mark:
        return Mark(len(self._pages), len(self._blocks))

    def close(self, kind: RegionKind, mark: Mark, level: int = 0) -> None:
        """All that was written since `mark` on the open page is a `kind`; nothing happens if there is nothing."""
        first = mark.block if mark.page == len(self._pages) else 0
        if first < len(self._blocks):
            self.regions.append(Region(kind, len(self._pages) + 1, self._starts[first], self._length, level))

    def finish(
        self, media_type: str, parser: str, metadata: Mapping[str, str] | None = None, *, marked_up: bool = False
    ) -> Document:
        """Raises `empty` where nothing was written."""
        self.new_page()
        if not self._pages:
            raise DocumentError("empty", "The document holds no text: look at it in the program that made it.")
        ordered = sorted(self.regions, key=lambda region: (region.page, region.start, -region.end))
        kept = {name: value.strip()[:_LONGEST_METADATA] for name, value in (metadata or {}).items() if value.strip()}
        return Document(tuple(self._pages), media_type, parser, kept, tuple(ordered), marked_up)

    def _write(self, text: str) -> None:
        if not self._blocks and len(self._pages) >= self.limits.max_pages:
            raise DocumentError("too_large", f"More than the {self.limits.max_pages} pages allowed.")
        self._characters += len(text)
        if self._characters > self.limits.max_characters:
            raise DocumentError("too_large", f"More than the {self.limits.max_characters} characters allowed.")
        self._starts.append(self._length + 1 if self._blocks else 0)
        self._length = self._starts[-1] + len(text)
        self._blocks.append(text)
