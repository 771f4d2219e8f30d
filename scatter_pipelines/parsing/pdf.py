"""PDF through pdfium: pages of text and the box of every word. The order of lines is decided in `reading_order`.

pdfium is not safe to use from two threads, so one lock of this module is held for the whole of a parse, `progress`
included: threads take turns. Only a process that can be killed protects from a file on which pdfium hangs.
"""

import ctypes
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import pypdfium2.raw as pdfium
from pypdfium2.version import PDFIUM_INFO, PYPDFIUM_INFO

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document, Page, Region
from scatter_pipelines.parsing.detect import PDF
from scatter_pipelines.parsing.furniture import without_furniture
from scatter_pipelines.parsing.line_numbers import without_line_numbers
from scatter_pipelines.parsing.lines import mended
from scatter_pipelines.parsing.parts import with_parts
from scatter_pipelines.parsing.pdf_page import Handle, PageWords, count_characters, open_page, read_words
from scatter_pipelines.parsing.pdf_picture import picture_of, pictured_share
from scatter_pipelines.parsing.placed import PageLines, page_of
from scatter_pipelines.parsing.protocol import ParseLimits, Picture, PictureReader, Progress
from scatter_pipelines.parsing.reading_order import in_reading_order

_PDFIUM = threading.Lock()
_REVISION = 3
"""Goes up with every change that makes other text or boxes of the same file."""
_MOST_GARBAGE = 0.5
_MOST_WORDS_BESIDE_PICTURE = 20
_PICTURED = 0.5
_METADATA = ("Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate")
_LONGEST_METADATA = 4_000
_PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")
_UNKNOWN_ENCRYPTION = "The PDF is encrypted in a way that cannot be opened: save an open copy and submit that."


class PdfParser:
    """Codes raised: encrypted, corrupt, empty, no_text_layer, unreadable_text, too_large.

    A page that cannot be read stays as a page without text, as long as another one can be.
    """

    name = "pdfium"
    version = f"{_REVISION} (pypdfium2 {PYPDFIUM_INFO.tag}, pdfium {PDFIUM_INFO.tag})"

    def parse(
        self, content: bytes, *, limits: ParseLimits, progress: Progress, ocr: PictureReader | None = None
    ) -> Document:
        """With `ocr`, pages whose text is in a picture or says nothing are read by it."""
        with _PDFIUM, _opened(content) as document:
            total = _page_count(document, content, limits)
            reading = _Reading(limits)
            for index in range(total):
                reading.read(document, index)
                progress(index + 1, total)
            if ocr is not None and reading.unread:
                reading.read_pictures(document, ocr)
            reading.check()
            pages, regions = reading.in_order()
            return Document(
                pages, PDF.name, f"{self.name} {self.version}", _metadata(document), regions,
                unread=tuple(reading.unread),
            )  # fmt: skip


@dataclass(slots=True)
class _Reading:
    """The pages read so far and what the verdict on the whole needs; `unread` have content but no text."""

    limits: ParseLimits
    pages: list[PageLines] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    meanings: dict[int, tuple[int, int]] = field(default_factory=dict)
    broken: int = 0
    drawn: bool = False
    counted: int = 0
    by_ocr: bool = False

    def read(self, document: Handle, index: int) -> None:
        with open_page(document, index) as opened:
            if opened is None:
                self.broken += 1
                self.pages.append(PageLines(index + 1, ()))
                return
            self._count(count_characters(opened[1]))
            found = read_words(*opened)
            if _is_garbage(found) or _is_picture(opened[0], found):
                self.unread.append(index + 1)
            self._keep(index + 1, found)

    def _count(self, characters: int) -> None:
        self.counted += characters
        if self.counted > self.limits.max_characters:
            raise DocumentError("too_large", f"More than the {self.limits.max_characters} characters allowed.")

    def _keep(self, number: int, found: PageWords) -> None:
        """Without the text of a page that is mostly garbage."""
        self.meanings[number] = (found.characters, found.garbage)
        self.drawn = self.drawn or found.drawn
        lines = () if _is_garbage(found) else mended(found.lines)
        self.pages.append(without_line_numbers(PageLines(number, lines, (found.width, found.height))))

    def read_pictures(self, document: Handle, ocr: PictureReader) -> None:
        """Pages in whose picture OCR finds nothing keep what they have."""
        self.by_ocr = True
        ocr.begin(len(self.unread))
        for number in tuple(self.unread):
            lines = ocr.read(number, partial(_picture, document, number - 1))
            if lines:
                self.unread.remove(number)
                self.meanings.pop(number)
                page = replace(self.pages[number - 1], lines=mended(lines), ocr=True)
                self.pages[number - 1] = without_line_numbers(page)

    def in_order(self) -> tuple[tuple[Page, ...], tuple[Region, ...]]:
        """The pages as a reader goes through them, and what parts of them are."""
        made = [page_of(with_parts(_ordered(page))) for page in without_furniture(self.pages)]
        return tuple(page for page, _ in made), tuple(region for _, regions in made for region in regions)

    def check(self) -> None:
        """Raises where the pages in all give no text to work with."""
        if self.broken == len(self.pages):
            raise DocumentError("corrupt", f"None of the {self.broken} pages can be read: is the file complete?")
        characters, garbage = (sum(column) for column in zip((0, 0), *self.meanings.values(), strict=True))
        if garbage > _MOST_GARBAGE * characters:
            raise DocumentError("unreadable_text", f"{garbage} of {characters} characters have no meaning.")
        if not any(page.lines for page in self.pages):
            self._no_text()

    def _no_text(self) -> None:
        pages = f"{len(self.pages)} page" + "s" * (len(self.pages) > 1)
        if self.drawn:
            found = "in which OCR found no text" if self.by_ocr else "but no text"
            raise DocumentError("no_text_layer", f"{pages} with pictures or form fields, {found}.")
        if self.broken:
            raise DocumentError("corrupt", f"{self.broken} of {pages} cannot be read and the others are blank.")
        raise DocumentError("empty", f"{pages}, all blank.")


def _ordered(page: PageLines) -> PageLines:
    """OCR gives its lines in order."""
    return page if page.ocr else replace(page, lines=in_reading_order(page.lines))


def _is_garbage(found: PageWords) -> bool:
    return found.garbage > _MOST_GARBAGE * found.characters


def _is_picture(page: Handle, found: PageWords) -> bool:
    """Whether there is content but no text, or hardly any beside an image that covers most of the page."""
    if not found.lines:
        return found.drawn
    words = sum(map(len, found.lines))
    return words <= _MOST_WORDS_BESIDE_PICTURE and pictured_share(page) >= _PICTURED


def _picture(document: Handle, index: int) -> Picture:
    with open_page(document, index) as opened:
        if opened is None:
            raise DocumentError("corrupt", f"Page {index + 1} cannot be read again.")
        return picture_of(opened[0])


@contextmanager
def _opened(content: bytes) -> Iterator[Handle]:
    if not content:
        raise DocumentError("empty", "The document has zero bytes.")
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        raise _refusal(pdfium.FPDF_GetLastError())
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _refusal(error: int) -> DocumentError:
    if error == pdfium.FPDF_ERR_PASSWORD:
        return DocumentError("encrypted", "The PDF needs a password: save a copy without it and submit that.")
    if error == pdfium.FPDF_ERR_SECURITY:
        return DocumentError("encrypted", _UNKNOWN_ENCRYPTION)
    return DocumentError("corrupt", f"The PDF cannot be opened (pdfium error {error}): is the file complete?")


def _page_count(document: Handle, content: bytes, limits: ParseLimits) -> int:
    total: int = pdfium.FPDF_GetPageCount(document)
    if total <= 0:
        raise _without_pages(document, content)
    if total > limits.max_pages:
        raise DocumentError("too_large", f"{total} pages, more than the {limits.max_pages} allowed.")
    return total


def _without_pages(document: Handle, content: bytes) -> DocumentError:
    if pdfium.FPDF_GetSecurityHandlerRevision(document) >= 0:
        return DocumentError("encrypted", _UNKNOWN_ENCRYPTION)
    if _PAGE_OBJECT.search(content):
        return DocumentError("corrupt", "The PDF holds pages but its table of pages is broken: is the file complete?")
    return DocumentError("empty", "The PDF has no pages.")


def _metadata(document: Handle) -> Mapping[str, str]:
    """By PDF's own names in lower case; only what the file has."""
    found = ((name.lower(), _metadata_value(document, name)) for name in _METADATA)
    return {name: value for name, value in found if value}


def _metadata_value(document: Handle, name: str) -> str:
    tag = name.encode("ascii")
    size = pdfium.FPDF_GetMetaText(document, tag, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_GetMetaText(document, tag, buffer, size)
    text = buffer.raw.decode("utf-16-le", "ignore")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_METADATA]
