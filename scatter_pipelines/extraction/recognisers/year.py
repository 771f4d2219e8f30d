"""The year of publication, by vote: what the journal's citation, "published" and the copyright line say.

The first pages' running heads and the DOI count too. Each kind of cue has one vote for a year, so that a page full of
dates does not outweigh a citation. Confidence: 0.99 markup; else the winner's share of the votes, weighed
down where few spoke: one strong cue alone gives 0.7, three that agree 0.95.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers import doi
from scatter_pipelines.extraction.recognisers.journal import at_edge
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.document import Page

_Y = r"(?P<year>(?:19[5-9]|20[0-9])\d)(?!\d)"
_DAY = r"(?:\d{1,2}[^\n\d]{1,12}){0,2}"
_MONTH = r"(?:jan\w*|feb\w*|mar\w*|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)\.?"
_CUES: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (rf"published in final edited form as:?[^\d]{{3,90}}{_Y}", 5.0),
        (rf"volume\s\d+,?\s\(?{_Y}|volume\s(?P<alone>(?:19|20)\d\d),\sarticle", 3.5),
        (rf"\({_Y}\)\s?\d{{1,4}}\s?[:(,]", 3.0),
        (rf"(?<![\d/-]){_Y}\s?(?:{_MONTH}(?:\s\d{{1,2}})?)?\s?[;:,]\s?\d{{1,4}}\s?[(:,]", 3.0),
        (rf"published(?:\s(?:online|on|in|first|date|by|[A-Z]\w+)){{0,3}}\s?:?[^\n\d]{{0,25}}{_DAY}{_Y}", 2.5),
        (rf"(?:©|\(c\)|copyright|the authors?(?:\(s\))?)\s?[^\n\d]{{0,40}}{_Y}", 2.5),
        (rf"(?:spring|summer|autumn|fall|winter|{_MONTH})(?:[-–/]\w+)?\s(?:\d{{1,2}},\s)?{_Y}", 0.5),
        (rf"accepted[^\n\d]{{0,15}}{_DAY}{_Y}", 0.4),
        (rf"(?<![\d/.-]){_Y}", 0.1),
    )
)  # fmt: skip
_EDGE_WEIGHT = 0.6
_HEAD_WEIGHT = 1.5
_DOI_WEIGHT = 1.0
_HEAD_PAGES = 3
_YEAR_IN_DOI = re.compile(r"(?<!\d)(?:19[5-9]|20[0-9])\d(?!\d)|(?<=-)0[0-3]\d(?=-)")
_ENOUGH = 3.0


def read(quote: str) -> int | None:
    found = re.search(rf"(?<!\d){_Y}", quote)
    return int(found["year"]) if found else None


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "publication_date", read)
    page = reading.layout.first_page
    if page is None or is_settled(reading, "publication_date"):
        return
    votes = [*_votes(reading, page), *_running_heads(reading, page)]
    weights = _weights(votes)
    printed = _year_of_doi(reading)
    if printed in weights:
        weights[printed] += _DOI_WEIGHT
    total = sum(weights.values())
    for item, _, _ in sorted(votes, key=lambda vote: (-weights[vote[0].value], -vote[2])):
        own = weights[item.value]
        yield Found(item.value, item.span, round(own / total * (1 - 0.3 * max(0.0, 1 - own / (3 * _ENOUGH))), 3))


Vote = tuple[Found, int, float]
"""What was found, by the number of its cue, with its weight."""


def _weights(votes: list[Vote]) -> dict[object, float]:
    """Of each year: the best vote of every cue."""
    best: dict[tuple[object, int], float] = {}
    for item, cue, weight in votes:
        best[item.value, cue] = max(weight, best.get((item.value, cue), 0.0))
    weights: dict[object, float] = {}
    for (value, _), weight in best.items():
        weights[value] = weights.get(value, 0.0) + weight
    return weights


def _votes(reading: Reading, page: Page) -> Iterator[Vote]:
    edges = [line.span for line in reading.layout.lines(page) if at_edge(page, line)]
    for number, (cue, weight) in enumerate(_CUES):
        for match in cue.finditer(page.text):
            name = "year" if match["year"] else "alone"
            span = Span(page.number, *match.span(name))
            if not reading.sections.inside(span, "references"):
                yield (
                    Found(int(match[name]), span),
                    number,
                    weight + _EDGE_WEIGHT * any(e.contains(span) for e in edges),
                )


def _running_heads(reading: Reading, first: Page) -> Iterator[Vote]:
    """Years at the edge of the pages after the first."""
    for page in reading.layout.document.pages[first.number : first.number + _HEAD_PAGES]:
        for line in reading.layout.lines(page):
            if at_edge(page, line):
                for match in re.finditer(rf"(?<![\d/.-]){_Y}", line.text):
                    start = line.span.start + match.start("year")
                    yield Found(int(match["year"]), Span(page.number, start, start + 4)), -1, _HEAD_WEIGHT


def _year_of_doi(reading: Reading) -> int | None:
    """ "2016" in 10.1155/2016/4104595, "018" in 10.1186/s12906-018-2122-z."""
    own = reading.once(doi.own)
    found = _YEAR_IN_DOI.search(str(own.value).partition("/")[2]) if own else None
    return int(found[0]) + (2000 if len(found[0]) == 3 else 0) if found else None


RECOGNISER = Recogniser("year", ("integer", "string"), find, read)
