"""The abstract: what follows its heading, or without one the paragraph between the authors and the introduction.

A paragraph without a heading counts where an introduction follows or its type differs from the body's; a letter's
first paragraph does neither. Confidence: 0.99 markup; 0.95 under its heading and ended by another one, 0.85 under its
heading where it just stops; 0.8 without a heading before an introduction, 0.7 by its type; times 0.8 for fewer than 400
characters.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from statistics import median

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers.front import is_affiliation, paragraphs
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.title import title_blocks
from scatter_pipelines.extraction.sections import heading_of
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.document import Page

_LEAST = 150
_MOST = 8_000
_WHOLE = 400
_SENTENCE_ENDS = (".", "!", "?", ".”", ".)")
_LICENCE = re.compile(
    r"creative commons|all rights reserved|properly cited|permits unrestricted|distributed under", re.IGNORECASE
)
_FRAME = re.compile(
    r"^\W?\s?(?:received|accepted|published|available online|copyright|citation|correspond\w*|edited by|reviewed by)\b"
    r"\W?(?:\s|$)(?!by|for|in |with|to )|^\*"
    r"|^(?:author summary|plain language summary|significance statement|graphical abstract|highlights)$"
    r"|^abbreviations?(?: used)?\s?:|^(?:©|\(c\) \d{4}|open access|this is an open access|how to cite|to cite)",
    re.IGNORECASE,
)
_FIRST_HEADING = re.compile(r"^(?:1|I)[.|]?\s+[A-Z][A-Za-z ]{3,80}$")
_SENTENCE = re.compile(r"[a-z)\]]\.(?:\s|$)")
_NARROWEST = 0.27
"""A column of prose is at least so much of the page's width; the frame beside an article is narrower."""
_AFFILIATED = 0.5
_OTHER_SIZE = 0.4
_HEADED, _STOPS, _BEFORE_INTRODUCTION, _BY_TYPE, _SHORT = 0.95, 0.85, 0.8, 0.7, 0.8


def read(quote: str) -> str | None:
    return clean_text(quote) or None


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "abstract", read)
    if is_settled(reading, "abstract"):
        return
    spans = reading.sections.spans("abstract")
    for index, span in enumerate(spans):
        page = reading.layout.document.pages[span.page - 1]
        ended = _HEADED if span.end < len(page.text) else _STOPS
        for found in _found(page, _body(reading, page, span), least=_LEAST, confidence=ended):
            yield _continued(reading, found, spans[index : index + 2])
    page_one = reading.layout.first_page
    if page_one is not None and page_one.words:
        yield from _without_heading(reading, page_one)


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
    return found if rest is None else Found(read(f"{found.value}\n{rest.value}"), found.span, found.confidence)


def _found(page: Page, lines: list[Line], *, least: int, confidence: float = _STOPS) -> Iterator[Found]:
    if lines:
        span = Span(page.number, lines[0].span.start, lines[-1].span.end)
        value = read(page.text[span.start : span.end])
        if value and least <= len(value) <= _MOST:
            yield Found(value, span, confidence * (1.0 if len(value) >= _WHOLE else _SHORT))


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
    """Whether it belongs to the journal's frame; a sentence may go on with "accepted" too, but in small letters."""
    return bool(_LICENCE.search(line.text)) or (not line.text[0].islower() and bool(_FRAME.search(line.text)))


def _without_heading(reading: Reading, page: Page) -> Iterator[Found]:
    """The first paragraph of prose below the title, with those in its type that follow it at once."""
    title = next(iter(reading.once(title_blocks)), None)
    lines = reading.layout.lines(page)
    stop = next((i for i, line in enumerate(lines) if _opens_body(reading, line)), None)
    kept: list[Line] = []
    before: tuple[Line, ...] = ()
    for paragraph in paragraphs(lines[:stop]):
        if kept and not _goes_on(before, paragraph):
            break
        if kept or (title is not None and _below(paragraph, title.baseline) and _is_prose(page, paragraph)):
            kept += paragraph
            if stop is None:
                break
        before = paragraph
    followed = stop is not None or _introduction_is_next(reading, page)
    if followed or (kept and _differs(reading, kept[0])):
        confidence = _BEFORE_INTRODUCTION if followed else _BY_TYPE
        yield from _found(page, kept, least=_LEAST, confidence=confidence)


def _goes_on(before: tuple[Line, ...], paragraph: tuple[Line, ...]) -> bool:
    """Whether it is a further paragraph in the abstract's type; index figures and signs in between do not count."""
    alike = abs(max(line.size for line in paragraph) - max(line.size for line in before)) <= 0.6
    small = len(paragraph) == 1 and len(paragraph[0].text) < 4
    return small or (alike and not any(map(_frame, paragraph)) and not _is_addresses(paragraph))


def _opens_body(reading: Reading, line: Line) -> bool:
    if _FIRST_HEADING.match(line.text) and line.bold and line.size:
        return True
    heading = heading_of(line, reading.layout.body_size)
    return heading is not None and heading.name == "introduction" and not heading.run_in


def _introduction_is_next(reading: Reading, page: Page) -> bool:
    return any(span.page == page.number + 1 for span in reading.sections.spans("introduction")[:1])


def _below(paragraph: tuple[Line, ...], baseline: float) -> bool:
    box = paragraph[0].box
    return box is not None and box[1] > baseline


def _is_prose(page: Page, paragraph: tuple[Line, ...]) -> bool:
    """Broad lines that begin and end sentences, none of them of the journal's frame, and no list of addresses."""
    text = "\n".join(line.text for line in paragraph)
    widths = [line.box[2] - line.box[0] for line in paragraph if line.box]
    if len(text) < _LEAST or not widths or max(widths) < page.width * _NARROWEST:
        return False
    framed = any(_frame(line) or "@" in line.text for line in paragraph)
    whole = not text[0].islower() and bool(_SENTENCE.search(text))
    return whole and not framed and not _is_addresses(paragraph)


def _is_addresses(paragraph: tuple[Line, ...]) -> bool:
    lines = [line.text for line in paragraph if len(line.text) > 10]
    addresses = sum(map(is_affiliation, lines))
    return addresses > _AFFILIATED * len(lines) or (
        bool(lines) and is_affiliation(lines[0]) and lines[0].count(",") > 1
    )


def _differs(reading: Reading, line: Line) -> bool:
    """Whether it is set in another type than the article's body."""
    return line.bold or abs(line.size - reading.layout.body_size) > _OTHER_SIZE


RECOGNISER = Recogniser("abstract", ("text", "string"), find, read)
