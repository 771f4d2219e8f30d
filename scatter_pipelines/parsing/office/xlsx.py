"""XLSX through python-calamine: a page a sheet, a line a row. Of a formula its value as last calculated."""

import datetime
import io
import re
from importlib.metadata import version as version_of

import python_calamine

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.archive import Archive
from scatter_pipelines.parsing.detect import XLSX
from scatter_pipelines.parsing.office.ooxml import properties
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned

_MOST_CELLS = 5_000_000
_REFERENCE = re.compile(rb"""<(?:\w+:)?(?:c|row)\s[^<]*?\br\s*=\s*["']([^"']*)""")
_PLACE = re.compile(rb"([A-Z]{0,3})(\d{1,7})")


class XlsxParser:
    """Codes raised: empty, corrupt, encrypted, too_large. Hidden sheets count."""

    name = "xlsx"
    version = f"1 (python-calamine {version_of('python-calamine')})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        archive = Archive(content)
        _check_extent(archive)
        writer = Sectioned(limits, progress)
        try:
            book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
            for name in book.sheet_names:
                _write_sheet(writer, book, name)
        except python_calamine.CalamineError as error:
            raise DocumentError("corrupt", f"The workbook cannot be read ({error}): save it again.") from error
        return writer.finish(XLSX.name, f"{self.name} {self.version}", properties(archive))


def _check_extent(archive: Archive) -> None:
    """A sheet is held in memory as a rectangle: two cells far from one another must not fill it."""
    for name in archive.names():
        content = archive.read(name)
        if name.endswith(".xml") and b"\0" in content:
            raise DocumentError("corrupt", "The workbook's XML is in an encoding that is not read: save it again.")
        rows = columns = 1
        for reference in _REFERENCE.findall(content):
            place = _PLACE.fullmatch(reference)
            if place is None:
                raise DocumentError("corrupt", "A cell of the workbook has no place that can be: save it again.")
            rows, columns = max(rows, int(place[2])), max(columns, _number(place[1]))
        if rows * columns > _MOST_CELLS:
            raise DocumentError("too_large", f"A sheet of {rows} rows and {columns} columns is more than is allowed.")


def _number(column: bytes) -> int:
    number = 0
    for letter in column:
        number = number * 26 + letter - 64
    return number


def _write_sheet(writer: Sectioned, book: python_calamine.CalamineWorkbook, name: str) -> None:
    """An empty sheet is a page with its name alone."""
    writer.new_page()
    writer.block(name, "heading", level=1)
    mark = writer.mark()
    for row in book.get_sheet_by_name(name).iter_rows():
        writer.row(map(shown, row))
    writer.close("table", mark)


def shown(value: object) -> str:
    """As a reader sees it: whole numbers without a point, dates without a midnight."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return str(value).upper() if isinstance(value, bool) else str(value)
