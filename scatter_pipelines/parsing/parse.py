"""From bytes to a document: the choice of the parser by content."""

from collections.abc import Mapping

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.detect import (
    DOCX,
    EML,
    EMPTY,
    ENCRYPTED_OFFICE,
    EPUB,
    HTML,
    JATS,
    MARKDOWN,
    ODP,
    ODS,
    ODT,
    PDF,
    PLAIN_TEXT,
    PPTX,
    RTF,
    XLSX,
    MediaType,
    detect,
)
from scatter_pipelines.parsing.markup.html import HtmlParser
from scatter_pipelines.parsing.markup.jats import JatsParser
from scatter_pipelines.parsing.office.docx import DocxParser
from scatter_pipelines.parsing.office.eml import EmlParser
from scatter_pipelines.parsing.office.epub import EpubParser
from scatter_pipelines.parsing.office.opendocument import OpenDocumentParser
from scatter_pipelines.parsing.office.pptx import PptxParser
from scatter_pipelines.parsing.office.rtf import RtfParser
from scatter_pipelines.parsing.office.xlsx import XlsxParser
from scatter_pipelines.parsing.pdf import PdfParser
from scatter_pipelines.parsing.protocol import ParseLimits, Parser, PictureReader, Progress
from scatter_pipelines.parsing.service import ParsingService
from scatter_pipelines.parsing.text import TextParser

PDF_PARSER = PdfParser()
PARSERS: Mapping[MediaType, Parser] = {
    PDF: PDF_PARSER,
    PLAIN_TEXT: TextParser(PLAIN_TEXT),
    MARKDOWN: TextParser(MARKDOWN),
    HTML: HtmlParser(),
    JATS: JatsParser(),
    DOCX: DocxParser(),
    PPTX: PptxParser(),
    XLSX: XlsxParser(),
    EPUB: EpubParser(),
    ODT: OpenDocumentParser(ODT),
    ODS: OpenDocumentParser(ODS),
    ODP: OpenDocumentParser(ODP),
    EML: EmlParser(),
    RTF: RtfParser(),
}


def parse_document(
    content: bytes, *, limits: ParseLimits, progress: Progress, ocr: PictureReader | None = None
) -> Document:
    """Raises `DocumentError` of stage `parse` (or `too_large`) and what `progress` or `ocr` raises, nothing else."""
    kind = detect(content)
    if kind == EMPTY:
        raise DocumentError("empty", "The document has zero bytes.")
    if kind == ENCRYPTED_OFFICE:
        raise DocumentError(
            "encrypted", "The Office document needs a password: save a copy without it and submit that."
        )
    if kind not in PARSERS:
        raise DocumentError(
            "unsupported_type", f"This is {kind.title}. Save or convert it as PDF, DOCX, HTML or plain text."
        )
    if kind == PDF:
        return PDF_PARSER.parse(content, limits=limits, progress=progress, ocr=ocr)
    return PARSERS[kind].parse(content, limits=limits, progress=progress)


def parser_version(service: ParsingService | None = None, service_version: str = "") -> str:
    """All parsers with their versions, for a cache key: the same string means the same documents come out.

    A service counts with what is made of its answers and, where it was asked, with its own version.
    """
    names = {f"{parser.name} {parser.version}" for parser in PARSERS.values()}
    if service is not None:
        names.add(
            " ".join(filter(None, (service.name, str(service.revision), service_version and f"({service_version})")))
        )
    return "; ".join(sorted(names))
