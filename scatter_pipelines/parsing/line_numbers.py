"""The numbers that manuscripts for review have before their lines, every one or every fifth: left out of the text."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

from scatter_pipelines.parsing.placed import Line, PageLines, PlacedWord

_NUMBER = re.compile(r"\d{1,4}")
_EDGE = 6.0
_FEWEST = 5
_MOST = 0.8
_STEPS = (1, 5)


def without_line_numbers(page: PageLines) -> PageLines:
    """The same page; without the first words of its lines where these, in one column, count nearly all lines."""
    column = _leftmost([line[0] for line in page.lines if _NUMBER.fullmatch(line[0].text)])
    numbers = set(map(id, column))
    lines = [_without(line, numbers) for line in page.lines]
    left = [line for line in lines if line]
    if len(column) < _FEWEST or not _count_lines(column, len(left)) or _is_amid(column, left):
        return page
    return replace(page, lines=left)


def _leftmost(words: list[PlacedWord]) -> list[PlacedWord]:
    """Those that end at the edge at which most of them end, from top to bottom."""
    if not words:
        return []
    edge = Counter(round(word.box[2] / _EDGE) for word in words).most_common(1)[0][0]
    return sorted((w for w in words if abs(w.box[2] / _EDGE - edge) <= 1), key=lambda word: word.box[1])


def _without(line: Line, numbers: set[int]) -> Line:
    return line[1:] if id(line[0]) in numbers else line


def _count_lines(column: list[PlacedWord], lines: int) -> bool:
    """Whether they go up by one step nearly always, and are as many as so many lines need."""
    steps = Counter(int(below.text) - int(above.text) for above, below in pairwise(column))
    step, times = steps.most_common(1)[0]
    return step in _STEPS and times >= _MOST * (len(column) - 1) and len(column) * step >= _MOST * lines


def _is_amid(column: list[PlacedWord], lines: list[Line]) -> bool:
    """Whether text stands to the left of the numbers, as beside the numbers of a table."""
    edge = min(word.box[2] for word in column)
    return any(word.box[2] < edge for line in lines for word in line)
