"""How commands talk: results on standard output, everything else on standard error, under --json JSON alone."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from scatter_pipelines.model.result import Counts

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
TaskName = Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, its unambiguous beginning, or `last`.")]

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)

COLOURS = {
    "completed": "green",
    "completed_with_errors": "yellow",
    "failed": "red",
    "error": "red",
    "cancelled": "magenta",
    "processing": "cyan",
}


def print_json(value: object) -> None:
    json.dump(value, sys.stdout, ensure_ascii=False, default=str)
    sys.stdout.write("\n")


def say(message: str) -> None:
    """One line for a person; never part of the result."""
    stderr.print(message, markup=False, soft_wrap=True)


def print_line(message: str = "") -> None:
    stdout.print(message, markup=False, soft_wrap=True)


def status_text(status: str) -> str:
    """The status in its colour, as markup."""
    colour = COLOURS.get(status)
    return f"[{colour}]{status}[/{colour}]" if colour else status


def print_table(title: str | None, headings: Sequence[str], rows: Sequence[Sequence[Any]], *, markup: int = -1) -> None:
    """A table; the column numbered `markup` holds markup of ours, all others are text as it is."""
    table = Table(*headings, title=title, title_justify="left", expand=False)
    for row in rows:
        cells = ["" if cell is None else str(cell) for cell in row]
        table.add_row(*(cell if number == markup else escape(cell) for number, cell in enumerate(cells)))
    stdout.print(table)


@contextmanager
def counting(what: str, *, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error that is fed with (done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr, transient=True, disable=not shown) as bar:
        number = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(number, completed=done, total=total)


@contextmanager
def counting_documents(*, shown: bool = True) -> Iterator[Callable[[Counts], None]]:
    """A progress bar that is fed with a task's counts."""
    with counting("Extracting", shown=shown) as update:
        yield lambda counts: update(counts.total - counts.open, counts.total)
