"""What parts of a page are, where its layout says so: tables as rows, and captions."""

from dataclasses import replace

from scatter_pipelines.parsing.placed import Line, PageLines, Part
from scatter_pipelines.parsing.tables import rows_of, tables_in


def with_parts(page: PageLines) -> PageLines:
    """The page with its tables' lines as rows, and with its parts."""
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
    return replace(page, lines=[*lines, *page.lines[done:]], parts=parts)
