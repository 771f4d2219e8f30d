"""What recognisers ask of a document's tables: regions whose lines are rows, with a tab between two cells."""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.model.document import Document

_HEADER_ROWS = 3


def rows_of(document: Document) -> Iterator[list[list[tuple[str, Span]]]]:
    """Each table as rows of cells with the span of their text."""
    for region in document.regions:
        if region.kind == "table":
            text = document.pages[region.page - 1].text
            yield [_cells(text, start, end, region.page) for start, end in _lines(text, region.start, region.end)]


def columns_under(document: Document, heading: re.Pattern[str]) -> Iterator[tuple[str, Span]]:
    """(text of the heading, span of the cell) for the cells of columns whose heading matches."""
    for rows in rows_of(document):
        for index, header in enumerate(rows[:_HEADER_ROWS]):
            columns = [i for i, (text, _) in enumerate(header) if heading.search(text)]
            yield from (
                (header[i][0], row[i][1]) for row in rows[index + 1 :] for i in columns if i < len(row) and row[i][0]
            )
            if columns:
                break


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _cells(text: str, start: int, end: int, page: int) -> list[tuple[str, Span]]:
    cells: list[tuple[str, Span]] = []
    for raw in text[start:end].split("\t"):
        lead = len(raw) - len(raw.lstrip())
        cells.append((raw.strip(), Span(page, start + lead, start + lead + len(raw.strip()))))
        start += len(raw) + 1
    return cells
