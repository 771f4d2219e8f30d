"""Boxes of a page that was turned to be read, as they lie on the page itself. Geometry only."""

from collections.abc import Sequence
from dataclasses import replace

from scatter_pipelines.model.document import Box
from scatter_pipelines.parsing.placed import Line


def turned_back(lines: Sequence[Line], turns: int, width: float, height: float) -> list[Line]:
    """Lines found on the page after `turns` quarter turns to the left, on the page of `width` and `height` points."""
    return [[replace(word, box=_back(word.box, turns, width, height)) for word in line] for line in lines]


def _back(box: Box, turns: int, width: float, height: float) -> Box:
    left, top, right, bottom = box
    if turns == 1:
        return (width - bottom, left, width - top, right)
    if turns == 2:
        return (width - right, height - bottom, width - left, height - top)
    if turns == 3:
        return (top, height - right, bottom, height - left)
    return box
