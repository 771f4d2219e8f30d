"""Font sizes of lines read from a picture: from how wide their letters run, as the height of a box says little.

A line's box is as high as its highest and lowest letter, and a little more; its width divided by what its letters take
in a common type is steady from line to line. Lines of nearly one size are given the same.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from scatter_pipelines.parsing.placed import Line

_NARROW = frozenset(" .,:;'’|!()[]/-ftijlI1")
_BROAD = frozenset("mwMW@%—")
_CJK = "\u2e80"
_SAME = 1.1


def with_sizes(lines: Sequence[Line]) -> list[Line]:
    """The same lines, every word with its line's size."""
    sizes = _levelled([_size(line) for line in lines])
    return [[replace(word, size=size) for word in line] for line, size in zip(lines, sizes, strict=True)]


def _size(line: Line) -> float:
    width = max(word.box[2] for word in line) - min(word.box[0] for word in line)
    return width / sum(map(_width, " ".join(word.text for word in line)))


def _width(letter: str) -> float:
    """In font sizes, about as in Helvetica and Times."""
    if letter in _NARROW:
        return 0.3
    if letter in _BROAD:
        return 0.84
    if letter >= _CJK:
        return 1.0
    return 0.68 if letter.isupper() else 0.5


def _levelled(sizes: Sequence[float]) -> list[float]:
    """Each as the median of those that are at most a tenth larger than the smallest of them."""
    levelled: dict[float, float] = {}
    group: list[float] = []
    for size in [*sorted(sizes), float("inf")]:
        if group and size > _SAME * group[0]:
            levelled |= dict.fromkeys(group, median(group))
            group = []
        group.append(size)
    return [levelled[size] for size in sizes]
