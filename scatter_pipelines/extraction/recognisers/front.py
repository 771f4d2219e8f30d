"""What several recognisers ask about a first page: its blocks of like lines, and what a line is by its wording."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scatter_pipelines.extraction.layout import Layout, Line, Span
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.document import Box, Page

_KIND = re.compile(
    r"^(?:(?:original|research|review|short|case|brief|mini|systematic|invited|clinical|full|regular|special|technical|rapid)\s*)*"
    r"(?:articles?|artilce|research|papers?|reviews?|reports?|communications?|stud(?:y|ies)|letters?|notes?|trial|editorial"
    r"|corrigendum|erratum|correction|commentary|protocol|open\s*access|meta-?analys[ie]s|perspective|article\s*in\s*press)"
    r"(?:\s*(?:article|paper|open\s*access|and\s*meta-?analysis))*\s*$",
    re.IGNORECASE,
)
_FURNITURE = re.compile(
    r"https?://|www\.|@|\bdoi\b|\bissn\b|©|\(c\) \d{4}|copyright|creative commons|all rights reserved|downloaded from"
    r"|^received\b|^accepted\b|^published\b|^available (?:online|at)|^volume \d|^vol\.? ?\d|^article id|^citation\s*:"
    r"|^(?:edited|reviewed) by|^(?:academic )?editor|^correspond(?:ence|ing)|^open access$"
    r"|^contents? lists? available|^send orders|^page \d|hhs public access|nih public access|author manuscript"
    r"|published in final edited form|available in pmc|europe pmc funders|this article is (?:published|licensed)",
    re.IGNORECASE,
)
_AFFILIATION = re.compile(
    r"\b(?:departments?|dept|universit\w*|institut\w*|hospital|college|school of|facult\w*|laborator\w*"
    r"|cent(?:er|re) (?:for|of)|academy|division of|clinic|ministry|research cent(?:er|re)|ltd|inc|p\.?o\.? box|e-?mail"
    r"|address|professor|lecturer)\b",
    re.IGNORECASE,
)
_CITATION = re.compile(r"\(?(?:19|20)\d\d\)?[;:,.]?\s?\(?\d{1,4}\)?\s?(?:\(\d+\))?\s?[:,]\s?[\de]\d*")
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that follow each other in the text, in one size and one column."""

    lines: tuple[Line, ...]

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def span(self) -> Span:
        first, last = self.lines[0].span, self.lines[-1].span
        return Span(first.page, first.start, last.end)

    @property
    def text(self) -> str:
        return clean_text("\n".join(line.text for line in self.lines))

    @property
    def top(self) -> float:
        return min((line.box[1] for line in self.lines if line.box), default=0.0)

    @property
    def baseline(self) -> float:
        """The middle of the lowest line; a box's edges lie too far out in some fonts."""
        return max((middle(line.box) for line in self.lines if line.box), default=0.0)


def blocks(layout: Layout, page: Page) -> Iterator[Block]:
    """A page's lines put together while size and weight stay and each stands closely below the one before."""
    open_lines: list[Line] = []
    for line in layout.lines(page):
        if open_lines and not _continues(open_lines[-1], line):
            yield Block(tuple(open_lines))
            open_lines = []
        open_lines.append(line)
    if open_lines:
        yield Block(tuple(open_lines))


def _continues(above: Line, below: Line) -> bool:
    if above.box is None or below.box is None or abs(above.size - below.size) > 0.6 or above.bold != below.bold:
        return False
    step = middle(below.box) - middle(above.box)
    return -1.0 <= step <= 2.4 * max(above.size, 1.0)


def paragraphs(lines: Iterable[Line]) -> Iterator[tuple[Line, ...]]:
    """Lines of running text put together: one type, one column, no gap between them. Index figures do not part it."""
    current: list[Line] = []
    for line in lines:
        if current and not _runs_on(current[-1], line):
            yield tuple(current)
            current = []
        current.append(line)
    if current:
        yield tuple(current)


def _runs_on(above: Line, below: Line) -> bool:
    if above.box is None or below.box is None:
        return False
    if len(below.text) < 4 or len(above.text) < 4:
        return abs(middle(below.box) - middle(above.box)) <= 1.2 * max(above.size, below.size)
    alike = abs(above.size - below.size) <= 0.6 and above.bold == below.bold
    step = middle(below.box) - middle(above.box)
    beside = below.box[0] < above.box[2] and above.box[0] < below.box[2]
    return alike and -0.8 * above.size <= step <= 1.7 * above.size and (beside or abs(step) <= 0.5 * above.size)


def middle(box: Box) -> float:
    return (box[1] + box[3]) / 2


def is_kind(text: str) -> bool:
    """Whether it names a kind of article, such as "Research Article", perhaps set with spaces between letters."""
    text = text.strip(" :.-–—|")
    squeezed = re.sub(r"\s+", "", text)
    return bool(_KIND.match(text) or _KIND.match(squeezed) or _KIND.match(text.replace("Open Access", "").strip()))


def is_furniture(text: str) -> bool:
    """Whether it belongs to the journal's frame: address, licence, dates, running numbers."""
    return bool(_FURNITURE.search(text)) or len(_LETTERS.findall(text)) < 3


def is_citation(text: str) -> bool:
    """Whether year, volume and pages stand in it, as in a running head "J Examples 2019; 7: 11-19"."""
    return bool(_CITATION.search(text))


def is_affiliation(text: str) -> bool:
    return bool(_AFFILIATION.search(text))
