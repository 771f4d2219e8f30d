"""How much of an article's JATS stands unbroken, and in order, in a text taken from its PDF.

White space, punctuation and case do not count, nor do tables, figures and formulas.
"""

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

RUN_WORDS = 10
SENTENCE_WORDS = 6
_LEFT_OUT = {"table-wrap", "fig", "disp-formula", "inline-formula", "table", "xref", "fn", "boxed-text", "media"}
_BLOCKS = {"p", "title", "list-item", "label"}
_SENTENCE_END = re.compile(r"(?<=[a-z)][.?!]) +(?=[A-Z])")


def squeezed(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if c.isalnum())


@dataclass(frozen=True)
class Score:
    runs: int
    found: int
    pairs: int
    ordered: int

    @property
    def fidelity(self) -> float:
        return self.found / max(self.runs, 1)

    @property
    def order(self) -> float:
        return self.ordered / max(self.pairs, 1)


def score(jats: Path, text: str) -> Score:
    """Runs of ten words found, and pairs of adjacent sentences (both found) of which the second comes later."""
    body = squeezed(text)
    pieces = list(_pieces(jats))
    runs = [run for piece in pieces for run in _runs(piece.split())]
    places = [body.find(sentence) for sentence in map(squeezed, _sentences(pieces))]
    both = [(a, b) for a, b in pairwise(places) if a >= 0 and b >= 0]
    return Score(len(runs), sum(run in body for run in runs), len(both), sum(a < b for a, b in both))


def _runs(words: list[str]) -> Iterator[str]:
    for start in range(len(words) - RUN_WORDS + 1):
        yield squeezed(" ".join(words[start : start + RUN_WORDS]))


def _sentences(pieces: list[str]) -> Iterator[str]:
    for piece in pieces:
        yield from (s for s in _SENTENCE_END.split(piece) if len(s.split()) >= SENTENCE_WORDS)


def _pieces(jats: Path) -> Iterator[str]:
    """The body's text, cut at paragraphs and where something was left out (a citation, a formula)."""
    body = ET.parse(jats).getroot().find(".//body")
    if body is not None:
        yield from re.split(r"\s*\0\s*", re.sub(r"[^\S\0]+", " ", _text(body)))


def _text(element: ET.Element) -> str:
    if element.tag in _LEFT_OUT:
        return "\0"
    inner = (element.text or "") + "".join(_text(child) + (child.tail or "") for child in element)
    return f"\0{inner}\0" if element.tag in _BLOCKS else inner
