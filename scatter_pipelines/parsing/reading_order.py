"""Puts the lines of a page in reading order where the file's own order is clearly wrong. Geometry only.

Publishers' files are in reading order already, figures and tables aside. What is put right here is a page whose columns
were drawn row by row (left line, right line, next left line ...), as scanners' OCR and some converters do. Rows of a
table look alike, so all columns must be prose: lines of several words that fill their column. Two columns, or three.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from statistics import median

from scatter_pipelines.parsing.placed import Line, PlacedWord

_GAP_IN_SIZES = 0.7
_SAME_ROW = 0.5
_BUCKET = 3.0
_ROWS = 5
_CANDIDATES = 4
_CHANGES = 0.6
_PROSE_WORDS = 4
_PROSE_FILL = 0.7
_PROSE_LETTERS = 0.7
_PROSE_HOLES = 0.35
_HOLE_IN_SIZES = 1.5
_NARROWER_COLUMN = 0.6

_ACROSS = -1


@dataclass(frozen=True, slots=True)
class _Segment:
    """A line, or what one column has of it; `column` counts from the left, `row` is the number of the whole line."""

    line: Line
    column: int
    row: int


def in_reading_order(lines: Sequence[Line]) -> Sequence[Line]:
    """The same words; where columns were drawn row by row, lines cut at the gutters, left column first."""
    found = _gutters(lines)
    for gutters in (*combinations(found, 2), *combinations(found, 1)):
        columns = len(gutters) + 1
        segments = [segment for row in range(len(lines)) for segment in _cut(lines[row], sorted(gutters), row)]
        runs = [list(run) for _, run in groupby(segments, key=lambda segment: segment.column == _ACROSS)]
        if any(_is_row_by_row(run, columns) for run in runs):
            return [line for run in runs for line in _column_by_column(run, columns, lines)]
    return lines


def _column_by_column(run: list[_Segment], columns: int, lines: Sequence[Line]) -> Iterator[Line]:
    """From left to right; a run that is in order keeps its whole lines."""
    if not _is_row_by_row(run, columns):
        yield from lines[run[0].row : run[-1].row + 1]
        return
    for column in range(columns):
        yield from (segment.line for segment in run if segment.column == column)


def _gutters(lines: Sequence[Line]) -> list[float]:
    """Where a second column may begin: x at which, again and again, a word stands after a wide gap. Best first."""
    words = [word for line in lines for word in line]
    starts = Counter(round(right.box[0] / _BUCKET) for left, right in pairwise(words) if _is_beside(left, right))
    return [(bucket - 1) * _BUCKET for bucket, rows in starts.most_common(_CANDIDATES) if rows >= _ROWS]


def _is_beside(left: PlacedWord, right: PlacedWord, sizes: float = _GAP_IN_SIZES) -> bool:
    """In one row, with a gap of so many font sizes between them."""
    if right.box[0] - left.box[2] <= sizes * right.size:
        return False
    overlap = min(left.box[3], right.box[3]) - max(left.box[1], right.box[1])
    return overlap > _SAME_ROW * (right.box[3] - right.box[1])


def _cut(line: Line, gutters: Sequence[float], row: int) -> Iterator[_Segment]:
    """In pieces where wide gaps of the line lie at gutters; each is in one column or goes across."""
    start = 0
    for at, (before, after) in enumerate(pairwise(line), start=1):
        at_gutter = any(before.box[2] <= gutter + _BUCKET and after.box[0] >= gutter for gutter in gutters)
        if at_gutter and _is_beside(before, after):
            yield _Segment(line[start:at], _column(line[start:at], gutters), row)
            start = at
    yield _Segment(line[start:], _column(line[start:], gutters), row)


def _column(line: Line, gutters: Sequence[float]) -> int:
    left, right = extent(line)
    begins = sum(left >= gutter - _BUCKET for gutter in gutters)
    ends = sum(right > gutter + _BUCKET for gutter in gutters)
    return begins if begins == ends else _ACROSS


def _is_row_by_row(run: list[_Segment], columns: int) -> bool:
    """The pen went back to a column further left about once a row, and all columns are prose."""
    sides = [[segment.line for segment in run if segment.column == column] for column in range(columns)]
    changes = sum(a.column > b.column for a, b in pairwise(run))
    if not all(sides) or changes + 1 < max(_ROWS, _CHANGES * max(map(len, sides))):
        return False
    widths = sorted(map(_width, sides))
    return widths[0] >= _NARROWER_COLUMN * widths[-1] and all(map(is_prose, sides))


def is_prose(column: list[Line]) -> bool:
    """Most lines are words, not numbers, and go from edge to edge; some with holes may belong to a small table."""
    words = [word for line in column for word in line]
    letters = sum(word.text[0].isalpha() or word.text[-1].isalpha() for word in words)
    holes = sum(any(_is_beside(a, b, _HOLE_IN_SIZES) for a, b in pairwise(line)) for line in column)
    return (
        median(map(len, column)) >= _PROSE_WORDS
        and median(_width([line]) for line in column) >= _PROSE_FILL * _width(column)
        and letters >= _PROSE_LETTERS * len(words)
        and holes <= _PROSE_HOLES * len(column)
    )


def _width(lines: list[Line]) -> float:
    extents = [extent(line) for line in lines]
    return max(right for _, right in extents) - min(left for left, _ in extents)


def extent(line: Line) -> tuple[float, float]:
    return (min(word.box[0] for word in line), max(word.box[2] for word in line))
