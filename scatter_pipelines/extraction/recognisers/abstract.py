"""The abstract: what follows its heading, or without one the text between the front matter and the introduction."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from statistics import median

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers.front import is_affiliation, is_furniture
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.document import Page

_LEAST = 150
_MOST = 8_000
_SENTENCE_ENDS = (".", "!", "?", ".”", ".)")
_LICENCE = re.compile(r"licen[cs]e|properly cited|permits unrestricted|any medium|original work", re.IGNORECASE)


def read(quote: str) -> str | None:
    return clean_text(quote) or None


def find(reading: Reading) -> Iterator[Found]:
    spans = reading.sections.spans("abstract")
    for index, span in enumerate(spans):
        page = reading.layout.document.pages[span.page - 1]
        for found in _found(page, _body(reading, page, span), least=_LEAST):
            yield _continued(reading, found, spans[index : index + 2])
    page_one = reading.layout.first_page
    if page_one is not None and page_one.words:
        for span in reading.sections.spans("front"):
            if span.page == page_one.number:
                yield from _found(page_one, _last_paragraph(reading, page_one, span), least=2 * _LEAST)


def _continued(reading: Reading, found: Found, spans: tuple[Span, ...]) -> Found:
    """With the rest from the top of the next page, where it stops amid a sentence. The span stays the first part's."""
    if (
        str(found.value).endswith(_SENTENCE_ENDS)
        or len(spans) < 2
        or spans[1].page != spans[0].page + 1
        or spans[1].start != 0
    ):
        return found
    page = reading.layout.document.pages[spans[1].page - 1]
    rest = next(_found(page, _body(reading, page, spans[1]), least=1), None)
    return found if rest is None else Found(read(f"{found.value}\n{rest.value}"), found.span)


def _found(page: Page, lines: list[Line], *, least: int) -> Iterator[Found]:
    if lines:
        span = Span(page.number, lines[0].span.start, lines[-1].span.end)
        value = read(page.text[span.start : span.end])
        if value and least <= len(value) <= _MOST:
            yield Found(value, span)


def _lines_in(reading: Reading, page: Page, span: Span) -> list[Line]:
    """Lines that begin in the span; a heading's own line cut off at the span's start."""
    lines = reading.layout.lines(page)
    first = bisect_right(lines, span.start, key=lambda line: line.span.end)
    last = bisect_left(lines, span.end, key=lambda line: line.span.start)
    inside = lines[first:last]
    return [_from(line, span.start) if line.span.start < span.start else line for line in inside]


def _from(line: Line, start: int) -> Line:
    return Line(Span(line.span.page, start, line.span.end), line.text, line.size, line.bold, line.box)


def _body(reading: Reading, page: Page, span: Span) -> list[Line]:
    """The lines up to the first that belongs to the frame around the abstract."""
    lines = _lines_in(reading, page, span)
    size = median(line.size for line in lines) if lines else 0.0
    kept: list[Line] = []
    for line in lines:
        if kept and (_frame(line) or (size and line.size < size - 1.5 and len(line.text) > 40)):
            break
        kept.append(line)
    return kept


def _frame(line: Line) -> bool:
    return (is_furniture(line.text) and len(line.text) > 25) or bool(re.match(r"\*?\s?correspond", line.text, re.I))


def _last_paragraph(reading: Reading, page: Page, span: Span) -> list[Line]:
    """The lines after the last one of the front matter."""
    lines = _lines_in(reading, page, span)
    start = max((i + 1 for i, line in enumerate(lines) if _front_matter(line)), default=0)
    return lines[start:]


def _front_matter(line: Line) -> bool:
    return is_furniture(line.text) or is_affiliation(line.text) or bool(_LICENCE.search(line.text))


RECOGNISER = Recogniser("abstract", ("text", "string"), find, read)
