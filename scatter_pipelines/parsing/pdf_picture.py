"""A page of a PDF as a picture, and whether its text is in one. The caller holds the lock of `pdf`."""

import ctypes
from collections.abc import Iterator

import pypdfium2.raw as pdfium

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.pdf_page import Handle
from scatter_pipelines.parsing.protocol import Picture

DPI = 200
POINTS_PER_INCH = 72
MOST_PIXELS = 16_000_000
_WHITE = 0xFFFFFFFF
_BYTES_PER_PIXEL = 3
_MOST_OBJECTS = 1_000
_DEEPEST_FORM = 2


def picture_of(page: Handle) -> Picture:
    """The page as displayed, at 200 dpi or as many as fit in 16 million pixels."""
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    scale = min(DPI / POINTS_PER_INCH, (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    columns, rows = max(int(width * scale), 1), max(int(height * scale), 1)
    pixels = bytearray(columns * rows * _BYTES_PER_PIXEL)
    memory = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, pdfium.FPDFBitmap_BGR, memory, columns * _BYTES_PER_PIXEL)
    if not bitmap:
        raise DocumentError("memory_limit", f"A page of {width:g} by {height:g} points cannot be drawn.")
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, pdfium.FPDF_ANNOT)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return Picture(pixels, columns, rows, width, height)


def pictured_share(page: Handle) -> float:
    """How much of the page its largest image covers, 0 to 1."""
    area = pdfium.FPDF_GetPageWidthF(page) * pdfium.FPDF_GetPageHeightF(page)
    return max(map(_area, _images(page)), default=0.0) / area if area > 0 else 0.0


def _images(page: Handle) -> Iterator[Handle]:
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        yield from _images_in(pdfium.FPDFPage_GetObject(page, index), 0)


def _images_in(thing: Handle, depth: int) -> Iterator[Handle]:
    """The object if it is an image, or the images of a form; scanners' programs like to put them into one."""
    kind = pdfium.FPDFPageObj_GetType(thing)
    if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
        yield thing
    elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST_FORM:
        for index in range(min(pdfium.FPDFFormObj_CountObjects(thing), _MOST_OBJECTS)):
            yield from _images_in(pdfium.FPDFFormObj_GetObject(thing, index), depth + 1)


def _area(thing: Handle) -> float:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(thing, left, bottom, right, top):
        return 0.0
    return abs(right.value - left.value) * abs(top.value - bottom.value)
