"""Captions of figures and foot notes, told from prose by their first words, their type and the space above. No pdfium.

A caption opens with "Figure 1" (Fig., Scheme, Box, ...) and a sign or bold type after it, or with space above it:
"Figure 1 shows" at the start of a line of prose does neither. A foot note opens with a mark, in small type, low on the
page.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from scatter_pipelines.parsing.placed import Line, Part

_LABEL = re.compile(
    r"(?:supplementary |additional )?(?:fig(?:ure)?s?\.?|scheme|box|chart|plate|algorithm)[\s-]?"
    r"(?:S?\d{1,2}|[IVX]{1,4})[a-z]?(?P<sign>\s?[.:|–—])?(?:\s|$)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\s?(?:shows?|illustrates?|presents?|depicts?|summari[sz](?:es?|ed)|showed|is|are|and|in|of|,|\))\b", re.IGNORECASE
)
_MARK = re.compile(r"(?:[*†‡§¶#∗⁎]+|\(?\d{1,2}\)?|[a-h])(?=\s|[A-Z])")
_SIGN = re.compile(r"[*†‡§¶#∗⁎]")
_NEW_PARAGRAPH = 1.6
_SAME_SIZE = 0.6
_STEP = 1.7
_MOST_LINES = 30
_SMALL = 0.93
_LOWER_PART = 0.55


def captions_in(lines: Sequence[Line]) -> list[Part]:
    """Of figures and the like, in the order of the lines."""
    found: list[Part] = []
    for at, line in enumerate(lines):
        if (not found or at >= found[-1].end) and _opens_caption(lines, at):
            found.append(Part("caption", at, _paragraph_end(lines, at, line)))
    return found


def footnotes_in(lines: Sequence[Line], height: float) -> list[Part]:
    """At the foot of a page of `height` points; each from its mark to the next."""
    small = _SMALL * median([word.size for line in lines for word in line] or [0.0])
    starts = [at for at, line in enumerate(lines) if _opens_footnote(line, small, height)]
    return [
        Part("footnote", start, min(_paragraph_end(lines, start, lines[start]), end))
        for start, end in pairwise([*starts, len(lines)])
    ]


def _opens_caption(lines: Sequence[Line], at: int) -> bool:
    text = " ".join(word.text for word in lines[at])
    label = _LABEL.match(text)
    if label is None or _VERB.match(text, label.end()):
        return False
    apart = at == 0 or _step(lines[at - 1], lines[at]) > _NEW_PARAGRAPH * lines[at][0].size
    return bool(label["sign"]) or apart or (lines[at][0].bold and not lines[at][-1].bold)


def _opens_footnote(line: Line, small: float, height: float) -> bool:
    text = " ".join(word.text for word in line)
    mark = _MARK.match(text)
    low = line[0].box[1] > _LOWER_PART * height
    if mark is None or not low or max(word.size for word in line) > small:
        return False
    return bool(_SIGN.match(text)) or (len(line) > 1 and line[0].size < _SMALL * line[1].size)


def _paragraph_end(lines: Sequence[Line], start: int, first: Line) -> int:
    """After the last line that follows closely in about the same type."""
    size = _size(first)
    for at, (above, line) in enumerate(pairwise(lines[start : start + _MOST_LINES]), start + 1):
        step = _step(above, line)
        if not 0 < step <= _STEP * max(size, 1.0) or abs(_size(line) - size) > _SAME_SIZE:
            return at
    return min(len(lines), start + _MOST_LINES)


def _size(line: Line) -> float:
    return median(word.size for word in line)


def _step(above: Line, below: Line) -> float:
    return below[0].box[3] - above[0].box[3]
