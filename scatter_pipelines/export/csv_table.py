"""CSV (RFC 4180): one row a document, one column a field, with the page and quote of its first evidence.

Lists are joined by `; `. A cell that a spreadsheet would run as a formula gets an apostrophe in front.
"""

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, TextIO

LEADING = ("filename", "uri", "sha256", "status", "error_code", "error_message", "pages")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
SPOOL_BYTES = 16 * 1024 * 1024


def write_csv(rows: Iterable[Mapping[str, Any]], file: TextIO, field_names: list[str]) -> int:
    """The columns of all manifests follow the leading ones, in the order in which they are met.

    The rows go through a temporary file, because the header needs to know the last row's columns.
    """
    writer = csv.writer(file, lineterminator="\r\n")
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES, "w+", encoding="utf-8", newline="\n") as spool:
        columns, written = _spool(rows, spool)
        headings = [*LEADING, *_column_headings(columns, field_names), *_headings(field_names)]
        writer.writerow(map(_cell, headings))
        spool.seek(0)
        for row in map(json.loads, spool):
            writer.writerow(map(_cell, _values(row, columns, field_names)))
    return written


def _spool(rows: Iterable[Mapping[str, Any]], spool: IO[str]) -> tuple[list[str], int]:
    columns: dict[str, None] = {}
    written = 0
    for row in rows:
        columns.update(dict.fromkeys(row["columns"]))
        spool.write(json.dumps(row, separators=(",", ":")) + "\n")
        written += 1
    return list(columns), written


def _headings(field_names: list[str]) -> list[str]:
    return [heading for name in field_names for heading in (name, f"{name}_page", f"{name}_quote")]


def _column_headings(columns: list[str], field_names: list[str]) -> Iterator[str]:
    """A manifest's column that is called like one of ours says so, so that no name is there twice."""
    ours = {*LEADING, *_headings(field_names)}
    return (f"manifest_{name}" if name in ours else name for name in columns)


def _values(row: Mapping[str, Any], columns: list[str], field_names: list[str]) -> list[Any]:
    error = row["error"] or {}
    values = [
        row["filename"],
        row["uri"],
        row["sha256"],
        row["status"],
        error.get("code"),
        error.get("message"),
        row["pages"],
    ]
    values.extend(row["columns"].get(name) for name in columns)
    for name in field_names:
        found = row["fields"].get(name, {"value": None, "evidence": []})
        first = found["evidence"][0] if found["evidence"] else {}
        values.extend((found["value"], first.get("page"), first.get("quote")))
    return values


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return str(value)
