"""What a document is, told from its content and never from its name. Nothing is parsed here."""

import io
import re
import struct
import zipfile
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
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = MediaType(_OFFICE + "wordprocessingml.document", "a Word document (DOCX)")
XLSX = MediaType(_OFFICE + "spreadsheetml.sheet", "an Excel workbook (XLSX)")
PPTX = MediaType(_OFFICE + "presentationml.presentation", "a PowerPoint presentation (PPTX)")
EPUB = MediaType("application/epub+zip", "an e-book (EPUB)")
ODT = MediaType("application/vnd.oasis.opendocument.text", "a text document (ODT)")
ODS = MediaType("application/vnd.oasis.opendocument.spreadsheet", "a spreadsheet (ODS)")
ODP = MediaType("application/vnd.oasis.opendocument.presentation", "a presentation (ODP)")
RTF = MediaType("application/rtf", "a rich text document (RTF)")
EML = MediaType("message/rfc822", "a mail (EML)")
MHTML = MediaType("multipart/related", "a web page saved as one file (MHTML)")
OLE = MediaType("application/x-ole-storage", "a document of an old Office program (DOC, XLS, PPT or MSG)")
ENCRYPTED_OFFICE = MediaType("application/x-ole-encrypted", "an Office document with a password")
EMPTY = MediaType("application/x-empty", "an empty file")
BINARY = MediaType("application/octet-stream", "binary data or text in an unknown encoding")

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", MediaType("image/png", "a picture (PNG)")),
    (b"\xff\xd8\xff", MediaType("image/jpeg", "a picture (JPEG)")),
    (b"GIF8", MediaType("image/gif", "a picture (GIF)")),
    (b"II*\0", MediaType("image/tiff", "a picture (TIFF)")),
    (b"MM\0*", MediaType("image/tiff", "a picture (TIFF)")),
    (b"\0\0\0\x0cjP  ", MediaType("image/jp2", "a picture (JPEG 2000)")),
    (b"{\\rtf", RTF),
    (b"%!PS", MediaType("application/postscript", "a PostScript file")),
    (b"AT&TFORM", MediaType("image/vnd.djvu", "a scanned document (DjVu)")),
    (b"\x1f\x8b", MediaType("application/gzip", "a gzip archive")),
    (b"BZh", MediaType("application/x-bzip2", "a bzip2 archive")),
    (b"\xfd7zXZ\0", MediaType("application/x-xz", "an xz archive")),
    (b"7z\xbc\xaf\x27\x1c", MediaType("application/x-7z-compressed", "a 7-Zip archive")),
    (b"Rar!\x1a\x07", MediaType("application/vnd.rar", "a RAR archive")),
    (b"SQLite format 3\0", MediaType("application/vnd.sqlite3", "an SQLite database")),
    (b"\x7fELF", MediaType("application/x-executable", "a program")),
)  # fmt: skip
_OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_IN_ZIP = (
    ("word/document", DOCX),
    ("xl/workbook.xml", XLSX),
    ("ppt/presentation", PPTX),
    ("META-INF/container.xml", EPUB),
)
_BY_MIMETYPE = (EPUB, ODT, ODS, ODP)
_LONGEST_MIMETYPE = 100
_BROKEN_ZIP = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error)
_PDF_HEADER_WITHIN = 1024
_HEAD = 4096
_OBJECT = re.compile(rb"\d\s+\d+\s+obj\b")
_PROLOGUE = re.compile(r"\s*(?:(?:<\?.*?\?>|<!--.*?-->)\s*)*", re.DOTALL)
_HTML_START = re.compile(r"<(?:!doctype\s+html|html|head|body|title|meta|div|table|script|h1|p)\b", re.IGNORECASE)
_JATS_START = re.compile(r"<(?:!doctype\s+(?:pmc-)?article|(?:pmc-)?article(?:set)?)\b", re.IGNORECASE)
_HEADER_LINE = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?: |$)|[ \t]+\S")
_MAIL_HEADERS = frozenset(("message-id", "mime-version", "received", "return-path", "delivered-to"))
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
    if content.startswith(_OLE_START):
        return ENCRYPTED_OFFICE if "EncryptedPackage".encode("utf-16-le") in content else OLE
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
    """By the names in its directory, and the `mimetype` that e-books and OpenDocument begin with."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            said = _mimetype(archive) if "mimetype" in names else ""
    except _BROKEN_ZIP:
        return _in_broken_zip(content)
    for kind in _BY_MIMETYPE:
        if said in (kind.name, f"{kind.name}-template"):
            return kind
    return next((kind for part, kind in _IN_ZIP if any(name.startswith(part) for name in names)), ZIP)


def _mimetype(archive: zipfile.ZipFile) -> str:
    with archive.open("mimetype") as part:
        return part.read(_LONGEST_MIMETYPE).decode("ascii", "replace").strip()


def _in_broken_zip(content: bytes) -> MediaType:
    """What it was before it was cut short, if its first names tell."""
    head = content[:_HEAD]
    return next((kind for part, kind in _IN_ZIP if part.encode() in head), ZIP)


def _textual(text: str | None) -> MediaType:
    if text is None:
        return BINARY
    head = text[:_HEAD]
    return _markup(head) or _mail(head) or (MARKDOWN if _looks_like_markdown(head) else PLAIN_TEXT)


def _markup(head: str) -> MediaType | None:
    prologue = _PROLOGUE.match(head)
    start = head[prologue.end() :] if prologue else head
    for pattern, kind in ((_HTML_START, HTML), (_JATS_START, JATS), (_SVG_START, SVG), (_XML_START, XML)):
        if pattern.match(start):
            return kind
    return XML if _XML_START.match(head.lstrip()) else None


def _mail(head: str) -> MediaType | None:
    """Headers from the first line on, among them one that people do not write by hand."""
    names: set[str] = set()
    for line in head.lstrip("\r\n").splitlines():
        found = _HEADER_LINE.match(line)
        if not line.strip() or found is None:
            break
        if found[1]:
            names.add(found[1].lower())
    if "from" not in names or not names & _MAIL_HEADERS:
        return None
    return MHTML if "snapshot-content-location" in names or "From: <Saved by" in head else EML


def _looks_like_markdown(head: str) -> bool:
    return len(_MARKDOWN_LINE.findall(head)) >= _MARKDOWN_LINES
