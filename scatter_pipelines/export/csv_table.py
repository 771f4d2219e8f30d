"""CSV (RFC 4180): one row a document, one column a field, with the page and quote of its first evidence.

Lists are joined by `; `. A cell that a spreadsheet would run as a formula gets an apostrophe in front.
"""

import csv
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

LEADING = ("filename", "uri", "sha256", "status", "error_code", "error_message", "pages")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(rows: Iterable[Mapping[str, Any]], file: TextIO, field_names: list[str]) -> int:
    """The columns of the first row's manifest follow the leading ones; a later row's further columns are left out."""
    writer = csv.writer(file, lineterminator="\r\n")
    written = 0
    columns: list[str] = []
    for row in rows:
        if written == 0:
            columns = list(row["columns"])
            writer.writerow([*LEADING, *columns, *_headings(field_names)])
        writer.writerow(map(_cell, _values(row, columns, field_names)))
        written += 1
    if written == 0:
        writer.writerow([*LEADING, *_headings(field_names)])
    return written


def _headings(field_names: list[str]) -> list[str]:
    return [heading for name in field_names for heading in (name, f"{name}_page", f"{name}_quote")]


def _values(row: Mapping[str, Any], columns: list[str], field_names: list[str]) -> list[Any]:
    error = row["error"] or {}
    values = [row["filename"], row["uri"], row["sha256"], row["status"], error.get("code"), error.get("message"), row["pages"]]
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
