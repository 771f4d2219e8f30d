"""Scans of PDFs: each page a picture and nothing else, as a scanner without OCR leaves it."""

import io
import random
from collections.abc import Callable, Sequence

import pypdfium2 as pdfium
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

DPI = 200
POINTS_PER_INCH = 72


def scanned(content: bytes, pages: Sequence[int] = (0,), *, turns: int = 0, lean: float = 0.0, noise: int = 0) -> bytes:
    """Pages of a PDF as grey pictures, laid on the glass `turns` quarter turns to the left and `lean` degrees askew.

    `noise`: by how many grey levels at most a pixel is off.
    """
    pictures = []
    with pdfium.PdfDocument(content) as document:
        for index in pages:
            picture = document[index].render(scale=DPI / POINTS_PER_INCH, grayscale=True).to_pil()
            pictures.append(_noisy(picture.rotate(lean, fillcolor=255).rotate(90 * turns, expand=True), noise))
    return pictures_pdf(pictures)


def pictures_pdf(pictures: Sequence[Image.Image], draw: Callable[[Canvas], None] = lambda canvas: None) -> bytes:
    """A page for each picture, which fills it; `draw` adds what is to stand above it."""
    out = io.BytesIO()
    canvas = Canvas(out)
    for picture in pictures:
        size = tuple(side * POINTS_PER_INCH / DPI for side in picture.size)
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(picture), 0, 0, *size)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _noisy(picture: Image.Image, noise: int) -> Image.Image:
    if not noise:
        return picture
    dice = random.Random(noise)
    return picture.point(lambda level: level).convert("L").point(lambda level: max(0, level - dice.randrange(noise)))
