"""Lines as a reader sees them, from lines as pdfium breaks them. Geometry of neighbours only.

pdfium ends a line where the base line moves, so also at each raised or lowered character, and goes on with a line where
the pen comes back to the left at nearly the same height. Both are put right here, without a change of the words' order.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines.parsing.superscripts import stands_alone

_OVERLAP = 0.5
_BACK = 0.8
_AHEAD = 1.0
_SPACE = 0.12
_SMALLER = 0.82
_LABEL = re.compile(r"[\da-z*†‡§¶#∗⁎,]+")


def mended(lines: Iterable[Line]) -> list[Line]:
    """The same words, but for those cut in two at a change of height, which are whole again."""
    found: list[list[PlacedWord]] = []
    for line in lines:
        for at, word in enumerate(line):
            last = found[-1][-1] if found else None
            if last is None or (not _goes_on(last, word) if at == 0 else _goes_back(last, word)):
                found.append([word])
            elif at == 0 and _is_same_word(last, word):
                found[-1][-1] = _joined(last, word)
            else:
                found[-1].append(word)
    return list(found)


def overlap(left: PlacedWord, right: PlacedWord) -> float:
    """How much of the lower one's height both share, 0 to 1; below 0 where one stands above the other."""
    lower = min(left.box[3] - left.box[1], right.box[3] - right.box[1])
    shared = min(left.box[3], right.box[3]) - max(left.box[1], right.box[1])
    return shared / lower if lower > 0 else 0.0


def _goes_on(left: PlacedWord, right: PlacedWord) -> bool:
    """Whether `right`, the first word of a new line, stands beside `left` as the next word would."""
    size = max(left.size, right.size)
    gap = right.box[0] - left.box[2]
    return -_BACK * size < gap < _AHEAD * size and right.box[0] > left.box[0] and overlap(left, right) >= _OVERLAP


def _goes_back(left: PlacedWord, right: PlacedWord) -> bool:
    """Whether `right`, in one line with `left`, begins another one: wholly to the left and wholly below."""
    return right.box[2] <= left.box[0] and overlap(left, right) <= 0


def _is_same_word(left: PlacedWord, right: PlacedWord) -> bool:
    size = max(left.size, right.size)
    if right.box[0] - left.box[2] > _SPACE * size:
        return False
    if left.size < _SMALLER * right.size:
        return not (_LABEL.fullmatch(left.text) and right.text[0].isupper())
    return right.size >= _SMALLER * left.size or not stands_alone(left.text, right.text)


def _joined(left: PlacedWord, right: PlacedWord) -> PlacedWord:
    """Set in the type of the longer part."""
    box = (
        min(left.box[0], right.box[0]),
        min(left.box[1], right.box[1]),
        max(left.box[2], right.box[2]),
        max(left.box[3], right.box[3]),
    )
    longer = left if len(left.text) >= len(right.text) else right
    return replace(longer, text=left.text + right.text, box=box)
