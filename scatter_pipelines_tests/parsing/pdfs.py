"""Small PDFs for tests, drawn with reportlab or written by hand."""

import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from unicodedata import category

from reportlab.lib import pdfencrypt
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines.model.document import Document, Page
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits

WIDTH, HEIGHT = 595.0, 842.0
LEFT, RIGHT = 60.0, 310.0
LEADING = 12.0
FONT = "/Type /Font /Subtype /Type1 /BaseFont /Helvetica"


def parse(content: bytes, limits: ParseLimits | None = None) -> Document:
    return parse_document(content, limits=limits or ParseLimits(), progress=lambda done, total: None)


def drawn(*pages: Callable[[Canvas], None], password: str | None = None, owner: str = "owner") -> bytes:
    """One page for each function, which draws it in 9-point Helvetica; origin bottom left."""
    out = io.BytesIO()
    lock = pdfencrypt.StandardEncryption(password, owner, strength=128) if password is not None else None
    canvas = Canvas(out, pagesize=(WIDTH, HEIGHT), encrypt=lock)
    for draw in pages:
        canvas.setFont("Helvetica", 9)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def says(*lines: str) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        column(canvas, lines, LEFT, HEIGHT - 80)

    return draw


def column(canvas: Canvas, lines: Sequence[str], x: float, top: float) -> None:
    for row, line in enumerate(lines):
        canvas.drawString(x, top - row * LEADING, line)


def prose(name: str, rows: int) -> list[str]:
    """Lines of nearly one width, no two alike."""
    numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return [
        f"{name} {numbers[row % 12]} {numbers[row // 12]} fills its column with quite some words" for row in range(rows)
    ]


def raw_pdf(stream: bytes, page: str = "", font: str = FONT, to_unicode: bytes = b"") -> bytes:
    """One page 200 by 100 whose content is `stream`; `page` replaces its size, `to_unicode` is a CMap for the font."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {page or '/MediaBox [0 0 200 100]'} /Contents 5 0 R"
        " /Resources << /Font << /F1 4 0 R >> >> >>".encode(),
        f"<< {font} {'/ToUnicode 6 0 R' if to_unicode else ''} >>".encode(),
        stream_object(stream),
        stream_object(to_unicode),
    ]
    return assembled(objects)


def stream_object(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


def assembled(objects: Sequence[bytes]) -> bytes:
    """Numbers the objects from 1, writes the cross-reference table; the first is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def words_of(page: Page) -> list[str]:
    return [page.text[word.start : word.end] for word in page.words]


def assert_partitioned(page: Page) -> None:
    """Every character that is no white space lies in exactly one word, and words come in order."""
    covered = [at for word in page.words for at in range(word.start, word.end)]
    assert covered == [at for at, character in enumerate(page.text) if not character.isspace()]
    assert all(before.end < after.start for before, after in pairwise(page.words))
    page.text.encode("utf-8")
    assert all(character in "\n\t" or category(character) not in ("Cc", "Cs") for character in page.text)
