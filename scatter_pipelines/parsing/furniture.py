"""Running heads and feet, page numbers and stamps in the margin: out of the way of the text.

What stands at the same place of page after page is no part of the text and would cut sentences that go on. It
is kept where it first stands, as it may say what journal this is, and left out after that. Page numbers are left out
everywhere. Geometry and the words of the lines only.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scatter_pipelines.parsing.placed import PageLines

_MARGIN = 0.12
_SIDE = 0.08
_SAME_PLACE = 6.0
_LETTERS = 4
_PAGES = 3
_PAGES_OF_NUMBERS = 2
_FLOAT = re.compile(r"(?:table|fig(?:ure)?|box|appendix)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"(?:page )?(\d{1,6})(?: ?(?:/|of) ?\d{1,5})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line in a margin: on which page, which of its lines, and at what height."""

    page: int
    line: int
    text: str
    top: float


def without_furniture(pages: Sequence[PageLines]) -> list[PageLines]:
    """The same pages without what repeats in their margins and without the pages' numbers."""
    candidates = [candidate for at, page in enumerate(pages) for candidate in _in_margins(at, page)]
    dropped = {*_running(candidates), *_page_numbers(candidates)}
    return [
        replace(page, lines=[line for which, line in enumerate(page.lines) if (at, which) not in dropped])
        for at, page in enumerate(pages)
    ]


def _in_margins(at: int, page: PageLines) -> Iterator[_Candidate]:
    width, height = page.size
    for which, line in enumerate(page.lines):
        left, right = min(word.box[0] for word in line), max(word.box[2] for word in line)
        top, bottom = min(word.box[1] for word in line), max(word.box[3] for word in line)
        above_or_below = bottom < _MARGIN * height or top > (1 - _MARGIN) * height
        if above_or_below or right < _SIDE * width or left > (1 - _SIDE) * width:
            yield _Candidate(at, which, " ".join(word.text for word in line), top)


def _running(candidates: Sequence[_Candidate]) -> Iterator[tuple[int, int]]:
    """(page, line) of the same words, numbers aside, at the same height of several pages; not of the first one."""
    alike: dict[str, list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        if sum(map(str.isalpha, candidate.text)) >= _LETTERS and not _FLOAT.match(candidate.text):
            alike[_NUMBER.sub("#", candidate.text.casefold())].append(candidate)
    for same in alike.values():
        for group in _at_one_height(same):
            if len({one.page for one in group}) >= _PAGES:
                yield from ((one.page, one.line) for one in group if one.page != group[0].page)


def _at_one_height(candidates: Sequence[_Candidate]) -> Iterator[list[_Candidate]]:
    left = list(candidates)
    while left:
        near = [one for one in left if abs(one.top - left[0].top) <= _SAME_PLACE]
        yield near
        left = [one for one in left if abs(one.top - left[0].top) > _SAME_PLACE]


def _page_numbers(candidates: Sequence[_Candidate]) -> Iterator[tuple[int, int]]:
    """(page, line) of the numbers that grow with the pages, such as 177 on the first and 178 on the second one."""
    numbers = [
        (candidate, int(found[1]) - candidate.page)
        for candidate in candidates
        if (found := _PAGE_NUMBER.fullmatch(candidate.text))
    ]
    counted = Counter(offset for _, offset in {(one.page, offset) for one, offset in numbers})
    for candidate, offset in numbers:
        if counted[offset] >= _PAGES_OF_NUMBERS:
            yield candidate.page, candidate.line
