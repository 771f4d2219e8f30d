"""Puts the lines of a page in reading order where the file's own order is clearly wrong. Geometry only.

Publishers' files are in reading order already, figures and tables aside. What is put right here is a page whose columns
were drawn row by row (left line, right line, next left line ...), as scanners' OCR and some converters do. Rows of a
table look alike, so both columns must be prose: lines of several words that fill their column. Two columns, not three.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import Literal

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

Side = Literal["left", "right", "across"]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A line, or what is left or right of the gutter in one; `row` is the number of the whole line."""

    line: Line
    side: Side
    row: int


def in_reading_order(lines: Sequence[Line]) -> Sequence[Line]:
    """The same words; where columns were drawn row by row, lines cut at the gutter, left column first."""
    for gutter in _gutters(lines):
        segments = [segment for row in range(len(lines)) for segment in _cut(lines[row], gutter, row)]
        runs = [list(run) for _, run in groupby(segments, key=lambda segment: segment.side == "across")]
        if any(map(_is_row_by_row, runs)):
            return [line for run in runs for line in _column_by_column(run, lines)]
    return lines


def _column_by_column(run: list[_Segment], lines: Sequence[Line]) -> Iterator[Line]:
    """Left, then right; a run that is in order keeps its whole lines."""
    if not _is_row_by_row(run):
        yield from lines[run[0].row : run[-1].row + 1]
        return
    for side in ("left", "right"):
        yield from (segment.line for segment in run if segment.side == side)


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


def _cut(line: Line, gutter: float, row: int) -> Iterator[_Segment]:
    """In two where a wide gap of the line lies at the gutter; else the line is on one side or goes across."""
    for at, (before, after) in enumerate(pairwise(line), start=1):
        if before.box[2] <= gutter + _BUCKET and after.box[0] >= gutter and _is_beside(before, after):
            yield _Segment(line[:at], _side(line[:at], gutter), row)
            yield _Segment(line[at:], _side(line[at:], gutter), row)
            return
    yield _Segment(line, _side(line, gutter), row)


def _side(line: Line, gutter: float) -> Side:
    left, right = _extent(line)
    if left >= gutter - _BUCKET:
        return "right"
    return "left" if right <= gutter + _BUCKET else "across"


def _is_row_by_row(run: list[_Segment]) -> bool:
    """The pen went from the right column back to the left about once a row, and both columns are prose."""
    left = [segment.line for segment in run if segment.side == "left"]
    right = [segment.line for segment in run if segment.side == "right"]
    changes = sum(a.side == "right" and b.side == "left" for a, b in pairwise(run))
    if changes + 1 < max(_ROWS, _CHANGES * max(len(left), len(right))):
        return False
    widths = sorted((_width(left), _width(right)))
    return widths[0] >= _NARROWER_COLUMN * widths[1] and _is_prose(left) and _is_prose(right)


def _is_prose(column: list[Line]) -> bool:
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
    extents = [_extent(line) for line in lines]
    return max(right for _, right in extents) - min(left for left, _ in extents)


def _extent(line: Line) -> tuple[float, float]:
    return (min(word.box[0] for word in line), max(word.box[2] for word in line))
