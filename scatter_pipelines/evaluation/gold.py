"""Reading a gold file: one document a line of JSON, or one a row of CSV. docs/evaluation.md describes both."""

import csv
import difflib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.gold_values import read_cell, read_values
from scatter_pipelines.evaluation.rules import FieldRule
from scatter_pipelines.model.evidence import JsonValue

GOLD_BYTES = 1024**3
IDENTITY = ("sha256", "uri", "filename", "id")
"""What may say which document a line is about, in the order in which it is tried."""
CSV_SUFFIXES = (".csv", ".tsv")
_DELIMITERS = (",", ";", "\t")
_SHOWN = 10
_CELL_CHARACTERS = 10_000_000

Rules = Mapping[str, FieldRule]
Values = tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class GoldLine:
    """What one document says. `identity` has the keys that the line gives; `values` none that is empty."""

    line: int
    identity: Mapping[str, str]
    values: Mapping[str, Values]

    @property
    def name(self) -> str:
        """How a person calls it."""
        return next(self.identity[key] for key in ("filename", "id", *self.identity) if key in self.identity)


class _Refused(Exception):
    """One line that cannot be used."""


def read_gold(path: Path, rules: Rules, column: str | None = None) -> list[GoldLine]:
    """The lines in their order. `column` is a further key, of a manifest, that then alone says which document.

    Raises `UsageError`: `gold_unreadable`, or `gold_invalid` with a line of message for each of the first problems.
    """
    text = _decoded(path)
    keys = (column,) if column else IDENTITY
    read = _csv_lines if path.suffix.lower() in CSV_SUFFIXES else _json_lines
    found: list[GoldLine] = []
    problems: list[str] = []
    for number, build in read(text, path, rules, keys):
        try:
            found.append(build())
        except _Refused as problem:
            problems.append(f"{path}, line {number}: {problem}")
    problems += [f"{path}, line {line}: {message}" for line, message in _repeated(found)]
    if problems:
        more = f"\n... and {len(problems) - _SHOWN} more problems" if len(problems) > _SHOWN else ""
        raise UsageError("gold_invalid", "\n".join(problems[:_SHOWN]) + more)
    if not found:
        _refuse(path, "holds no document: it is empty")
    if not any(line.values for line in found):
        _refuse(path, "has no value in any field, so that there is nothing to compare with")
    return found


def _refuse(path: Path, message: str, line: int | None = None) -> NoReturn:
    where = f"{path}, line {line}:" if line else f"The gold file {path}"
    raise UsageError("gold_invalid", f"{where} {message}.")


def _decoded(path: Path) -> str:
    try:
        if path.stat().st_size > GOLD_BYTES:
            raise UsageError("gold_unreadable", f"The gold file {path} is larger than 1 GiB.")
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise UsageError("gold_unreadable", f"The gold file {path} cannot be read: {why}.") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        _refuse(path, "not UTF-8; save the file in that encoding", line)


Line = tuple[int, Callable[[], GoldLine]]


def _json_lines(text: str, path: Path, rules: Rules, keys: Sequence[str]) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, lambda line=line, number=number: _from_json(line, number, rules, keys)  # type: ignore[misc]


def _from_json(line: str, number: int, rules: Rules, keys: Sequence[str]) -> GoldLine:
    try:
        data = json.loads(line, object_pairs_hook=_without_twins, parse_constant=_no_constant)
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _Refused("half of a character (a lone surrogate) stands in it") from None
    except json.JSONDecodeError as error:
        raise _Refused(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError) as error:
        raise _Refused(f"not JSON that can be used: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("fields"), dict):
        raise _Refused(
            'must be an object with the document\'s name and `fields`, as in {"filename": ..., "fields": {}}'
        )
    _refuse_unknown(data["fields"], rules)
    return GoldLine(number, _identity(data, keys), _values(data["fields"], rules, read_values))


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"the key {next(name for name in names if names.count(name) > 1)!r} stands twice in one object"
        )
    return data


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no value")


def _identity(data: Mapping[str, Any], keys: Sequence[str]) -> dict[str, str]:
    found = {}
    for key in keys:
        value = data.get(key)
        if value is None or value == "":
            continue
        if isinstance(value, dict | list | bool):
            raise _Refused(f"`{key}` must be text")
        found[key] = str(value).strip()
    if not found:
        wanted = f"`{keys[0]}`" if len(keys) == 1 else f"one of {', '.join(f'`{key}`' for key in keys)}"
        raise _Refused(f"nothing says which document it is: give {wanted}")
    return found


def _values(given: Mapping[str, Any], rules: Rules, read: Callable[[FieldRule, Any], Values]) -> dict[str, Values]:
    values = {}
    for name, value in given.items():
        try:
            values[name] = read(rules[name], value)
        except ValueError as problem:
            raise _Refused(f"field {name}: {problem}") from None
    return {name: items for name, items in values.items() if items}


def _refuse_unknown(names: Mapping[str, Any] | Sequence[str], rules: Rules) -> None:
    for name in names:
        if name not in rules:
            near = difflib.get_close_matches(str(name), list(rules), n=1)
            meant = f"; did you mean `{near[0]}`?" if near else ""
            raise _Refused(f"the task's template has no field `{name}`{meant} (it has {', '.join(rules)})")


def _csv_lines(text: str, path: Path, rules: Rules, keys: Sequence[str]) -> Iterator[Line]:
    delimiter = max(_DELIMITERS, key=lambda sign: len(next(_rows(text, sign, path), (0, []))[1]))
    rows = _rows(text, delimiter, path)
    _, header = next(rows, (0, []))
    names = [name.strip() for name in header]
    if not any(names):
        return
    _check_header(names, path, rules, keys)
    for number, cells in rows:
        if any(cell.strip() for cell in cells):
            yield (
                number,
                lambda cells=cells, number=number: _from_row(names, cells, number, rules, keys),  # type: ignore[misc]
            )


def _rows(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, cells) of each row."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = 1
    try:
        while (cells := _next_row(reader)) is not None:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        _refuse(path, f"not CSV: {error}", start)


def _next_row(reader: Iterator[list[str]]) -> list[str] | None:
    """Under a limit of gold's own for a cell; Python has one for the whole process, which others go by."""
    before = csv.field_size_limit(_CELL_CHARACTERS)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(before)


def _check_header(names: Sequence[str], path: Path, rules: Rules, keys: Sequence[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        _refuse(path, f"more than one column is named `{twins[0]}`", 1)
    if not set(keys) & set(names):
        _refuse(path, f"no column says which document a row is about: name one {' or '.join(keys)}", 1)
    try:
        _refuse_unknown([name for name in names if name not in keys], rules)
    except _Refused as problem:
        _refuse(path, str(problem), 1)


def _from_row(names: Sequence[str], cells: Sequence[str], number: int, rules: Rules, keys: Sequence[str]) -> GoldLine:
    if len(cells) != len(names):
        raise _Refused(f"{len(cells)} values for {len(names)} columns")
    row = dict(zip(names, cells, strict=True))
    given = {name: cell for name, cell in row.items() if name not in keys}
    return GoldLine(number, _identity(row, keys), _values(given, rules, read_cell))


def _repeated(lines: Sequence[GoldLine]) -> Iterator[tuple[int, str]]:
    first: dict[tuple[tuple[str, str], ...], int] = {}
    for line in lines:
        key = tuple(sorted(line.identity.items()))
        if key in first:
            yield line.line, f"{line.name} stands on line {first[key]} already"
        first.setdefault(key, line.line)
