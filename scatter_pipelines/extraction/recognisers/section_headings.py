"""The headings of the document in its order, sub-sections' too.

Marked headings, or without them the known ones ("Methods") and short lines set in the same type as one of those, where
that is not the body's type. Confidence: 0.99 markup, 0.95 a known heading, 0.7 by its type.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Line
from scatter_pipelines.extraction.recognisers.journal import at_edge
from scatter_pipelines.extraction.recognisers.marked import SURE
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.sections import Heading, heading_of
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.template import SectionName

_LEFT_OUT: tuple[SectionName, ...] = ("front", "references")
_KNOWN, _BY_TYPE = 0.95, 0.7
_LONGEST = 90
_LETTERS = re.compile(r"[^\W\d_]{3}")


def read(quote: str) -> str | None:
    return clean_text(quote).lstrip("# ").strip(" *_:") or None


def find(reading: Reading) -> Iterator[Found]:
    if any(region.kind == "heading" for region in reading.layout.document.regions):
        for text, span, _ in reading.sections.headings:
            yield Found(read(text), span, SURE)
        return
    types = {_type(line) for line, heading in _lines(reading) if heading}
    body = (round(reading.layout.body_size, 1), False)
    for line, heading in _lines(reading):
        alike = _type(line) in types and _type(line) != body and _could_be(line)
        if heading or alike:
            yield Found(read(line.text), line.span, _KNOWN if heading else _BY_TYPE)


def _lines(reading: Reading) -> Iterator[tuple[Line, Heading | None]]:
    """Each line outside of the front matter and the references, with the heading it is."""
    for page in reading.layout.document.pages:
        for line in reading.layout.lines(page):
            heading = heading_of(line, reading.layout.body_size)
            inside = any(reading.sections.inside(line.span, name) for name in _LEFT_OUT)
            if (heading and not heading.run_in) or not (inside or at_edge(page, line)):
                yield line, heading if heading and not heading.run_in else None


def _type(line: Line) -> tuple[float, bool]:
    return (round(line.size, 1), line.bold)


def _could_be(line: Line) -> bool:
    return len(line.text) <= _LONGEST and bool(_LETTERS.search(line.text)) and not line.text[0].islower()


RECOGNISER = Recogniser("sections", ("string",), find, read)
