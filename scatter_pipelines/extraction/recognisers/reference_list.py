"""The list of references, cut into its items: by the markup, by their numbers, by hanging indents, or by wording."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers.journal import at_edge
from scatter_pipelines.extraction.recognisers.marked import regions
from scatter_pipelines.extraction.recognisers.protocol import Reading
from scatter_pipelines.model.document import Document

_NUMBER = re.compile(r"^[\[(]?(\d{1,4})(?:[\])]|\.(?!\d))?[.:]?\s*(?=[^\d\s.,;:)\-–]|$)")
_AUTHOR_FIRST = re.compile(
    r"^(?:[A-Z][\w'’‐-]+,?\s(?:[A-Z]\.?[ -]?){1,4}(?:[,.;&(]|\set\sal|\sand\s|$)"
    r"|[A-Z][\w'’-]+(?:\s[A-Z]\w+){1,5}[.,]\s)"
)
_AFTER = re.compile(
    r"conflicts? of interests?:|copyright ©|©|publisher.s note|cite this article|how to cite|author details"
    r"|reviewed by:|submit your (?:next )?manuscript|received:|hindawi publishing|citation:",
    re.IGNORECASE,
)
"""What stands behind the list on the last page."""
_COMPLETE = re.compile(r"(?:[.\])\d]|10\.\d{4,}\S*|https?:\S+)$")
_LEAST_NUMBERED = 3
_INDENT = (3.0, 45.0)
_HANGING = (0.15, 0.9)
_SLACK = 2.5
_LONGEST_LAST = 8
_STRAY = 12
"""A number so far ahead of the last one is none of the list."""

Way = Literal["markup", "numbers", "indents", "wording"]


@dataclass(frozen=True, slots=True)
class Item:
    """One reference: a span on each page it stands on; `number` as printed, 0 without."""

    spans: tuple[Span, ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class ReferenceList:
    items: tuple[Item, ...]
    way: Way


def reference_list(reading: Reading) -> ReferenceList:
    marked = tuple(Item((span,)) for _, span in regions(reading, "reference"))
    if marked or reading.layout.document.settles("reference"):
        return ReferenceList(marked, "markup")
    lines = _lines(reading)
    numbered = _by_number(lines)
    if len(numbered) >= _LEAST_NUMBERED:
        return ReferenceList(numbered, "numbers")
    hanging = _starts_by_indent(reading.layout.document, lines)
    if hanging:
        return ReferenceList(_cut(lines, hanging), "indents")
    return ReferenceList(_cut(lines, _starts_by_wording(lines)), "wording")


def _lines(reading: Reading) -> list[Line]:
    """The lines of the section, without the pages' running heads and numbers."""
    frame = _frame(reading)
    spans = reading.sections.spans("references")
    found: list[Line] = []
    for span in spans:
        page = reading.layout.document.pages[span.page - 1]
        for line in reading.layout.lines(page):
            if found and _AFTER.match(line.text) and not at_edge(page, line):
                return found
            inside = span.start <= line.span.start and line.span.end <= span.end
            if inside and not (at_edge(page, line) and _without_digits(line.text) in frame):
                found.append(line)
    return found


def _frame(reading: Reading) -> frozenset[str]:
    """The texts, digits aside, that stand at the edge of more than one page."""
    texts: Counter[str] = Counter()
    for page in reading.layout.document.pages:
        texts.update({_without_digits(line.text) for line in reading.layout.lines(page) if at_edge(page, line)})
    return frozenset(text for text, pages in texts.items() if pages > 1)


def _without_digits(text: str) -> str:
    return re.sub(r"[\d\s]+", "", text)


def _by_number(lines: list[Line]) -> tuple[Item, ...]:
    """From a line with 1 on, each line with the next number begins an item; a number that is missed is passed over."""
    starts: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        found = _NUMBER.match(line.text)
        number = int(found[1]) if found else 0
        expected = starts[-1][1] + 1 if starts else 1
        if number == expected or (starts and number == expected + 1 and _is_next(lines, index, number)):
            starts.append((index, number))
    return tuple(
        Item(item.spans, number) for item, (_, number) in zip(_cut(lines, [i for i, _ in starts]), starts, strict=True)
    )


def _is_next(lines: list[Line], index: int, number: int) -> bool:
    """Whether the number after this one follows soon, so that this one is no figure at a line's start."""
    following = (_NUMBER.match(line.text) for line in lines[index + 1 : index + _STRAY])
    return any(found and int(found[1]) == number + 1 for found in following)


def _starts_by_indent(document: Document, lines: list[Line]) -> list[int]:
    """Lines at the left edge of their column, where the others of it are set in by a little."""
    columns: dict[tuple[int, int], list[int]] = {}
    for index, line in enumerate(lines):
        if line.box is None:
            return []
        half = int(line.box[0] > document.pages[line.span.page - 1].width * 0.48)
        columns.setdefault((line.span.page, half), []).append(index)
    starts: list[int] = []
    hanging = 0
    for members in columns.values():
        edges = {i: _left(lines[i]) for i in members}
        left = min(edges.values())
        at_left = [i for i in members if edges[i] <= left + _SLACK]
        set_in = [i for i in members if _INDENT[0] < edges[i] - left < _INDENT[1]]
        hanging += _HANGING[0] * len(members) <= len(set_in) <= _HANGING[1] * len(members)
        starts += at_left
    return sorted(starts) if hanging * 2 > len(columns) else []


def _left(line: Line) -> float:
    return line.box[0] if line.box else 0.0


def _starts_by_wording(lines: list[Line]) -> list[int]:
    """Lines that begin with an author, after a line that ends a reference, or after a blank one."""
    starts = []
    for index, line in enumerate(lines):
        before = lines[index - 1] if index else None
        apart = before is not None and line.box is None and line.span.start - before.span.end > 1
        ended = before is None or before.span.page != line.span.page or bool(_COMPLETE.search(before.text))
        if apart or (ended and _AUTHOR_FIRST.match(line.text)):
            starts.append(index)
    return starts


def _cut(lines: list[Line], starts: list[int]) -> tuple[Item, ...]:
    ends = [*starts[1:], *(min(len(lines), start + _LONGEST_LAST) for start in starts[-1:])]
    return tuple(Item(tuple(_spans(lines[start:end]))) for start, end in zip(starts, ends, strict=True))


def _spans(lines: list[Line]) -> Iterator[Span]:
    """One for each page, over the lines that follow each other there."""
    current: Span | None = None
    for line in lines:
        if current is not None and line.span.page == current.page and line.span.start >= current.end:
            current = Span(current.page, current.start, line.span.end)
            continue
        if current is not None:
            yield current
        current = line.span
    if current is not None:
        yield current
