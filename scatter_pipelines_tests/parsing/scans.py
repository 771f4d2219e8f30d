"""Scans of PDFs: each page a picture and nothing else, as a scanner without OCR leaves it."""

import io
import random
from collections.abc import Callable, Sequence

import pypdfium2 as pdfium
from PIL import Image, ImageChops
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

DPI = 200
POINTS_PER_INCH = 72


def scanned(content: bytes, pages: Sequence[int] = (0,), *, turns: int = 0, lean: float = 0.0, noise: int = 0) -> bytes:
    """Pages of a PDF as grey pictures, laid on the glass `turns` quarter turns to the left and `lean` degrees askew.

    `noise`: by how many of 256 grey levels at most a pixel is darker than it should be.
    """
    pictures = [
        picture.rotate(lean, fillcolor=255).rotate(90 * turns, expand=True) for picture in drawings(content, pages)
    ]
    return pictures_pdf([_dirty(picture, noise) if noise else picture for picture in pictures])


def drawings(content: bytes, pages: Sequence[int] = (0,)) -> list[Image.Image]:
    """Pages as grey pictures of 200 dpi."""
    with pdfium.PdfDocument(content) as document:
        return [document[index].render(scale=DPI / POINTS_PER_INCH, grayscale=True).to_pil() for index in pages]


def pictures_pdf(pictures: Sequence[Image.Image], draw: Callable[[Canvas], None] = lambda canvas: None) -> bytes:
    """A page for each picture, which fills it; `draw` adds what is to stand above it."""
    out = io.BytesIO()
    canvas = Canvas(out)
    for picture in pictures:
        width, height = (side * POINTS_PER_INCH / DPI for side in picture.size)
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(picture), 0, 0, width, height)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _dirty(picture: Image.Image, noise: int) -> Image.Image:
    """The same dirt each time."""
    grain = random.Random(noise).randbytes(picture.width * picture.height)
    dirt = Image.frombytes("L", picture.size, grain).point(lambda level: level * noise // 256)
    return ImageChops.subtract(picture, dirt)
