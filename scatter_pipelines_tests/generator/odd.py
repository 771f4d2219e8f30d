"""Documents that something is wrong with, each with the error code it has to end in."""

import zlib
from typing import Literal, NamedTuple, assert_never, get_args

import pypdfium2 as pdfium

from scatter_pipelines_tests.generator.papers import draw_paper, generate_paper
from scatter_pipelines_tests.generator.pdf import paper_pdf

OddKind = Literal[
    "encrypted", "truncated", "image_only", "empty", "old_word", "pdf_named_txt", "text_named_pdf", "zero_pages"
]
ODD_KINDS: tuple[OddKind, ...] = get_args(OddKind)
PASSWORD = "open-sesame"
ODD_SEED = 4_711
"""The seed of the papers that the odd documents are made from."""

_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "WordDocument".encode("utf-16-le")


class OddDocument(NamedTuple):
    """`expected_code` is None where the document has to complete all the same."""

    filename: str
    content: bytes
    expected_code: str | None


def generate_odd(kind: OddKind) -> OddDocument:
    """`pdf_named_txt` is `generate_paper(ODD_SEED, "two_column")`, `text_named_pdf` the "text" one."""
    match kind:
        case "encrypted":
            paper = draw_paper(ODD_SEED, "one_column", brief=False)
            return OddDocument("confidential-draft.pdf", paper_pdf(paper, "one_column", PASSWORD), "encrypted")
        case "truncated":
            whole = generate_paper(ODD_SEED, "trial").content
            return OddDocument("download-interrupted.pdf", whole[: len(whole) * 2 // 5], "corrupt")
        case "image_only":
            return OddDocument("scan0001.pdf", scanned_pdf(), "no_text_layer")
        case "empty":
            return OddDocument("empty.pdf", b"", "empty")
        case "old_word":
            return OddDocument("fulltext.pdf", _OLD_WORD, "unsupported_type")
        case "pdf_named_txt":
            return OddDocument("report.txt", generate_paper(ODD_SEED, "two_column").content, None)
        case "text_named_pdf":
            return OddDocument("notes.pdf", generate_paper(ODD_SEED, "text").content, None)
        case "zero_pages":
            return OddDocument("no-pages.pdf", write_pdf([_CATALOG, _pages(0)]), "empty")
        case _:
            assert_never(kind)


def scanned_pdf() -> bytes:
    """The first page of a paper as a grey picture that fills the page, without a single character."""
    page = pdfium.PdfDocument(generate_paper(ODD_SEED, "one_column").content)[0]
    bitmap = page.render(scale=1.5, grayscale=True)
    rows = memoryview(bytes(bitmap.buffer))
    pixels = b"".join(rows[y * bitmap.stride :][: bitmap.width] for y in range(bitmap.height))
    width, height = page.get_size()
    draw = f"q {width:.2f} 0 0 {height:.2f} 0 0 cm /Scan Do Q".encode()
    picture = (
        f"/Type /XObject /Subtype /Image /Width {bitmap.width} /Height {bitmap.height} "
        "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    )
    leaf = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2f} {height:.2f}] /Contents 4 0 R "
    leaf += "/Resources << /XObject << /Scan 5 0 R >> >> >>"
    # Four grey levels are as many as a cheap scanner gives, and pack well.
    levels = bytes(value // 64 * 85 for value in range(256))
    image = _stream(picture, zlib.compress(pixels.translate(levels), 9))
    return write_pdf([_CATALOG, _pages(1), leaf.encode(), _stream("", draw), image])


def write_pdf(objects: list[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out, offsets = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    size = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%b%b" % (size, table, trailer)


_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"


def _pages(count: int) -> bytes:
    kids = b"3 0 R" if count else b""
    return b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, count)


def _stream(entries: str, data: bytes) -> bytes:
    return b"<< %b /Length %d >>\nstream\n%b\nendstream" % (entries.encode(), len(data), data)
