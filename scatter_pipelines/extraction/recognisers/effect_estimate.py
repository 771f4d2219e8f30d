"""Effect estimates with their confidence interval, in one form: "OR 1.45 (95% CI 1.10-1.92)".

That is the measure, the estimate, the level and the limits, joined by a hyphen; numbers have the paper's digits with a
dot for the decimal sign and a hyphen for the minus. Not taken: limits in the wrong order, an estimate outside of its
interval, a ratio that is not positive, an interval whose measure is not named.

How sure: 0.95 where the measure stands right before the estimate; 0.85 where up to 60 characters lie between; 0.7 where
it was named earlier in the sentence; 0.8 in a table under a heading that names it; 0.6 without "CI", after another
estimate in the sentence had it; 0.5 without "CI" where the measure stands right before and the document gives a level
elsewhere. A measure named as "difference" alone takes off 0.15.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scatter_pipelines.extraction.convert import parse_number
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.measures import MEASURE, is_ratio, measure_of
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.tables import columns_under
from scatter_pipelines.extraction.text import DASHES
from scatter_pipelines.model.document import Page

_BEFORE = 220
_NUMBER = rf"(?:(?<![\w.])[{DASHES}+]\s?)?(?:\d{{1,6}}(?:[.·,∙]\d{{1,6}})?|[.·]\d{{1,6}})"
_TO = rf"\s{{0,2}}%?\s{{0,2}}(?:to|and|through|[{DASHES},;~])\s{{0,2}}"
_LIMITS = rf"(?P<low>{_NUMBER}){_TO}(?P<high>{_NUMBER})(?![\w.·]*\d)"
_LEVEL = re.compile(
    r"(?:(?P<level>\d{2}(?:[.·]\d{1,2})?)\s?(?:%|per\s?cent)[\s-]{0,2}"
    r"(?:CIs?\b|C\.I\.|CrIs?\b|UIs?\b|IC\b|(?i:(?:confidence|credible|uncertainty)\s(?:intervals?|limits?)\b))"
    r"|\b(?:CI|IC)\s?(?P<after>9[059])\s?%)(?:\s?[\(\[](?:CIs?|CrIs?)[\)\]])?"
)
_UNIT = r"(?:\s?(?:%|[A-Za-zµ°][A-Za-z0-9µ°²/.\-]{0,14}(?:\s[A-Za-z]{1,8}){0,2}))?"
_P = r"(?:[,;]?\s{0,2}[pP]\s?[=<>≤]\s?[\d.,·]{1,8})?"
_ESTIMATE = re.compile(
    rf"(?<![\w.·])(?<!\d,)(?P<estimate>{_NUMBER}){_UNIT}{_P}\s{{0,2}}[,;:\(\[]{{0,2}}\s{{0,2}}(?:with\s|and\s)?(?:an?\s|the\s)?$"
)
_AFTER_LEVEL = re.compile(
    rf"\s{{0,2}}[\)\]]?\s{{0,2}}[=:,;\(\[]{{0,2}}\s{{0,2}}(?:of\s|was\s|is\s|from\s|ranges?\s|ranging\sfrom\s)?{_LIMITS}"
)
_LABELLED = re.compile(
    rf"\s{{0,2}}[\)\]]?\s{{0,2}}[=:,]?\s{{0,2}}(?:of\s|was\s|were\s|is\s)?(?P<estimate>{_NUMBER})\s{{0,2}}%?\s?[\(\[]{_LIMITS}"
)
_BARE = re.compile(rf"(?<![\w.·])(?<!\d,)(?P<estimate>{_NUMBER})\s{{0,2}}%?\s?[\(\[]{_LIMITS}\s?%?\s?[\)\];,]")
_SENTENCE_END = re.compile(r"[.?!]\s+(?=[A-Z])|\n\s*\n")
_DIRECT = re.compile(r"[\s=:,\(\[]{0,4}(?:of|was|is|were)?[\s=:,]{0,3}")


@dataclass(frozen=True, slots=True)
class _Interval:
    """Positions in the page's text; `measured` is where the measure's name has to end before."""

    start: int
    end: int
    measured: int
    numbers: tuple[str, str, str]
    level: str
    labelled: bool = True


def read(quote: str) -> str | None:
    """The last estimate in the quote: a quote begins where its measure is named."""
    values = [value for value, _, _, _ in _estimates(quote)]
    return values[-1] if values else None


def find(reading: Reading) -> Iterator[Found]:
    """In the order of the pages, those with a level first; then the tables."""
    pages = reading.layout.document.pages
    levels: Counter[str] = Counter()
    for page in pages:
        levels.update(level["level"] for level in _LEVEL.finditer(page.text) if level["level"])
        for value, start, end, sure in _estimates(page.text):
            yield Found(value, Span(page.number, start, end), sure)
    yield from _in_tables(reading)
    if levels:
        for page in pages:
            yield from _by_convention(page, levels.most_common(1)[0][0])


def _estimates(text: str) -> Iterator[tuple[str, int, int, float]]:
    for interval in _intervals(text):
        since = max(0, interval.measured - _BEFORE)
        sentence = _since_sentence(text, since, interval.measured)
        measures = list(MEASURE.finditer(text, sentence, interval.measured))
        if measures:
            value = _value(measure_of(measures[-1]), interval)
            if value:
                yield value, measures[-1].start(), interval.end, _sure(text, measures[-1], interval)


def _sure(text: str, measure: re.Match[str], interval: _Interval) -> float:
    gap = text[measure.end() : interval.measured]
    plain = 0.15 if (measure["long"] or "").lower().startswith("difference") else 0.0
    if not interval.labelled:
        return 0.6 - plain
    if _DIRECT.fullmatch(gap) or interval.measured > interval.start:
        return 0.95 - plain
    return (0.85 if len(gap) <= 60 and not re.search(r"\d", gap) else 0.7) - plain


def _since_sentence(text: str, since: int, until: int) -> int:
    ends = [end.end() for end in _SENTENCE_END.finditer(text, since, until)]
    return ends[-1] if ends else since


def _intervals(text: str) -> Iterator[_Interval]:
    """Those with a level, and those in brackets that follow one in its sentence."""
    end = 0
    for level in _LEVEL.finditer(text):
        found = _interval(text, level)
        if found is None or found.start < end:
            continue
        yield found
        end = found.end
        for bare in _following(text, found):
            yield bare
            end = bare.end


def _interval(text: str, level: re.Match[str]) -> _Interval | None:
    percent = (level["level"] or level["after"]).replace("·", ".")
    since = max(0, level.start() - 80)
    estimate = _ESTIMATE.search(text[since : level.start()])
    limits = _AFTER_LEVEL.match(text, level.end())
    if estimate and limits:
        start = since + estimate.start()
        return _Interval(start, limits.end(), start, (estimate["estimate"], limits["low"], limits["high"]), percent)
    labelled = _LABELLED.match(text, level.end())
    if labelled is None:
        return None
    numbers = (labelled["estimate"], labelled["low"], labelled["high"])
    return _Interval(level.start(), labelled.end(), level.start(), numbers, percent)


def _following(text: str, first: _Interval) -> Iterator[_Interval]:
    """ "and 2.10 (1.30-3.39)" after an estimate with its level, up to the sentence's end or the next level."""
    stop = _SENTENCE_END.search(text, first.end, first.end + _BEFORE)
    level = _LEVEL.search(text, first.end, first.end + _BEFORE)
    until = min(match.start() for match in (stop, level) if match) if stop or level else first.end + _BEFORE
    for bare in _BARE.finditer(text, first.end, min(until, len(text))):
        numbers = (bare["estimate"], bare["low"], bare["high"])
        yield _Interval(bare.start(), bare.end("high"), bare.start(), numbers, first.level, labelled=False)


def _by_convention(page: Page, level: str) -> Iterator[Found]:
    """ "OR 1.45 (1.10-1.92)" in a document that says elsewhere what its brackets hold."""
    for bare in _BARE.finditer(page.text):
        measures = list(MEASURE.finditer(page.text, max(0, bare.start() - 60), bare.start()))
        if measures and _DIRECT.fullmatch(page.text, measures[-1].end(), bare.start()):
            numbers = (bare["estimate"], bare["low"], bare["high"])
            value = _value(measure_of(measures[-1]), _Interval(0, 0, 0, numbers, level))
            if value:
                yield Found(value, Span(page.number, measures[-1].start(), bare.end("high")), 0.5)


def _in_tables(reading: Reading) -> Iterator[Found]:
    """Cells such as "1.45 (1.10-1.92)" under a heading such as "OR (95% CI)"."""
    for header, cell in columns_under(reading.layout.document, _LEVEL):
        measures = list(MEASURE.finditer(header))
        level, numbers = _LEVEL.search(header), _BARE.match(reading.layout.text(cell).strip())
        if measures and level and numbers:
            percent = (level["level"] or level["after"]).replace("·", ".")
            parts = (numbers["estimate"], numbers["low"], numbers["high"])
            value = _value(measure_of(measures[-1]), _Interval(0, 0, 0, parts, percent))
            if value:
                yield Found(value, cell, 0.8)


def _value(measure: str, interval: _Interval) -> str | None:
    parts = [_digits(number) for number in interval.numbers]
    estimate, low, high = (parse_number(part) for part in parts)
    if estimate is None or low is None or high is None or not low <= estimate <= high:
        return None
    if is_ratio(measure) and (estimate <= 0 or low < 0):
        return None
    return f"{measure} {parts[0]} ({interval.level}% CI {parts[1]}-{parts[2]})"


def _digits(raw: str) -> str:
    """The number as written, with a dot for the decimal sign and a hyphen for the minus."""
    compact = re.sub(f"^[{DASHES}]", "-", "".join(raw.split())).removeprefix("+")
    dotted = re.sub(r"[·∙,]", ".", compact)
    return re.sub(r"^(-?)\.", r"\g<1>0.", dotted)


RECOGNISER = Recogniser("effect_estimate", ("string", "text"), find, read)
