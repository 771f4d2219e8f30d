"""How well pages are read by OCR, against their own text layer: by place, so that the order of lines plays no part.

For each line of the text layer the words that OCR found inside its box are put side by side with it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import pypdfium2 as pdfium
from rapidfuzz.distance import Levenshtein

from scatter_pipelines.model.document import Page
from scatter_pipelines.parsing.ocr.engine import Engine
from scatter_pipelines.parsing.pdf_picture import picture_of
from scatter_pipelines.parsing.placed import Line, PlacedWord

_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")
_ALIKE = str.maketrans({"–": "-", "—": "-", "−": "-", "’": "'", "‘": "'", "“": '"', "”": '"'})
_SLACK = 2.0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Characters and numbers of the text layer, and how many of them OCR has wrong or not at all."""

    characters: int = 0
    errors: int = 0
    numbers: int = 0
    missed: int = 0

    def __add__(self, other: "Accuracy") -> "Accuracy":
        return Accuracy(
            self.characters + other.characters,
            self.errors + other.errors,
            self.numbers + other.numbers,
            self.missed + other.missed,
        )


def accuracy(engine: Engine, content: bytes, page: Page) -> Accuracy:
    """Of one page, drawn at 200 dpi; `page` is the same one as its text layer has it."""
    with pdfium.PdfDocument(content) as document:
        opened = document[page.number - 1]
        read = engine.read(picture_of(opened.raw))
    words = [word for line in read for word in line]
    pairs = [(_folded(_text(line)), _folded(_text(_inside(words, line)))) for line in lines_of(page)]
    whole, found = (Counter(_NUMBER.findall(_folded(text))) for text in (page.text, " ".join(map(_text, read))))
    return Accuracy(
        sum(len(_squeezed(wanted)) for wanted, _ in pairs),
        sum(Levenshtein.distance(_squeezed(wanted), _squeezed(got)) for wanted, got in pairs),
        whole.total(),
        (whole - found).total(),
    )


def lines_of(page: Page) -> list[Line]:
    placed = [
        (page.text.count("\n", 0, word.start), PlacedWord(page.text[word.start : word.end], word.box, 0.0, bold=False))
        for word in page.words
    ]
    return [[word for _, word in line] for _, line in groupby(placed, key=lambda pair: pair[0])]


def _inside(words: Sequence[PlacedWord], line: Line) -> list[PlacedWord]:
    left, right = min(word.box[0] for word in line) - _SLACK, max(word.box[2] for word in line) + _SLACK
    top, bottom = min(word.box[1] for word in line), max(word.box[3] for word in line)
    middles = [((word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2, word) for word in words]
    there = [word for x, y, word in middles if left <= x <= right and top <= y <= bottom]
    return sorted(there, key=lambda word: word.box[0])


def _text(words: Sequence[PlacedWord]) -> str:
    return " ".join(word.text for word in words)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_ALIKE)
