"""Which formats there are, and writing a file whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from scatter_pipelines.errors import UsageError
from scatter_pipelines.export.csv_table import write_csv
from scatter_pipelines.export.jsonl import write_jsonl

Row = Mapping[str, Any]
Writer = Callable[[Iterable[Row], TextIO, list[str]], int]

FORMATS: Mapping[str, Writer] = {"jsonl": write_jsonl, "csv": write_csv}


def writer_of(name: str) -> Writer:
    if name not in FORMATS:
        raise UsageError("config_invalid", f"There is no export format {name!r}; there are {', '.join(FORMATS)}.")
    return FORMATS[name]


def export_file(rows: Iterable[Row], name: str, path: Path, field_names: list[str]) -> int:
    """Writes the rows and returns how many; the file appears under its name only when it is complete."""
    writer = writer_of(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError("export_failed", f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            written = writer(rows, file, field_names)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except OSError as error:
        raise UsageError("export_failed", f"{path} cannot be written: {error.strerror}.") from error
    finally:
        Path(temporary).unlink(missing_ok=True)
    return written
