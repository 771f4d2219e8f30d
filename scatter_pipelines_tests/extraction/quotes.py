"""Whether quotes stand where the evidence says, asked of another PDF library (pdfplumber, with a parser of its own)."""

import io
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pdfplumber

from scatter_pipelines.model.document import Box
from scatter_pipelines.model.evidence import Evidence, Fields

NEARLY = 0.98
"""Share of a quote's letters that the other library must have in the box: the two do not read all signs alike."""
SLACK = 1.0
"""Points by which the two may differ on where a letter stands."""


@dataclass(frozen=True, slots=True)
class Check:
    """A quote, and what the other library has in its box."""

    field: str
    evidence: Evidence
    there: str

    @property
    def holds(self) -> bool:
        """Whether the box has all letters of the quote, as often."""
        wanted, there = Counter(letters(self.evidence.quote)), Counter(letters(self.there))
        return (wanted & there).total() >= NEARLY * wanted.total()


def letters(text: str) -> str:
    """Letters and digits alone, ligatures taken apart, without marks above them."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text).casefold() if sign.isalnum())


def checks(content: bytes, fields: Fields) -> Iterator[Check]:
    """One for each piece of evidence that has a box."""
    with pdfplumber.open(io.BytesIO(content)) as document:
        for name, field in fields.items():
            for evidence in field.evidence:
                if evidence.bbox is not None:
                    yield Check(name, evidence, _text_in(document.pages[evidence.page - 1], evidence.bbox))


def _text_in(page: Any, box: Box) -> str:
    """Of the letters whose middle is in the box."""
    left, top = page.cropbox[:2]
    return "".join(
        char["text"]
        for char in page.chars
        if box[0] - SLACK <= (char["x0"] + char["x1"]) / 2 - left <= box[2] + SLACK
        and box[1] - SLACK <= (char["top"] + char["bottom"]) / 2 - top <= box[3] + SLACK
    )
