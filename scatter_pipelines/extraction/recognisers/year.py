"""The year of publication, by vote of the first page's cues: published, ©, the journal's citation."""

import re
from collections import Counter
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.journal import at_edge
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.document import Page

_Y = r"(?P<year>(?:19[5-9]|20[0-9])\d)(?!\d)"
_DAY = r"(?:\d{1,2}[^\n\d]{1,12}){0,2}"
_CUES: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (rf"published(?:\s(?:online|on|in|first|date))?\s?:?[^\n\d]{{0,25}}{_DAY}{_Y}", 3.0),
        (rf"(?:©|\(c\)|copyright)[^\n\d]{{0,40}}{_Y}", 3.0),
        (rf"\({_Y}\)\s?\d{{1,4}}\s?[:(,]", 3.0),
        (rf"(?<![\d/-]){_Y}\s?[;:,]\s?\d{{1,4}}\s?[(:,]", 2.5),
        (rf"volume\s\d+,?\s\(?{_Y}", 2.5),
        (rf"(?:spring|summer|autumn|fall|winter|jan\w*|feb\w*|mar\w*|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)"
         rf"(?:[-–/]\w+)?\s(?:\d{{1,2}},\s)?{_Y}", 0.5),
        (rf"accepted[^\n\d]{{0,15}}{_DAY}{_Y}", 0.4),
        (rf"(?<![\d/.-]){_Y}", 0.1),
    )
)  # fmt: skip
_EDGE_WEIGHT = 0.6


def read(quote: str) -> int | None:
    found = re.fullmatch(_Y, quote.strip())
    return int(found["year"]) if found else None


def find(reading: Reading) -> Iterator[Found]:
    page = reading.layout.first_page
    if page is None:
        return
    votes = list(_votes(reading, page))
    weights: Counter[object] = Counter()
    for item, weight in votes:
        weights[item.value] += weight  # type: ignore[assignment]
    yield from (item for item, _ in sorted(votes, key=lambda vote: (-weights[vote[0].value], -vote[1])))


def _votes(reading: Reading, page: Page) -> Iterator[tuple[Found, float]]:
    edges = [line.span for line in reading.layout.lines(page) if at_edge(page, line)]
    for cue, weight in _CUES:
        for match in cue.finditer(page.text):
            span = Span(page.number, match.start("year"), match.end("year"))
            if not reading.sections.inside(span, "references"):
                yield Found(int(match["year"]), span), weight + _EDGE_WEIGHT * any(e.contains(span) for e in edges)


RECOGNISER = Recogniser("year", ("integer", "string"), find, read)
