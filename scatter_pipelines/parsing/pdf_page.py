"""One page of a PDF through pdfium: its words, and where a reader sees them. The caller holds the lock of `pdf`."""

import ctypes
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import sub
from typing import Any

import pypdfium2.raw as pdfium

from scatter_pipelines.model.document import Box
from scatter_pipelines.parsing.pdf_characters import Token, count_doubtful, count_unreadable, tokens_by_line
from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines.parsing.superscripts import mark_in

Handle = Any
"""A pdfium pointer; pypdfium2 has no types."""

_FORCE_BOLD = 0x40000
_BOLD_WEIGHT = 600
_BOLD_NAME = re.compile(r"bold|black|heavy|demi|(?:[.,-](?:B|BI|Bd|BdIt)$)", re.IGNORECASE)
_FLOATS_IN_BOX = 4
_FEWEST_WITH_MARK = 3
_HIGHEST_IN_SIZES = 2.0
_NAME_BYTES = 256


@dataclass(frozen=True, slots=True)
class PageWords:
    """`lines` in the file's own order; `garbage` of `characters` tell nothing; `drawn`: the page has any content."""

    lines: list[Line]
    width: float
    height: float
    characters: int
    garbage: int
    drawn: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The visible part of a page (left, bottom, right, top) and its quarter turns to the right."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    def displayed(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A box of the page's own system (origin bottom left, not turned) as the reader sees it."""
        if self.turns == 1:
            return (bottom - self.bottom, left - self.left, top - self.bottom, right - self.left)
        if self.turns == 2:
            return (self.right - right, bottom - self.bottom, self.right - left, top - self.bottom)
        if self.turns == 3:
            return (self.top - top, self.right - right, self.top - bottom, self.right - left)
        return (left - self.left, self.top - top, right - self.left, self.top - bottom)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points, as displayed."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turns % 2 else (width, height)


def count_characters(text: Handle) -> int:
    """Including white space and what pdfium made up."""
    count: int = pdfium.FPDFText_CountChars(text)
    return max(count, 0)


def read_words(page: Handle, text: Handle) -> PageWords:
    """`page` and its `text` are open handles of pdfium."""
    count = count_characters(text)
    get_unicode = pdfium.FPDFText_GetUnicode
    codes = [get_unicode(text, index) for index in range(count)]
    frame = _frame(page)
    reader = _WordReader(text, frame, count)
    lines = _visible(
        [[word for token in line for word in reader.words(token)] for line in tokens_by_line(codes)], frame
    )
    characters, unreadable = count_unreadable(codes)
    drawn = count > 0 or pdfium.FPDFPage_CountObjects(page) > 0 or pdfium.FPDFPage_GetAnnotCount(page) > 0
    return PageWords(lines, *frame.size, characters, unreadable + reader.doubtful, drawn)


def _visible(lines: list[Line], frame: Frame) -> list[Line]:
    """Without the words that stand wholly beside the page; all of them if none stands on it."""
    width, height = frame.size
    inside = [
        [
            word
            for word in line
            if -word.box[2] <= 0 <= width - word.box[0] and -word.box[3] <= 0 <= height - word.box[1]
        ]
        for line in lines
    ]
    return [line for line in inside if line] or lines


def _frame(page: Handle) -> Frame:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page, box):
        box.right, box.top = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    sides = (box.left, box.bottom, box.right, box.top)
    turns = max(pdfium.FPDFPage_GetRotation(page), 0)
    return Frame(*sides, turns)


class _WordReader:
    """Looks up what pdfium knows of the characters; `doubtful` counts those that mean little."""

    def __init__(self, text: Handle, frame: Frame, count: int) -> None:
        self.doubtful = 0
        self._text = text
        self._frame = frame
        self._boxes = (pdfium.FS_RECTF * count)()
        self._floats = memoryview(self._boxes).cast("B").cast("f")
        self._styles: dict[int, tuple[float, bool]] = {}
        self._bold: dict[int, bool] = {}

    def words(self, token: Token) -> Iterator[PlacedWord]:
        """The token as a word, or as a word and the mark raised after it."""
        if pdfium.FPDFText_HasUnicodeMapError(self._text, token.first) == 1:
            self.doubtful += count_doubtful(token.text)
        size, bold = self._style(token.first)
        found = self._loose(token)
        sides = (*map(sub, found[1::4], found[3::4]), *map(sub, found[2::4], found[0::4]))
        if not max(sides) < _HIGHEST_IN_SIZES * size:
            yield PlacedWord(token.text, self._box(self._ink(token)), size, bold)
            return
        at = self._mark(token, found)
        if at:
            yield PlacedWord(token.text[:at], self._box(found[: _FLOATS_IN_BOX * at]), size, bold)
            size, bold = self._style(token.first + at)
        yield PlacedWord(token.text[at:], self._box(found[_FLOATS_IN_BOX * at :]), size, bold)

    def _mark(self, token: Token, found: list[float]) -> int:
        """Where to split; 0 on a turned page, and where a character became several letters or none."""
        if self._frame.turns or len(token.text) != token.last - token.first or len(token.text) < _FEWEST_WITH_MARK:
            return 0
        return mark_in(token.text, found[0::4], found[1::4], found[3::4])

    def _loose(self, token: Token) -> list[float]:
        """left, top, right, bottom of each character, as high as its font says."""
        get_box, text, boxes = pdfium.FPDFText_GetLooseCharBox, self._text, self._boxes
        for index in range(token.first, token.last):
            get_box(text, index, boxes[index])
        return list(self._floats[_FLOATS_IN_BOX * token.first : _FLOATS_IN_BOX * token.last])

    def _box(self, found: list[float]) -> Box:
        left, top, right, bottom = min(found[0::4]), max(found[1::4]), max(found[2::4]), min(found[3::4])
        box = self._frame.displayed(left, bottom, right, top)
        return box if all(map(math.isfinite, box)) else (0.0, 0.0, 0.0, 0.0)

    def _ink(self, token: Token) -> list[float]:
        """left, top, right, bottom of each character as drawn."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(_FLOATS_IN_BOX))
        found: list[float] = []
        for index in range(token.first, token.last):
            pdfium.FPDFText_GetCharBox(self._text, index, left, right, bottom, top)
            found += (left.value, top.value, right.value, bottom.value)
        return found

    def _style(self, index: int) -> tuple[float, bool]:
        """Size as displayed and boldness, looked up once for each text object."""
        drawn_by = pdfium.FPDFText_GetTextObject(self._text, index)
        key = _address(drawn_by)
        if key not in self._styles:
            self._styles[key] = (self._size(index), self._is_bold(drawn_by))
        return self._styles[key]

    def _is_bold(self, drawn_by: Handle) -> bool:
        font = pdfium.FPDFTextObj_GetFont(drawn_by) if drawn_by else None
        key = _address(font)
        if key not in self._bold:
            self._bold[key] = bool(font) and _is_bold(font)
        return self._bold[key]

    def _size(self, index: int) -> float:
        matrix = pdfium.FS_MATRIX()
        size: float = pdfium.FPDFText_GetFontSize(self._text, index)
        scale = math.hypot(matrix.c, matrix.d) if pdfium.FPDFText_GetMatrix(self._text, index, matrix) else 1.0
        return abs(size * scale) if math.isfinite(size * scale) else 0.0


def _address(handle: Handle) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _is_bold(font: Handle) -> bool:
    """By the font's name, flag or weight, whichever says so; not every bold font does."""
    name = ctypes.create_string_buffer(_NAME_BYTES)
    pdfium.FPDFFont_GetBaseFontName(font, name, _NAME_BYTES)
    heavy = pdfium.FPDFFont_GetFlags(font) & _FORCE_BOLD or pdfium.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT
    return bool(heavy) or _BOLD_NAME.search(name.value.decode("latin-1")) is not None


@contextmanager
def open_page(document: Handle, index: int) -> Iterator[tuple[Handle, Handle] | None]:
    """(page, its text), closed at the end; None where pdfium cannot read the page."""
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        yield None
        return
    try:
        text = pdfium.FPDFText_LoadPage(page)
        try:
            yield (page, text) if text else None
        finally:
            if text:
                pdfium.FPDFText_ClosePage(text)
    finally:
        pdfium.FPDF_ClosePage(page)
