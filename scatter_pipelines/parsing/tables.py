"""Tables as rows of cells. Found by their caption ("Table 1"), told from prose by wide gaps; geometry and words only.

The lines after a caption are a table as long as they are no prose. Words are put into rows by height and into cells by
the stripes that hardly any row crosses. Lines that are closer to each other than others are one row whose cells have
several lines. A table drawn on its side, or column by column, stays as it is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from scatter_pipelines.parsing.placed import Line, PlacedWord

_CAPTION = re.compile(r"^(?:supplementary )?table\s?(?:S?\d{1,2}|[IVX]{1,5})\b", re.IGNORECASE)
_CAPTION_LINES = 6
_WIDE = 0.9
_STRIPE = 0.5
_CROSSING = 0.15
_ROWS_TO_CROSS = 4
_FEWEST_ROWS = 3
_PROSE_WORDS = 7
_PROSE_FILL = 0.8
_PROSE_LETTERS = 0.75
_FAR = 4.0
_APART = 1.15
_SAME_ROW = 0.5
_LABELLED = 0.7


@dataclass(frozen=True, slots=True)
class Table:
    """`lines[start:end]` are a table's; the caption is `lines[caption:start]`."""

    caption: int
    start: int
    end: int


def tables_in(lines: Sequence[Line]) -> list[Table]:
    """Those with a caption before them, in the order of the lines."""
    found: list[Table] = []
    for at, line in enumerate(lines):
        if (not found or at >= found[-1].end) and _CAPTION.match(_text(line)):
            start = _first_row(lines, at)
            end = _end(lines, start) if start else 0
            if sum(_is_row(one) for one in lines[start:end]) >= _FEWEST_ROWS:
                found.append(Table(at, start, end))
    return found


def rows_of(lines: Sequence[Line]) -> list[Line]:
    """A table's words as rows: each word that opens a cell has as many `tabs` as it is cells further than the last."""
    rows = _by_height([word for line in lines for word in line])
    edges = _edges(rows)
    return [_as_cells(row, edges) for row in _whole_rows(rows, edges)]


def _first_row(lines: Sequence[Line], caption: int) -> int:
    """Where the rows begin; 0 where none do."""
    most = min(len(lines), caption + 1 + _CAPTION_LINES)
    return next((at for at in range(caption + 1, most) if _is_row(lines[at])), 0)


def _end(lines: Sequence[Line], start: int) -> int:
    """After the last line that belongs to the rows, which single words below them do not."""
    left, right = _extent(lines[start])
    last = start
    for at in range(start + 1, len(lines)):
        line, above = lines[at], lines[at - 1]
        if _CAPTION.match(_text(line)) or _is_elsewhere(line, above) or _is_prose(line, right - left):
            break
        left, right = min(left, _extent(line)[0]), max(right, _extent(line)[1])
        last = at if _is_row(line) or _extent(line)[0] > left + (right - left) / 4 else last
    return last + 1


def _is_row(line: Line) -> bool:
    """Whether it has cells: words with wide gaps between them, upright."""
    return not _is_turned(line) and any(_gap(a, b) > _WIDE * b.size for a, b in pairwise(line) if b.size)


def _is_turned(line: Line) -> bool:
    return any(len(w.text) > 2 and w.box[3] - w.box[1] > 2 * (w.box[2] - w.box[0]) for w in line)


def _is_elsewhere(line: Line, above: Line) -> bool:
    """Far below, or back at a height that was left, as in another column."""
    size = max(above[0].size, 1.0)
    step = line[0].box[1] - above[0].box[1]
    return step > _FAR * size or step < -_FAR * 5 * size or _is_turned(line)


def _is_prose(line: Line, width: float) -> bool:
    if _is_row(line) or len(line) < _PROSE_WORDS:
        return False
    left, right = _extent(line)
    letters = sum(word.text[0].isalpha() for word in line)
    return right - left >= _PROSE_FILL * width and letters >= _PROSE_LETTERS * len(line)


def _by_height(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    """Words whose middles are nearly level, from left to right; rows from top to bottom."""
    rows: list[list[PlacedWord]] = []
    for word in sorted(words, key=_middle):
        if rows and _middle(word) - _middle(rows[-1][0]) <= _SAME_ROW * max(word.size, 1.0):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.box[0]) for row in rows]


def _edges(rows: Sequence[Line]) -> list[float]:
    """The middles of the upright stripes that hardly any row crosses."""
    size = median(word.size for row in rows for word in row)
    left = min(_extent(row)[0] for row in rows)
    covered = [0] * (int(max(_extent(row)[1] for row in rows) - left) + 2)
    for row in rows:
        for at in {x for word in row for x in range(int(word.box[0] - left), int(word.box[2] - left) + 1)}:
            covered[max(0, min(at, len(covered) - 1))] += 1
    most = max(len(rows) >= _ROWS_TO_CROSS, int(_CROSSING * len(rows)))
    return [left + (first + last) / 2 for first, last in _stripes(covered, most) if last - first >= _STRIPE * size]


def _stripes(covered: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """(first, last) of each stretch that at most so many rows cover, between stretches that more do."""
    open_ = [at for at, rows in enumerate(covered) if rows > most]
    yield from ((a + 1, b) for a, b in pairwise(open_) if b > a + 1)


def _whole_rows(rows: list[list[PlacedWord]], edges: Sequence[float]) -> list[list[PlacedWord]]:
    """Rows whose cells have several lines become one: lines nearer than others are, with words in few columns."""
    steps = [_middle(below[0]) - _middle(above[0]) for above, below in pairwise(rows)]
    close = next((below for below, above in pairwise(sorted(steps)) if above > _APART * below), 0.0)
    whole, first = [rows[0]], rows[0]
    for step, row in zip(steps, rows[1:], strict=True):
        if step > close or 2 * len(_columns(row, edges)) > len(_columns(first, edges)):
            whole.append(row)
            first = row
        else:
            whole[-1] = whole[-1] + row
    labelled = sum(0 in _columns(row, edges) for row in whole)
    return whole if len(whole) > _FEWEST_ROWS and labelled >= _LABELLED * len(whole) else rows


def _as_cells(row: Sequence[PlacedWord], edges: Sequence[float]) -> Line:
    """By column, then by height and from left to right; a run without a gap at an edge stays in one cell."""
    columns: dict[int, list[PlacedWord]] = {}
    for line in _by_height(row):
        column = -1
        for at, word in enumerate(line):
            own = _column(word, edges)
            if at == 0 or (own != column and _gap(line[at - 1], word) > _STRIPE * word.size):
                column = own
            columns.setdefault(column, []).append(word)
    cells = sorted(columns.items())
    before = [0, *(column for column, _ in cells)]
    return [
        replace(word, tabs=column - before[which]) if at == 0 else word
        for which, (column, words) in enumerate(cells)
        for at, word in enumerate(words)
    ]


def _columns(row: Line, edges: Sequence[float]) -> set[int]:
    return {_column(word, edges) for word in row}


def _column(word: PlacedWord, edges: Sequence[float]) -> int:
    return sum((word.box[0] + word.box[2]) / 2 > edge for edge in edges)


def _middle(word: PlacedWord) -> float:
    return (word.box[1] + word.box[3]) / 2


def _gap(left: PlacedWord, right: PlacedWord) -> float:
    return right.box[0] - left.box[2]


def _extent(line: Line) -> tuple[float, float]:
    return (min(word.box[0] for word in line), max(word.box[2] for word in line))


def _text(line: Line) -> str:
    return " ".join(word.text for word in line)
