"""The keywords the article gives itself, each as written.

They end with their paragraph. Confidence: 0.99 markup; 0.9 where signs part them, 0.7 where only lines do.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers.front import is_furniture, paragraphs
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.document import Page

_SIGNS = (";", "\u037e", "•", "·", "|", "■", ",", " - ", " – ", "/")
_MOST_LINES = 12
_LONGEST = 100
_MOST = 25
_PARTED, _BY_LINES = 0.9, 0.7


def read(quote: str) -> str | None:
    return clean_text(quote).strip(" .,;:•·|■–-") or None


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "keywords", read)
    if is_settled(reading, "keywords"):
        return
    for span in reading.sections.spans("keywords")[:1]:
        page = reading.layout.document.pages[span.page - 1]
        yield from _in_stretch(page, *_stretch(reading, page, span))


def _stretch(reading: Reading, page: Page, span: Span) -> tuple[int, int]:
    """From the heading to the end of the paragraph, or of the list of lines."""
    inside = [line for line in reading.layout.lines(page) if span.start < line.span.end and line.span.start < span.end]
    end = span.start
    for line in next(paragraphs(inside), ())[:_MOST_LINES] if page.words else _block(page, inside):
        if end > span.start and is_furniture(line.text):
            break
        end = line.span.end
        if line.text.endswith("."):
            break
    return span.start, end


def _block(page: Page, lines: list[Line]) -> Iterator[Line]:
    """Without a layout a blank line ends a paragraph."""
    for index, line in enumerate(lines[:_MOST_LINES]):
        if index and "\n\n" in page.text[lines[index - 1].span.end : line.span.start + 1]:
            return
        yield line


def _in_stretch(page: Page, start: int, end: int) -> Iterator[Found]:
    text = page.text[start:end]
    sign = next((sign for sign in _SIGNS if sign in text.replace("\n", " ")), None)
    parts = re.finditer(rf"(?:(?!{re.escape(sign)}).)+", text.replace("\n", " ")) if sign else _lines(text)
    for match in list(parts)[:_MOST]:
        value = read(match[0])
        if value and len(value) <= _LONGEST and any(character.isalpha() for character in value):
            lead = len(match[0]) - len(match[0].lstrip(" \n.,;:•·|■–-"))
            trail = len(match[0].rstrip(" \n.,;:•·|■–-"))
            span = Span(page.number, start + match.start() + lead, start + match.start() + trail)
            yield Found(value, span, _PARTED if sign else _BY_LINES)


def _lines(text: str) -> Iterator["re.Match[str]"]:
    return re.finditer(r"[^\n]+", text)


RECOGNISER = Recogniser("keywords", ("string",), find, read)
