"""A document as its extractors look at it: spans, lines with their type size and place, and the body's type size."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from scatter_pipelines.model.document import Box, Document, Page, Word

_SAMPLED_PAGES = 12
_COVER = re.compile(
    r"See discussions, stats, and author profiles|View metadata, citation and similar papers"
    r"|Full Terms & Conditions of access and use|To link to this article:|Take ?down policy"
    r"|This is a (?:repository copy|PDF file of an unedited manuscript)|Please scroll down for article"
    r"|Elsevier has created a COVID-19 resource cent|To cite this version:"
    r"|HAL is a multi-disciplinary open access archive"
)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """`document.pages[page - 1].text[start:end]`."""

    page: int
    start: int
    end: int

    def contains(self, other: "Span") -> bool:
        return self.page == other.page and self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page's text without its surrounding white space. Size 0 and box None without a layout."""

    span: Span
    text: str
    size: float
    bold: bool
    box: Box | None


def union(boxes: Iterable[Box]) -> Box | None:
    listed = list(boxes)
    if not listed:
        return None
    lefts, tops, rights, bottoms = zip(*listed, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def words_in(page: Page, start: int, end: int) -> tuple[Word, ...]:
    """The words that share at least one character with `[start, end)`; found by bisection."""
    first = bisect_right(page.words, start, key=lambda word: word.end)
    last = bisect_left(page.words, end, key=lambda word: word.start)
    return page.words[first:last]


_RULE = re.compile(r"([-=_*~])\1{2,}")


def lines_of(page: Page) -> Iterator[Line]:
    """The page's lines that are neither blank nor a mere rule (`-----`), in the order of its text."""
    position = 0
    for raw in page.text.split("\n"):
        text = raw.strip()
        if text and not _RULE.fullmatch(text):
            start = position + raw.index(text[0])
            yield _line(page, Span(page.number, start, start + len(text)), text)
        position += len(raw) + 1


def _line(page: Page, span: Span, text: str) -> Line:
    words = words_in(page, span.start, span.end)
    styles: Counter[tuple[float, bool]] = Counter()
    for word in words:
        styles[round(word.size, 1), word.bold] += word.end - word.start
    size, bold = styles.most_common(1)[0][0] if styles else (0.0, False)
    return Line(span, text, size, bold, union(word.box for word in words))


class Layout:
    """Reads each page's lines once, when first asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._lines: dict[int, tuple[Line, ...]] = {}

    def lines(self, page: Page) -> tuple[Line, ...]:
        if page.number not in self._lines:
            self._lines[page.number] = tuple(lines_of(page))
        return self._lines[page.number]

    @cached_property
    def first_page(self) -> Page | None:
        """The first page that has text and is no cover a repository or publisher has put in front."""
        pages = [page for page in self.document.pages[:_SAMPLED_PAGES] if page.text.strip()]
        return next((page for page in pages if page is pages[-1] or not _COVER.search(page.text)), None)

    @cached_property
    def body_size(self) -> float:
        """The type size most characters have, in points; 0 without a layout."""
        sizes: Counter[float] = Counter()
        for page in self.document.pages[:_SAMPLED_PAGES]:
            for word in page.words:
                sizes[round(word.size, 1)] += word.end - word.start
        return sizes.most_common(1)[0][0] if sizes else 0.0

    def text(self, span: Span) -> str:
        return self.document.pages[span.page - 1].text[span.start : span.end]
