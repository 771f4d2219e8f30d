"""How commands talk: results on standard output, everything else on standard error, under --json JSON alone."""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn, TextIO

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from scatter_pipelines.model.result import Counts

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
TaskName = Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, its unambiguous beginning, or `last`.")]

EXIT_READER_GONE = 141
"""128 + SIGPIPE, as every program of a pipe has it."""
WIDTH_OF_A_FILE = 200
"""Columns where standard output is no terminal and COLUMNS does not say otherwise."""
PROGRESS_SECONDS = 10.0
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line break, and those that turn the direction of writing: a document's may not
reach the terminal."""


class _Screen(Console):
    def on_broken_pipe(self) -> NoReturn:
        reader_gone()


stdout = _Screen(highlight=False)
stderr = Console(stderr=True, highlight=False)

COLOURS = {
    "completed": "green",
    "completed_with_errors": "yellow",
    "failed": "red",
    "error": "red",
    "cancelled": "magenta",
    "processing": "cyan",
}


def prepare_streams() -> None:
    """A character that the terminal's encoding lacks is written as an escape instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def finish_output() -> None:
    """Writes what is buffered, while a reader that went away can still be told from an error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        reader_gone()


def reader_gone() -> NoReturn:
    """Ends the command as `head` and the like expect of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(EXIT_READER_GONE)


def print_json(value: object) -> None:
    """One line; in ASCII where standard output is not UTF-8."""
    line = json.dumps(value, ensure_ascii=not speaks_unicode(sys.stdout), default=str)
    try:
        sys.stdout.write(f"{line}\n")
    except BrokenPipeError:
        reader_gone()


def speaks_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def width() -> int:
    """Columns that a table may take."""
    return stdout.width if stdout.is_terminal or "COLUMNS" in os.environ else WIDTH_OF_A_FILE


def clean(message: str) -> str:
    """The text without what would steer a terminal."""
    return UNSAFE.sub("?", message)


def say(message: str) -> None:
    """A message for a person; never part of the result."""
    stderr.print(clean(message), markup=False, soft_wrap=True)


def print_line(message: str = "") -> None:
    stdout.print(clean(message), markup=False, soft_wrap=True)


def print_coloured(before: str, status: str, after: str = "") -> None:
    """A line with a status in its colour."""
    colour = COLOURS.get(status, "none")
    stdout.print(clean(before), end="", markup=False, soft_wrap=True)
    stdout.print(status, end="", style=colour, markup=False, soft_wrap=True)
    print_line(after)


@contextmanager
def captured() -> Iterator[Callable[[], str]]:
    """What is printed inside is kept instead; the function given returns it without colours."""
    with stdout.capture() as capture:
        yield lambda: Text.from_ansi(capture.get()).plain.rstrip("\n") + "\n"


def plural(count: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Progress on standard error, fed with (done, total): a bar on a terminal, else a line now and then."""
    if not stderr.is_terminal:
        yield _LineNowAndThen(what)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr, transient=True) as bar:
        number = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(number, completed=done, total=total)


class _LineNowAndThen:
    """Progress for a log: the first line comes only when it takes a while."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.next = time.monotonic() + PROGRESS_SECONDS

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + PROGRESS_SECONDS
            say(f"{self.what}: {done} of {total}")


@contextmanager
def counting_documents(what: str = "Extracting") -> Iterator[Callable[[Counts], None]]:
    """Progress that is fed with a task's counts."""
    with counting(what) as update:
        yield lambda counts: update(counts.total - counts.open, counts.total)
