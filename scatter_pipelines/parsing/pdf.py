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
from scatter_pipelines.parsing.placed import PageLines, page_of
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.reading_order import in_reading_order

_PDFIUM = threading.Lock()
_REVISION = 2
"""Goes up with every change that makes other text or boxes of the same file."""
_MOST_GARBAGE = 0.5
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

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        with _PDFIUM, _opened(content) as document:
            total = _page_count(document, content, limits)
            reading = _Reading(limits)
            for index in range(total):
                reading.read(document, index)
                progress(index + 1, total)
            reading.check()
            pages, regions = reading.in_order()
            return Document(pages, PDF.name, f"{self.name} {self.version}", _metadata(document), regions)


@dataclass(slots=True)
class _Reading:
    """The pages read so far and what the verdict on the whole needs."""

    limits: ParseLimits
    pages: list[PageLines] = field(default_factory=list)
    characters: int = 0
    garbage: int = 0
    broken: int = 0
    drawn: bool = False
    counted: int = 0

    def read(self, document: Handle, index: int) -> None:
        with open_page(document, index) as opened:
            if opened is None:
                self.broken += 1
                self.pages.append(PageLines(index + 1, ()))
                return
            self._count(count_characters(opened[1]))
            self._keep(index + 1, read_words(*opened))

    def _count(self, characters: int) -> None:
        self.counted += characters
        if self.counted > self.limits.max_characters:
            raise DocumentError("too_large", f"More than the {self.limits.max_characters} characters allowed.")

    def _keep(self, number: int, found: PageWords) -> None:
        self.characters += found.characters
        self.garbage += found.garbage
        self.drawn = self.drawn or found.drawn
        page = PageLines(number, mended(found.lines), (found.width, found.height))
        self.pages.append(without_line_numbers(page))

    def in_order(self) -> tuple[tuple[Page, ...], tuple[Region, ...]]:
        """The pages as a reader goes through them, and what parts of them are."""
        made = [
            page_of(with_parts(replace(page, lines=in_reading_order(page.lines))))
            for page in without_furniture(self.pages)
        ]
        return tuple(page for page, _ in made), tuple(region for _, regions in made for region in regions)

    def check(self) -> None:
        """Raises where the pages in all give no text to work with."""
        if self.broken == len(self.pages):
            raise DocumentError("corrupt", f"None of the {self.broken} pages can be read: is the file complete?")
        if self.characters and self.garbage > _MOST_GARBAGE * self.characters:
            raise DocumentError(
                "unreadable_text", f"{self.garbage} of {self.characters} characters have no meaning: run OCR on it."
            )
        if not any(page.lines for page in self.pages):
            self._no_text()

    def _no_text(self) -> None:
        pages = f"{len(self.pages)} page" + "s" * (len(self.pages) > 1)
        if self.drawn:
            raise DocumentError("no_text_layer", f"{pages} with pictures or form fields but no text: run OCR on it.")
        if self.broken:
            raise DocumentError("corrupt", f"{self.broken} of {pages} cannot be read and the others are blank.")
        raise DocumentError("empty", f"{pages}, all blank.")


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
