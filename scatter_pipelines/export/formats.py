"""Which formats there are, and writing a file whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO, TypeVar

from scatter_pipelines.errors import UsageError
from scatter_pipelines.export.csv_table import write_csv
from scatter_pipelines.export.jsonl import write_jsonl

T = TypeVar("T")
Row = Mapping[str, Any]
Writer = Callable[[Iterable[Row], TextIO, list[str]], int]

FORMATS: Mapping[str, Writer] = {"jsonl": write_jsonl, "csv": write_csv}


def writer_of(name: str) -> Writer:
    if name not in FORMATS:
        raise UsageError("config_invalid", f"There is no export format {name!r}; there are {', '.join(FORMATS)}.")
    return FORMATS[name]


def export_file(rows: Iterable[Row], name: str, path: Path, field_names: list[str]) -> int:
    """Writes the rows and returns how many."""
    writer = writer_of(name)
    return write_file(path, lambda file: writer(rows, file, field_names))


def write_file(path: Path, write: Callable[[TextIO], T]) -> T:
    """What `write` returns; the file appears under its name only when it is complete.

    What is no regular file, such as a pipe or a terminal, is written to as the text comes; BrokenPipeError is the
    caller's then.
    """
    try:
        if path.is_dir():
            raise UsageError("export_failed", f"{path} is a folder; name a file in it.")
        if path.is_relative_to("/dev") or (path.exists() and not path.is_file()):
            with path.open("a", encoding="utf-8", newline="") as file:
                return write(file)
        return _write_whole(write, Path(os.path.realpath(path)))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError("export_failed", f"{path} cannot be written: {error.strerror or error}.") from error


def _write_whole(write: Callable[[TextIO], T], path: Path) -> T:
    if path.parent.exists() and not path.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{path.parent} is not a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".scatter-export-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            written = write(file)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return written
