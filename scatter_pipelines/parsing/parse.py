"""From bytes to a document: the choice of the parser by content."""

from collections.abc import Mapping

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.detect import EMPTY, MARKDOWN, PDF, PLAIN_TEXT, MediaType, detect
from scatter_pipelines.parsing.pdf import PdfParser
from scatter_pipelines.parsing.protocol import ParseLimits, Parser, Progress
from scatter_pipelines.parsing.service import ParsingService
from scatter_pipelines.parsing.text import TextParser

PARSERS: Mapping[MediaType, Parser] = {
    PDF: PdfParser(),
    PLAIN_TEXT: TextParser(PLAIN_TEXT),
    MARKDOWN: TextParser(MARKDOWN),
}


def parse_document(content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
    """Raises `DocumentError` of stage `parse` (or `too_large`) and what `progress` raises, nothing else."""
    kind = detect(content)
    if kind == EMPTY:
        raise DocumentError("empty", "The document has zero bytes.")
    if kind not in PARSERS:
        raise DocumentError(
            "unsupported_type", f"This is {kind.title}. Convert the document to PDF, plain text or Markdown."
        )
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
