"""What an article says in a paragraph of its own: under a heading, else in a sentence that says so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers.front import paragraphs
from scatter_pipelines.extraction.recognisers.marked import by_markup
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.document import Page, RegionKind
from scatter_pipelines.model.template import SectionName

_MOST_LINES = 25
_LEAST = 4
_LONGEST_SENTENCE = 600
_HEADED, _SENTENCE = 0.9, 0.75
_ENDS = re.compile(r"(?<=[a-z)\]\d])\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Statement:
    """`sentence` matches somewhere in a sentence that says it without a heading."""

    kind: RegionKind
    section: SectionName
    sentence: "re.Pattern[str]"


def read(quote: str) -> str | None:
    return clean_text(quote).strip(" :–—-") or None


def find(reading: Reading, statement: Statement) -> Iterator[Found]:
    """Best first: the markup, the paragraph under the heading, a sentence outside of the references."""
    yield from by_markup(reading, statement.kind, read)
    headed = [found for span in reading.sections.spans(statement.section) for found in _paragraph(reading, span)]
    yield from sorted(headed, key=lambda found: not statement.sentence.search(str(found.value)))
    for page in reversed(reading.layout.document.pages):
        yield from _sentences(reading, page, statement.sentence)


def _paragraph(reading: Reading, span: Span) -> Iterator[Found]:
    page = reading.layout.document.pages[span.page - 1]
    lines = [line for line in reading.layout.lines(page) if span.start < line.span.end and line.span.start < span.end]
    kept = next(paragraphs(lines), ())[:_MOST_LINES] if page.words else _until_blank(page, lines)
    if kept:
        whole = Span(page.number, max(span.start, kept[0].span.start), min(span.end, kept[-1].span.end))
        value = read(page.text[whole.start : whole.end])
        if value and len(value) >= _LEAST:
            yield Found(value, whole, _HEADED)


def _until_blank(page: Page, lines: list[Line]) -> tuple[Line, ...]:
    kept: list[Line] = []
    for line in lines[:_MOST_LINES]:
        if kept and "\n\n" in page.text[kept[-1].span.end : line.span.start + 1]:
            break
        kept.append(line)
    return tuple(kept)


def _sentences(reading: Reading, page: Page, pattern: "re.Pattern[str]") -> Iterator[Found]:
    for match in pattern.finditer(page.text):
        starts = [
            end.end() for end in _ENDS.finditer(page.text, max(0, match.start() - _LONGEST_SENTENCE), match.start())
        ]
        start = starts[-1] if starts else max(0, page.text.rfind("\n", 0, match.start()) + 1)
        ending = _ENDS.search(page.text, match.end(), match.end() + _LONGEST_SENTENCE)
        span = Span(page.number, start, ending.end() if ending else match.end())
        value = read(page.text[span.start : span.end])
        if value and not reading.sections.inside(span, "references"):
            yield Found(value, span, _SENTENCE)
