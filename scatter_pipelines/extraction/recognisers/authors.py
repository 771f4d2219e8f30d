"""The authors: names between the title and the affiliations, cut at commas, "and" and superscript marks.

Confidence of each: 0.99 markup; else 0.95, less 0.1 for each of these: a single word with a capital amid it,
a name all in capitals, in which an abbreviation may hide, a name of more than four words, nothing but one name found,
more than 40 names; and never less than 0.5.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers import journal
from scatter_pipelines.extraction.recognisers.front import Block, is_affiliation, is_furniture, is_kind, middle
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.names import name_in, pieces
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.title import title_blocks
from scatter_pipelines.extraction.sections import heading_of
from scatter_pipelines.extraction.text import normalise
from scatter_pipelines.model.document import Page

_MAX_LINES = 80
_SMALLER = 1.2
"""Points by which the lines after the authors are smaller."""
_GAP = 70.0
"""How far below the title the first author may stand, in points, for the text's own order to be believed."""
_ROW = 6.0


def read(quote: str) -> str | None:
    return name_in(quote)


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "author", read)
    page = reading.layout.first_page
    if page is None or is_settled(reading, "author"):
        return
    title = next(iter(reading.once(title_blocks)), None)
    if title is not None:
        found = [
            item for start, end in _stretches(_author_lines(reading, page, title)) for item in _names(page, start, end)
        ]
        kept = list({str(item.value): item for item in reversed(found)}.values())[::-1]
        yield from (Found(item.value, item.span, _confidence(str(item.value), len(kept))) for item in kept)


def _confidence(name: str, names: int) -> float:
    doubts = (
        bool(re.search(r"[a-z][A-Z]", name)) + name.isupper() + (len(name.split()) > 4) + (names == 1) + (names > 40)
    )
    return max(0.5, 0.95 - 0.1 * doubts)


def _author_lines(reading: Reading, page: Page, title: Block) -> list[Line]:
    """The lines below the title, as a reader goes down the page, up to the first that cannot be names."""
    lines = list(_below(reading, page, title))[:_MAX_LINES]
    kept: list[Line] = []
    frame = {normalise(name) for name in reading.once(journal.names)}
    for line in lines:
        if normalise(line.text) in frame or _says_nothing(page, line, first=not kept):
            continue
        if _ends_authors(reading, page, line) or (kept and line.size < kept[0].size - _SMALLER):
            break
        kept.append(line)
    return kept


def _says_nothing(page: Page, line: Line, *, first: bool) -> bool:
    """A kind of article, a lone mark, or before the first author any line without a name."""
    marks_only = sum(character.isalpha() for character in line.text) < 3
    nameless = first and not any(pieces(page, line.span.start, line.span.end))
    return marks_only or nameless or is_kind(line.text)


def _below(reading: Reading, page: Page, title: Block) -> Iterator[Line]:
    lines = reading.layout.lines(page)
    if not page.words:
        yield from (line for line in lines if line.span.start >= title.span.end)
        return
    floor = title.baseline + title.size / 2
    below = [(middle(line.box), line.box[0], line) for line in lines if line.box and middle(line.box) > floor]
    in_text_order = [line for _, _, line in below if line.span.start >= title.span.end]
    if in_text_order and in_text_order[0].box and middle(in_text_order[0].box) < floor + _GAP:
        yield from in_text_order
    else:
        yield from (line for _, _, line in sorted(below, key=lambda item: (round(item[0] / _ROW), item[1])))


def _ends_authors(reading: Reading, page: Page, line: Line) -> bool:
    if is_affiliation(line.text) or is_furniture(line.text) or heading_of(line, reading.layout.body_size):
        return True
    letters = sum(character.isalpha() for character in line.text)
    named = sum(end - start for start, end in pieces(page, line.span.start, line.span.end))
    numbered = bool(re.match(r"^\d\s?[A-Z]", line.text))
    return (letters > 60 and named < letters * 0.5) or (numbered and named < letters * 0.6)


def _stretches(lines: list[Line]) -> list[tuple[int, int]]:
    """Character ranges: lines that follow each other in the text are one, as a name may go over a line's end."""
    ranges: list[tuple[int, int]] = []
    for span in sorted(line.span for line in lines):
        if ranges and span.start - ranges[-1][1] <= 3:
            ranges[-1] = (ranges[-1][0], span.end)
        else:
            ranges.append((span.start, span.end))
    return ranges


def _names(page: Page, start: int, end: int) -> Iterator[Found]:
    for first, last in pieces(page, start, end):
        value = read(page.text[first:last])
        if value:
            yield Found(value, Span(page.number, first, last))


RECOGNISER = Recogniser("authors", ("string",), find, read)
