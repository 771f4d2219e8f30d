"""What parts of a page are, where its layout says so: tables as rows, captions and foot notes."""

from collections.abc import Sequence
from dataclasses import replace

from scatter_pipelines.parsing.captions import captions_in, footnotes_in
from scatter_pipelines.parsing.placed import Line, PageLines, Part
from scatter_pipelines.parsing.tables import rows_of, tables_in


def with_parts(page: PageLines) -> PageLines:
    """The page with its tables' lines as rows, and with its parts, none within another."""
    lines: list[Line] = []
    parts: list[Part] = []
    done = 0
    for table in tables_in(page.lines):
        lines += page.lines[done : table.start]
        rows = rows_of(page.lines[table.start : table.end])
        parts.append(Part("caption", len(lines) - (table.start - table.caption), len(lines)))
        parts.append(Part("table", len(lines), len(lines) + len(rows)))
        lines += rows
        done = table.end
    lines += page.lines[done:]
    for part in (*captions_in(lines), *footnotes_in(lines, page.size[1])):
        parts += [] if _touches(part, parts) else [part]
    return replace(page, lines=lines, parts=sorted(parts, key=lambda part: part.start))


def _touches(part: Part, others: Sequence[Part]) -> bool:
    return any(part.start < other.end and other.start < part.end for other in others)
