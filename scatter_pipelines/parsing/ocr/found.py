"""Lines of text that were found on a picture, in pixels, and the words they become. Geometry only."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scatter_pipelines.model.document import Box
from scatter_pipelines.parsing.placed import PlacedWord

_TALL = 1.5
_SIZE_IN_LINE = 0.75
"""Font size, in heights of the line's box."""
_SAME = 0.3
_MARGIN = 1.5
"""White around a region, in heights of its lines."""


@dataclass(frozen=True, slots=True)
class Found:
    """One line: text, how sure the engine is (0 to 1), its box and those of its characters but spaces, in pixels."""

    text: str
    score: float
    box: Box
    characters: Sequence[Box]


def around(corners: Sequence[Sequence[float]]) -> Box:
    across, down = [float(corner[0]) for corner in corners], [float(corner[1]) for corner in corners]
    return (min(across), min(down), max(across), max(down))


def length(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def is_tall(box: Box) -> bool:
    """Whether a line in it runs up or down."""
    return box[3] - box[1] > _TALL * (box[2] - box[0])


def moved(line: Found, across: float, down: float) -> Found:
    def shifted(box: Box) -> Box:
        return (box[0] + across, box[1] + down, box[2] + across, box[3] + down)

    return Found(line.text, line.score, shifted(line.box), [shifted(box) for box in line.characters])


def is_among(box: Box, others: Sequence[Box]) -> bool:
    """Whether so much of it is covered by one of the others that they are the same line."""
    return any(_shared(box, other) > _SAME * _area(box) for other in others)


def regions(boxes: Sequence[Box], columns: int, rows: int) -> list[tuple[int, int, int, int]]:
    """Boxes with white around them, those that touch taken together, within an image of so many columns and rows."""
    found: list[Box] = []
    for box in map(_widened, boxes):
        joined = box
        while touching := [other for other in found if _shared(joined, other) > 0]:
            found = [other for other in found if other not in touching]
            joined = _union([joined, *touching])
        found.append(joined)
    return [
        (max(int(x0), 0), max(int(y0), 0), min(int(x1) + 1, columns), min(int(y1) + 1, rows))
        for x0, y0, x1, y1 in found
    ]


def _widened(box: Box) -> Box:
    margin = _MARGIN * min(box[2] - box[0], box[3] - box[1])
    return (box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin)


def _union(boxes: Sequence[Box]) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return (min(left), min(top), max(right), max(bottom))


def _area(box: Box) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _shared(one: Box, other: Box) -> float:
    return _area((max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])))


def words_of(line: Found, scale: float) -> list[PlacedWord]:
    """The line's words in points (`scale` of them a pixel), each as high as the line, as wide as its characters."""
    size = (line.box[3] - line.box[1]) * scale * _SIZE_IN_LINE
    top, bottom = line.box[1] * scale, line.box[3] * scale
    return [
        PlacedWord(text, (left * scale, top, right * scale, bottom), size, bold=False)
        for text, (left, right) in zip(line.text.split(), _spans(line), strict=True)
    ]


def _spans(line: Found) -> list[tuple[float, float]]:
    """From where to where each word goes; by the share of letters where the characters' places are not known."""
    words = line.text.split()
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    if len(line.characters) == ends[-1]:
        return [(line.characters[start][0], line.characters[end - 1][2]) for start, end in pairwise(ends)]
    letter = (line.box[2] - line.box[0]) / max(len(" ".join(words)), 1)
    left = line.box[0]
    return [
        (left + letter * (start + at), left + letter * (end + at)) for at, (start, end) in enumerate(pairwise(ends))
    ]
