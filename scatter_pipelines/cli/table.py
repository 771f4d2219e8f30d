"""Tables for a person: one line a row, however narrow the terminal; what must not be cut never is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from scatter_pipelines.cli.output import COLOURS, clean, speaks_unicode, stdout, width

GAP = 2
LEAST = 16
"""Cells that a column which may be cut keeps, if it has as many."""
MOST = 60


@dataclass(frozen=True, slots=True)
class Column:
    """`firm` ones are never cut, `spare` ones are left out, the last first, where there is no room for them."""

    heading: str
    firm: bool = False
    spare: bool = False
    right: bool = False


def one_line(value: Any) -> str:
    return clean(" ".join(str("" if value is None else value).split()))


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, title: str | None = None) -> None:
    """Cells are plain text; a word that is a status gets its colour."""
    cells = [[one_line(value) for value in row] for row in rows]
    natural = [
        max([cell_len(column.heading), *(cell_len(row[number]) for row in cells)])
        for number, column in enumerate(columns)
    ]
    widths = fit(columns, natural, width())
    if title:
        _print(Text(title, style="bold"))
    _print(_line([column.heading for column in columns], widths, columns, style="bold"))
    _print(_line([("─" if _unicode() else "-") * size for size in natural], widths, columns, style="dim", mark=False))
    for row in cells:
        _print(_line(row, widths, columns))


def fit(columns: Sequence[Column], natural: Sequence[int], room: int) -> list[int]:
    """The width of each column in cells; 0 where it is left out."""
    shown = list(range(len(columns)))
    while _least(columns, natural, shown) > room and (spare := [number for number in shown if columns[number].spare]):
        shown.remove(spare[-1])
    firm = sum(natural[number] for number in shown if columns[number].firm)
    free = room - firm - GAP * (len(shown) - 1)
    cap = _cap([natural[number] for number in shown if not columns[number].firm], free)
    return [
        0 if number not in shown else natural[number] if column.firm else min(natural[number], cap)
        for number, column in enumerate(columns)
    ]


def _least(columns: Sequence[Column], natural: Sequence[int], shown: Sequence[int]) -> int:
    needed = (natural[number] if columns[number].firm else min(natural[number], LEAST) for number in shown)
    return sum(needed) + GAP * (len(shown) - 1)


def _cap(natural: Sequence[int], free: int) -> int:
    """The greatest width of a column at which they all have room."""
    return next((cap for cap in range(MOST, LEAST, -1) if sum(min(size, cap) for size in natural) <= free), LEAST)


def _line(
    cells: Sequence[str], widths: Sequence[int], columns: Sequence[Column], *, style: str = "", mark: bool = True
) -> Text:
    parts = [
        Text(_cell(cell, size, column.right, mark), style=style or COLOURS.get(cell.partition(" ")[0], ""))
        for cell, size, column in zip(cells, widths, columns, strict=True)
        if size
    ]
    line = Text(" " * GAP).join(parts)
    line.rstrip()
    return line


def _cell(cell: str, size: int, right: bool, mark: bool) -> str:
    if cell_len(cell) > size and mark:
        sign = "…" if _unicode() else "..."
        return set_cell_size(cell, size - len(sign)) + sign
    return " " * (size - cell_len(cell)) + cell if right else set_cell_size(cell, size)


def _unicode() -> bool:
    return speaks_unicode(stdout.file)  # type: ignore[arg-type]


def _print(line: Text) -> None:
    stdout.print(line, soft_wrap=True)
