"""What a document is, told from its content and never from its name. Nothing is parsed here."""

import re
from dataclasses import dataclass

from scatter_pipelines.parsing.decoding import decode_text


@dataclass(frozen=True, slots=True)
class MediaType:
    """`name` is the IANA name (or the usual x- one); `title` fits into "this is ..."."""

    name: str
    title: str


PDF = MediaType("application/pdf", "a PDF")
PLAIN_TEXT = MediaType("text/plain", "plain text")
MARKDOWN = MediaType("text/markdown", "Markdown")
HTML = MediaType("text/html", "a web page (HTML)")
JATS = MediaType("application/jats+xml", "an article in XML (JATS)")
SVG = MediaType("image/svg+xml", "a drawing (SVG)")
XML = MediaType("application/xml", "an XML file")
ZIP = MediaType("application/zip", "a ZIP archive")
EMPTY = MediaType("application/x-empty", "an empty file")
BINARY = MediaType("application/octet-stream", "binary data or text in an unknown encoding")

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", MediaType("image/png", "a picture (PNG)")),
    (b"\xff\xd8\xff", MediaType("image/jpeg", "a picture (JPEG)")),
    (b"GIF8", MediaType("image/gif", "a picture (GIF)")),
    (b"II*\0", MediaType("image/tiff", "a picture (TIFF)")),
    (b"MM\0*", MediaType("image/tiff", "a picture (TIFF)")),
    (b"\0\0\0\x0cjP  ", MediaType("image/jp2", "a picture (JPEG 2000)")),
    (b"{\\rtf", MediaType("application/rtf", "a rich text document (RTF)")),
    (b"%!PS", MediaType("application/postscript", "a PostScript file")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", MediaType("application/x-ole-storage", "an old Office document (DOC)")),
    (b"AT&TFORM", MediaType("image/vnd.djvu", "a scanned document (DjVu)")),
    (b"\x1f\x8b", MediaType("application/gzip", "a gzip archive")),
    (b"BZh", MediaType("application/x-bzip2", "a bzip2 archive")),
    (b"\xfd7zXZ\0", MediaType("application/x-xz", "an xz archive")),
    (b"7z\xbc\xaf\x27\x1c", MediaType("application/x-7z-compressed", "a 7-Zip archive")),
    (b"Rar!\x1a\x07", MediaType("application/vnd.rar", "a RAR archive")),
    (b"SQLite format 3\0", MediaType("application/vnd.sqlite3", "an SQLite database")),
    (b"\x7fELF", MediaType("application/x-executable", "a program")),
)  # fmt: skip
_OFFICE = "application/vnd.openxmlformats-officedocument."
_IN_ZIP = (
    (b"word/document", MediaType(_OFFICE + "wordprocessingml.document", "a Word document (DOCX)")),
    (b"xl/workbook", MediaType(_OFFICE + "spreadsheetml.sheet", "an Excel workbook (XLSX)")),
    (b"ppt/presentation", MediaType(_OFFICE + "presentationml.presentation", "a PowerPoint presentation (PPTX)")),
    (b"application/epub+zip", MediaType("application/epub+zip", "an e-book (EPUB)")),
    (b"application/vnd.oasis.opendocument", MediaType("application/vnd.oasis.opendocument", "an OpenDocument file")),
)  # fmt: skip
_PDF_HEADER_WITHIN = 1024
_HEAD = 4096
_ZIP_DIRECTORY = 65_536
_OBJECT = re.compile(rb"\d\s+\d+\s+obj\b")
_PROLOGUE = re.compile(r"\s*(?:(?:<\?.*?\?>|<!--.*?-->)\s*)*", re.DOTALL)
_HTML_START = re.compile(r"<(?:!doctype\s+html|html|head|body|title|meta|div|table|script|h1|p)\b", re.IGNORECASE)
_JATS_START = re.compile(r"<(?:!doctype\s+(?:pmc-)?article|(?:pmc-)?article(?:set)?)\b", re.IGNORECASE)
_SVG_START = re.compile(r"<(?:!doctype\s+svg|svg)\b", re.IGNORECASE)
_XML_START = re.compile(r"<\?xml\b|<!doctype\b|<(\w[\w:.-]*)[^<>]*\bxmlns\b", re.IGNORECASE)
_MARKDOWN_LINE = re.compile(
    r"^(?:#{1,6} \S.*|```.*|> .*|\s*[-*+] \S.*|\|.*\|\s*|={3,}|-{3,})$|\[[^\]\n]+\]\([^)\n]+\)|\*\*\S", re.MULTILINE
)
_MARKDOWN_LINES = 2


def detect(content: bytes) -> MediaType:
    """The kind of `content`; `BINARY` for what is not recognised. Costs a decoding for text, little for the rest."""
    if not content:
        return EMPTY
    return _binary(content) or _textual(decode_text(content))


def _binary(content: bytes) -> MediaType | None:
    if _is_pdf(content):
        return PDF
    if content.startswith(b"PK\x03\x04"):
        return _in_zip(content)
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return MediaType("image/webp", "a picture (WebP)")
    return next((kind for signature, kind in _SIGNATURES if content.startswith(signature)), None)


def _is_pdf(content: bytes) -> bool:
    """A header that is not at the start counts only if PDF objects follow: a text may well speak of "%PDF-"."""
    at = content.find(b"%PDF-", 0, _PDF_HEADER_WITHIN)
    if at < 0:
        return False
    return not content[:at].strip(b"\xef\xbb\xbf\0\t\r\n\f ") or _OBJECT.search(content, at) is not None


def _in_zip(content: bytes) -> MediaType:
    names = content[:_HEAD] + content[-_ZIP_DIRECTORY:]
    return next((kind for name, kind in _IN_ZIP if name in names), ZIP)


def _textual(text: str | None) -> MediaType:
    if text is None:
        return BINARY
    head = text[:_HEAD]
    return _markup(head) or (MARKDOWN if _looks_like_markdown(head) else PLAIN_TEXT)


def _markup(head: str) -> MediaType | None:
    prologue = _PROLOGUE.match(head)
    start = head[prologue.end() :] if prologue else head
    for pattern, kind in ((_HTML_START, HTML), (_JATS_START, JATS), (_SVG_START, SVG), (_XML_START, XML)):
        if pattern.match(start):
            return kind
    return XML if _XML_START.match(head.lstrip()) else None


def _looks_like_markdown(head: str) -> bool:
    return len(_MARKDOWN_LINE.findall(head)) >= _MARKDOWN_LINES
