"""JSON Lines: one result a line, with all evidence (https://jsonlines.org)."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO


def write_jsonl(rows: Iterable[Mapping[str, Any]], file: TextIO, field_names: list[str]) -> int:
    """Writes every row whole; `field_names` is not needed, since a line names its own fields."""
    written = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False, separators=(", ", ": ")) + "\n")
        written += 1
    return written
