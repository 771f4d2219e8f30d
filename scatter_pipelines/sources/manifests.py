"""Manifests: lists of documents by location, as text (`@list.txt`) or as CSV with a `uri` column."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scatter_pipelines.errors import UsageError
from scatter_pipelines.sources.uris import file_path, is_remote, printable, reason

MANIFEST_BYTES = 256 * 1024 * 1024
DELIMITERS = (",", ";", "\t")
URI = "uri"


@dataclass(frozen=True, slots=True)
class Named:
    """One document as named, before anybody looked at it."""

    location: str | Path
    columns: dict[str, str] = field(default_factory=dict)


def from_list(path: Path) -> Iterator[Named]:
    """`@list.txt`: one location a line, relative to the list; or, named .csv, a CSV with a `uri` column."""
    if path.suffix.lower() == ".csv":
        rows = manifest_rows(path)
        if rows is None:
            raise UsageError("source_invalid", f"The manifest {printable(path)} has no column `uri`.")
        yield from rows
        return
    for line in _read(path).split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            yield Named(_located(line.strip(), path.parent))


def manifest_rows(path: Path) -> list[Named] | None:
    """The rows of a CSV manifest; None where it has no `uri` column and so is a document itself."""
    text = _read(path)
    try:
        found = _header(text)
        if found is None:
            return None
        delimiter, names = found
        _refuse_twins(path, names)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        next(reader)
        return [_row(names, values, path, reader.line_num) for values in reader if any(map(str.strip, values))]
    except csv.Error as error:
        raise UsageError("source_invalid", f"The manifest {printable(path)} is not a CSV file: {error}.") from error


def _header(text: str) -> tuple[str, list[str]] | None:
    """The delimiter that makes `uri` one of the most columns, and their names."""
    found = []
    for delimiter in DELIMITERS:
        try:
            names = [name.strip() for name in next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])]
        except csv.Error:
            continue
        if URI in names:
            found.append((delimiter, names))
    return max(found, key=lambda item: len(item[1]), default=None)


def _refuse_twins(path: Path, names: Sequence[str]) -> None:
    if twins := sorted({name for name in names if name and names.count(name) > 1}):
        raise UsageError("source_invalid", f"{printable(path)} has more than one column `{printable(twins[0])}`.")


def _row(names: Sequence[str], values: Sequence[str], path: Path, line: int) -> Named:
    if any(value.strip() for value in values[len(names) :]):
        raise UsageError("source_invalid", f"{printable(path)}, line {line}: more values than the header has columns.")
    padded = [*values, *[""] * (len(names) - len(values))]
    columns = {}
    for number, (name, value) in enumerate(zip(names, padded, strict=False), start=1):
        if name or value.strip():
            columns[_text(name) or f"column_{number}"] = _text(value)
    location = padded[names.index(URI)].strip()
    if not location:
        raise UsageError("source_invalid", f"{printable(path)}, line {line}: the column `uri` is empty.")
    del columns[URI]
    return Named(_located(location, path.parent), columns)


def _text(value: str) -> str:
    """What a database can take; a file that is not UTF-8 is most likely from a Windows spreadsheet."""
    try:
        value.encode()
    except UnicodeEncodeError:
        value = value.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
    return value.replace("\x00", "")


def _located(location: str, folder: Path) -> str | Path:
    return location if is_remote(location) else folder / file_path(location)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MANIFEST_BYTES:
            raise UsageError("source_invalid", f"The manifest {printable(path)} is larger than 256 MiB.")
        return path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except (OSError, ValueError) as error:
        raise UsageError(
            "source_invalid", f"The manifest {printable(path)} cannot be read: {reason(error)}."
        ) from error
