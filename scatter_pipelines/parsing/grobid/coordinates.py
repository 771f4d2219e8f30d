"""GROBID's `coords`: boxes as "page,x,y,width,height", one after the other with a semicolon between them.

The origin is the top left of the page, the unit the point, as in our own boxes.
"""

import math
from dataclasses import dataclass

LONGEST = 200_000
"""Characters of one attribute; more is a page's worth of nonsense."""


@dataclass(frozen=True, slots=True)
class PageBox:
    """`page` counts from 1; (x0, y0) is the upper left corner."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


def read_coords(text: str) -> tuple[PageBox, ...]:
    """The boxes that can be read; what is no box is left out."""
    return tuple(box for part in text[:LONGEST].split(";") if (box := _box(part)) is not None)


def _box(text: str) -> PageBox | None:
    try:
        page, x, y, width, height = (float(value) for value in text.split(","))
    except ValueError:
        return None
    values = (page, x, y, width, height)
    if not all(map(math.isfinite, values)) or page < 1 or page != int(page) or width <= 0 or height <= 0:
        return None
    return PageBox(int(page), x, y, x + width, y + height)
