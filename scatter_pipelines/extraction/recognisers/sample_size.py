"""How many took part. The abstract is believed first, and words such as "randomised" more than a bare "n =".

Numbers of studies, of events and of subgroups are not told apart yet beyond that order.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.convert import parse_integer
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser

_COUNT = r"(?<![\w.,·])(?P<{name}>\d{{1,3}}(?:[,\u2009\u00a0 ]\d{{3}}){{1,2}}|\d{{1,8}})(?![\w%]|[.,·]\d)"
_WHO = (
    r"(?:patients|participants|subjects|individuals|adults|children|women|men|volunteers|people|persons|students|"
    r"infants|neonates|adolescents|girls|boys|athletes|nurses|respondents|cases|rats|mice|animals|rabbits|dogs|pigs)"
)
_DONE = r"(?:randomi[sz]ed|enrolled|recruited|included|assigned|allocated|analy[sz]ed|participated|studied|divided)"
_ADJECTIVES = r"(?:[A-Za-z][A-Za-z\-]{0,24}\s){0,4}?"

_RANKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:total|sample|cohort)\s(?:sample\s)?(?:size\s)?(?:of|was)\s{_COUNT.format(name='a')}\s{_ADJECTIVES}{_WHO}",
        rf"{_COUNT.format(name='a')}\s{_ADJECTIVES}{_WHO}\s(?:[a-z]+\s){{0,4}}?{_DONE}",
        rf"{_DONE}\s(?:[a-z]+\s){{0,2}}?{_COUNT.format(name='a')}\s{_ADJECTIVES}{_WHO}",
        rf"{_COUNT.format(name='a')}\s{_ADJECTIVES}{_WHO}",
        rf"(?<!\w)N\s?=\s?{_COUNT.format(name='a')}",
    )
)
_YEARS = range(1900, 2100)


def read(quote: str) -> int | None:
    """The number in the quote, by the strongest wording that fits."""
    found = next((match for pattern in _RANKED if (match := pattern.search(quote))), None)
    return _value(found) if found else None


def _value(found: re.Match[str]) -> int | None:
    number = parse_integer(found["a"])
    return number if number else None


def find(reading: Reading) -> Iterator[Found]:
    """From the abstract by rank, then from the methods and results by rank."""
    for names in (("abstract",), ("methods", "results"), ("front", "introduction", "discussion", "conclusion")):
        spans = [span for name in names for span in reading.sections.spans(name)]  # type: ignore[arg-type]
        for pattern in _RANKED:
            yield from _matches(reading, spans, pattern)


def _matches(reading: Reading, spans: list[Span], pattern: re.Pattern[str]) -> Iterator[Found]:
    for span in spans:
        text = reading.layout.document.pages[span.page - 1].text
        for match in pattern.finditer(text, span.start, span.end):
            number = _value(match)
            if number is not None and not (number in _YEARS and "," not in match["a"] and "=" not in match[0]):
                yield Found(number, Span(span.page, match.start(), match.end()))


RECOGNISER = Recogniser("sample_size", ("integer", "number"), find, read)
