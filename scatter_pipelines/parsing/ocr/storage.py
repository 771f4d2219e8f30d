"""Lines read by OCR as JSON, to be kept: `[[[text, left, top, right, bottom, size], ...], ...]`, in points."""

from collections.abc import Sequence

from scatter_pipelines.parsing.placed import Line, PlacedWord

_DIGITS = 2


def to_json(lines: Sequence[Line]) -> list[object]:
    return [
        [[word.text, *(round(side, _DIGITS) for side in word.box), round(word.size, _DIGITS)] for word in line]
        for line in lines
    ]


def from_json(stored: object) -> list[Line]:
    if not isinstance(stored, list):
        raise TypeError(f"Lines are a list, not {type(stored).__name__}.")
    return [
        [PlacedWord(text, (x0, y0, x1, y1), size, bold=False) for text, x0, y0, x1, y1, size in line] for line in stored
    ]
