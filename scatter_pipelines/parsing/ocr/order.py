"""Reading order of pieces of lines that were found on a picture: columns from left to right, rows from top to bottom.

The page is cut at white space: a band of it that a white gutter runs through is cut there, and each side again (the
recursive X-Y cut of Nagy and Seth, 1984). A band is cut only where the sides look like columns of text, as the rows of
a table must stay whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import median

from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines.parsing.reading_order import extent, is_prose

_GUTTER_IN_SIZES = 0.6
_NARROWER_COLUMN = 0.6
_SAME_ROW = 0.5
_MOST_GUTTERS = 4
_MOST_DEPTH = 6

Span = tuple[float, float]
"""From x to x, in points."""


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
    for band in _bands(_rows(pieces)):
        inside = [piece for row in band for piece in row]
        columns = _columns(inside) if len(band) > 1 and depth < _MOST_DEPTH else []
        if not columns:
            yield from band
        for column in columns:
            yield from _ordered(column, depth + 1)


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


def _bands(rows: Sequence[list[_Piece]]) -> Iterator[list[list[_Piece]]]:
    """Runs of rows that a gutter runs through, as long as can be; a row without one is a band of its own."""
    band: list[list[_Piece]] = []
    for row in rows:
        if band and not _gutters([piece for one in (*band, row) for piece in one]):
            yield band
            band = []
        band.append(row)
    if band:
        yield band


def _gutters(pieces: Sequence[_Piece]) -> list[Span]:
    """White spans between pieces, the widest first."""
    least = _GUTTER_IN_SIZES * median(piece.bottom - piece.top for piece in pieces)
    taken = _merged(sorted((piece.left, piece.right) for piece in pieces))
    white = [(left[1], right[0]) for left, right in pairwise(taken) if right[0] - left[1] >= least]
    return sorted(white, key=lambda span: span[0] - span[1])[:_MOST_GUTTERS]


def _merged(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for left, right in spans:
        if found and left <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found


def _columns(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """The columns of a band; none where they do not look like text."""
    gutters = _gutters(pieces)
    for chosen in (*combinations(gutters, 2), *combinations(gutters, 1)):
        edges = sorted(right for _, right in chosen)
        columns: list[list[_Piece]] = [[] for _ in range(len(edges) + 1)]
        for piece in pieces:
            columns[sum(piece.left >= edge for edge in edges)].append(piece)
        if _are_text(columns):
            return columns
    return []


def _are_text(columns: Sequence[Sequence[_Piece]]) -> bool:
    """Whether they are about as wide as each other, and all but one of them prose."""
    widths = sorted(max(piece.right for piece in column) - min(piece.left for piece in column) for column in columns)
    prose = sum(is_prose([piece.words for piece in column]) for column in columns)
    return widths[0] >= _NARROWER_COLUMN * widths[-1] and prose >= max(len(columns) - 1, 1)
