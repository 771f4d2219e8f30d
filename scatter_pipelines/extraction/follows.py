"""Whether a value follows from the words it is said to be taken from, by its field's type. In doubt it does not."""

import re
from collections.abc import Callable, Iterator, Mapping

from scatter_pipelines.extraction.convert import parse_date, parse_number
from scatter_pipelines.extraction.patterns import SECONDS, compiled
from scatter_pipelines.extraction.quotes import NEGATIONS, stands_for_itself
from scatter_pipelines.extraction.recognisers.counts import COUNT, count_of
from scatter_pipelines.extraction.recognisers.registry import RECOGNISERS
from scatter_pipelines.extraction.rules import patterns_by_value, verify
from scatter_pipelines.extraction.text import DASHES
from scatter_pipelines.extraction.tokens import Tokens
from scatter_pipelines.model.evidence import JsonValue
from scatter_pipelines.model.template import FieldType, TemplateField

WORDS_BETWEEN = 4
"""Between a negation and what it negates, at most."""

_POWER = rf"(?:[eE][{DASHES}+]?\d{{1,3}}|\s?[x×·∙]\s?10\s?\^?[{DASHES}+]?\d{{1,3}})"
_DIGITS = r"(?:\d{1,3}(?:[\u2009\u202f\u00a0 ]\d{3})+|\d[\d.,·∙•⋅'’]*\d|\d|\.\d+)"
_NUMBER = re.compile(
    rf"(?<![\w.,·/])(?P<sign>(?<![\w)%\]])[{DASHES}+])?\s?(?P<digits>{_DIGITS})(?P<power>{_POWER})?%?(?![\w/^]|[.,·]\d)"
    r"(?:\s(?P<scale>hundred|thousand|million|billion|trillion)s?\b)?"
)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_RAISED = re.compile(r"(?<=10)[⁺⁻]?[⁰¹²³⁴-⁹]+")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_COUNT = re.compile(COUNT)
_NO_COUNT = re.compile(
    r"(?:(?:the|this|that|first|last|no|any|which|each|every|another) one\b|\bone (?:of|another|or|by one)\b)", re.I
)
"""The word "one" where it counts nothing."""
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th)?[\s.\-]*(?:of\s)?[A-Za-z]{3,9}\.?,?[\s\-]*\d{4}"
    r"|[A-Za-z]{3,9}\.?\s*\d{1,2}(?:st|nd|rd|th)?,?\s*\d{4}"
    r"|\d{4}[\s\-]+[A-Za-z]{3,9}\.?[\s\-]+\d{1,2}"
)
_BEFORE = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(NEGATIONS))})\b|n['’]t\b)(?:[^\w.;:!?]+\w+){{0,{WORDS_BETWEEN}}}[^\w.;:!?]*$",
    re.IGNORECASE,
)


def follows(value: JsonValue, quote: str, field: TemplateField) -> bool:
    """`quote` are the page's own words. A value that is None follows from nothing."""
    if value is None or not quote.strip():
        return False
    if field.recogniser in RECOGNISERS and verify(value, quote, field):
        return True
    return _CHECKS[field.type](value, quote, field)


def _number(value: JsonValue, quote: str, field: TemplateField) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return any(number == value for number in numbers_in(quote, counts=field.type == "integer"))


def numbers_in(quote: str, *, counts: bool = False) -> Iterator[float]:
    """The numbers that stand in the words for themselves; `counts`: also those spelled out."""
    flat = _RAISED.sub(lambda raised: f"^{raised[0].translate(_LOWERED)}", " ".join(quote.split()))
    for match in _NUMBER.finditer(flat):
        sign = "-" if match["sign"] and match["sign"] != "+" else ""
        number = parse_number(f"{sign}{match['digits']}{match['power'] or ''}")
        if number is not None:
            yield round(number * _SCALES[match["scale"]], 6) if match["scale"] else number
    for match in _COUNT.finditer(_NO_COUNT.sub("", flat)) if counts else ():
        count = count_of(match[0]) if match[0][:1].isalpha() else None
        if count is not None:
            yield count


def _date(value: JsonValue, quote: str, field: TemplateField) -> bool:
    flat = " ".join(quote.split())
    return any(parse_date(match[0]) == value for match in _DATE.finditer(flat))


def _enum(value: JsonValue, quote: str, field: TemplateField) -> bool:
    """Exactly one of the values stands there, it is this one, and no negation stands before it."""
    places = list(_places(quote, field))
    whole = [place for place in places if not any(_is_part(place, other) for other in places)]
    said = {known for known, _, _ in whole}
    return said == {value} and not any(_BEFORE.search(quote[:start]) for _, start, _ in whole)


_Place = tuple[JsonValue, int, int]


def _places(quote: str, field: TemplateField) -> Iterator[_Place]:
    for known, pattern in patterns_by_value(field):
        try:
            for match in compiled(pattern).finditer(quote, timeout=SECONDS):
                yield known, *match.span()
        except TimeoutError:
            continue


def _is_part(place: _Place, other: _Place) -> bool:
    return other[1] <= place[1] and place[2] <= other[2] and other[2] - other[1] > place[2] - place[1]


def _boolean(value: JsonValue, quote: str, field: TemplateField) -> bool:
    """Only a template's own patterns can tell what words mean yes, and what words no."""
    return isinstance(value, bool) and _enum(value, quote, field)


def _text(value: JsonValue, quote: str, field: TemplateField) -> bool:
    """The value's words stand there in one piece and for themselves; upper and lower case are the same."""
    wanted = Tokens(str(value).casefold())
    if not any(token.is_word or token.is_number for token in wanted.tokens):
        return False
    flat = quote.casefold()
    tokens = Tokens(flat)
    return any(stands_for_itself(flat, tokens.tokens, *place) for place in tokens.find(wanted))


_CHECKS: Mapping[FieldType, Callable[[JsonValue, str, TemplateField], bool]] = {
    "integer": _number,
    "number": _number,
    "date": _date,
    "enum": _enum,
    "boolean": _boolean,
    "string": _text,
    "text": _text,
}
