"""Reading order of pieces of lines that were found on a picture: columns from left to right, rows from top to bottom.

The page is cut at the white gutter that most rows have, between the rows that go across it, and each part again
(after the recursive X-Y cut of Nagy and Seth, 1984). It is cut only where the sides look like columns of text, as the
rows of a table must stay whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines.parsing.reading_order import extent, is_prose

_GUTTER_IN_SIZES = 0.6
"""Least width of a gutter, in heights of a line."""
_STEP = 3.0
"""How near to each other two gaps have to be, in points, to be tried as one gutter."""
_MOST_TRIED = 8
_FEWEST_LINES = 3
_NARROWER_COLUMN = 0.3
_NARROWER_BESIDE_PROSE = 0.6
_SAME_ROW = 0.5
_LEVEL = 0.2
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a line: its words, and where it stands."""

    words: Line
    left: float
    top: float
    right: float
    bottom: float


def in_reading_order(pieces: Sequence[Line]) -> list[Line]:
    """The same words; pieces of one row of a column are one line."""
    found = [_piece(words) for words in pieces if words]
    return [_line(row) for row in _ordered(found, 0)]


def _piece(words: Line) -> _Piece:
    left, right = extent(words)
    return _Piece(words, left, min(word.box[1] for word in words), right, max(word.box[3] for word in words))


def _line(row: Sequence[_Piece]) -> list[PlacedWord]:
    return [word for piece in row for word in piece.words]


def _ordered(pieces: Sequence[_Piece], depth: int) -> Iterator[list[_Piece]]:
    """The rows of each column, and of what is not in columns."""
    rows = _rows(pieces)
    runs = _best_runs(rows, depth)
    if not runs:
        yield from rows
    for run in runs:
        for part in run:
            yield from _ordered(part, depth + 1)


def _rows(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """From top to bottom, each from left to right; a row's pieces share half their height with its first one."""
    rows: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.top + piece.bottom, piece.left)):
        if rows and _shared(rows[-1][0], piece) >= _SAME_ROW:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _shared(one: _Piece, other: _Piece) -> float:
    lower = min(one.bottom - one.top, other.bottom - other.top)
    return (min(one.bottom, other.bottom) - max(one.top, other.top)) / lower if lower > 0 else 0.0


def _best_runs(rows: Sequence[list[_Piece]], depth: int) -> list[list[list[_Piece]]]:
    """The page cut at the gutter that most rows have: runs of one part (rows across it) or two; empty without one."""
    if depth >= _DEEPEST:
        return []
    for gutter in _gutters(rows):
        runs = [_parts(run, gutter, depth) for run in _runs(rows, gutter)]
        if any(len(run) > 1 for run in runs):
            return runs
    return []


def _gutters(rows: Sequence[list[_Piece]]) -> list[float]:
    """Where gaps of rows lie, those first that most rows have."""
    least = _GUTTER_IN_SIZES * median([piece.bottom - piece.top for row in rows for piece in row] or [0.0])
    gaps = [
        (left.right, right.left) for row in rows for left, right in pairwise(row) if right.left - left.right >= least
    ]
    tried = {round((left + right) / 2 / _STEP) * _STEP for left, right in gaps}
    support = {at: sum(left <= at <= right for left, right in gaps) for at in tried}
    return sorted((at for at in tried if support[at] >= _FEWEST_LINES), key=lambda at: (-support[at], at))[:_MOST_TRIED]


def _runs(rows: Sequence[list[_Piece]], gutter: float) -> list[list[list[_Piece]]]:
    """Neighbouring rows together, as long as all or none of them go across the gutter.

    A row level with a part of one that goes across belongs to it: it is a line of the columns that begin or end there.
    """
    across = [any(piece.left < gutter < piece.right for piece in row) for row in rows]
    level = [
        any(across[near] and _overlap(rows[near], row) for near in (at - 1, at + 1) if 0 <= near < len(rows))
        for at, row in enumerate(rows)
    ]
    groups = groupby(range(len(rows)), key=lambda at: across[at] or level[at])
    return [[rows[at] for at in group] for _, group in groups]


def _overlap(one: Sequence[_Piece], other: Sequence[_Piece]) -> bool:
    """Whether some of one row is level with some of the other, by a fifth of a line."""
    return any(_shared(piece, beside) > _LEVEL for piece in one for beside in other)


def _parts(run: Sequence[list[_Piece]], gutter: float, depth: int) -> list[list[_Piece]]:
    """What is left of the gutter and what is right of it, if both are columns of text; else all in one."""
    pieces = [piece for row in run for piece in row]
    left = [piece for piece in pieces if piece.right <= gutter]
    right = [piece for piece in pieces if piece.left >= gutter]
    apart = len(left) + len(right) == len(pieces) and _are_columns(left, right, depth)
    return [left, right] if apart else [pieces]


def _are_columns(left: Sequence[_Piece], right: Sequence[_Piece], depth: int) -> bool:
    """Both are prose, or one is and the other, a table or a figure, is about as wide."""
    if min(len(left), len(right)) < _FEWEST_LINES:
        return False
    narrow, wide = sorted((_width(left), _width(right)))
    prose = _is_text(left, depth) + _is_text(right, depth)
    return narrow >= wide * (_NARROWER_COLUMN if prose == 2 else _NARROWER_BESIDE_PROSE) and prose > 0


def _is_text(pieces: Sequence[_Piece], depth: int) -> bool:
    """Prose, or columns that are."""
    return is_prose([piece.words for piece in pieces]) or bool(_best_runs(_rows(pieces), depth + 1))


def _width(pieces: Sequence[_Piece]) -> float:
    return max(piece.right for piece in pieces) - min(piece.left for piece in pieces)
