"""Written forms to values: numbers, dates, enums by word. What cannot be read for certain is None, never a guess."""

import datetime
import math
import re
from collections.abc import Callable, Mapping

from scatter_pipelines.extraction.text import DASHES, clean_text, normalise
from scatter_pipelines.model.evidence import JsonValue
from scatter_pipelines.model.template import FieldType, TemplateField

_MAX_DIGITS = 40
_MINUS = re.compile(f"^[{DASHES}](?=[\\d.])")
_SCIENTIFIC = re.compile(f"^(.+?)(?:[eE]|[x×·∙]10\\^?)([{DASHES}+]?\\d{{1,3}})$")
_GROUPED = re.compile(r"^\d{1,3}(?:([,.'’])\d{3})(?:\1\d{3})*$")
_PLAIN = re.compile(r"^(?:\d+\.?\d*|\.\d+)$")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_FIRST = re.compile(r"^(\d{1,2})(?:st|nd|rd|th)?[\s.\-]*(?:of\s)?([A-Za-z]{3,9})\.?,?[\s\-]*(\d{4})$")
_MONTH_FIRST = re.compile(r"^([A-Za-z]{3,9})\.?\s*(\d{1,2})(?:st|nd|rd|th)?,?\s*(\d{4})$")
_YEAR_FIRST = re.compile(r"^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$")
_YEAR_MONTH_NAME = re.compile(r"^(\d{4})[\s\-]+([A-Za-z]{3,9})\.?[\s\-]+(\d{1,2})$")
_NUMERIC = re.compile(r"^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$")


def parse_number(raw: str) -> float | None:
    """Reads "1,234.5", "1 234", "0·05", "−3", ".5", "12,5", "1.234,5", "4.5 × 10−4" and "5%" (as 5)."""
    text = "".join(clean_text(raw).split()).removesuffix("%").removeprefix("+")
    if not text or len(text) > _MAX_DIGITS:
        return None
    scientific = _SCIENTIFIC.match(text)
    mantissa, exponent = (scientific[1], _MINUS.sub("-", scientific[2])) if scientific else (text, "0")
    plain = _plain_digits(mantissa)
    number = float(f"{plain}e{exponent}") if plain else math.nan
    return number if math.isfinite(number) else None


def _plain_digits(text: str) -> str:
    """Digits with a dot for the decimal sign and perhaps a minus; empty where the text is no number."""
    sign = "-" if _MINUS.match(text) else ""
    body = re.sub(r"[·∙•⋅]", ".", text[len(sign) :])
    dots, commas = body.count("."), body.count(",")
    if dots and commas:
        body = _both_signs(body)
    elif _GROUPED.match(body) and (commas or dots > 1 or "'" in body or "’" in body):
        body = re.sub(r"[,.'’]", "", body)
    elif commas == 1:
        body = body.replace(",", ".")
    return sign + body if _PLAIN.match(body) else ""


def _both_signs(body: str) -> str:
    """The later of dot and comma is the decimal sign, if the other one groups thousands."""
    decimal = max(body.rfind("."), body.rfind(","))
    whole, fraction = body[:decimal], body[decimal + 1 :]
    return f"{re.sub('[,.]', '', whole)}.{fraction}" if _GROUPED.match(whole) else ""


def parse_integer(raw: str) -> int | None:
    number = parse_number(raw)
    return int(number) if number is not None and number.is_integer() and abs(number) < 2**53 else None


def parse_date(raw: str) -> str | None:
    """ISO 8601. A date such as 03/04/2018, which means two different days, is None."""
    text = clean_text(raw)
    for pattern, read in _DATE_FORMS:
        found = pattern.match(text)
        if found:
            return read(found)
    return None


def _iso(year: str, month: int | None, day: str) -> str | None:
    try:
        return datetime.date(int(year), month or 0, int(day)).isoformat()
    except ValueError:
        return None


def _month(name: str) -> int | None:
    short = name[:3].casefold()
    full = _FULL_MONTHS.get(short, "")
    return _MONTHS.index(short) + 1 if short in _MONTHS and full.startswith(name.casefold()) else None


_FULL_MONTHS: Mapping[str, str] = {
    name[:3]: name
    for name in (
        "january", "february", "march", "april", "may", "june",
        "july", "august", "september", "october", "november", "december",
    )
}  # fmt: skip


def _numeric(found: re.Match[str]) -> str | None:
    first, sign, second, year = int(found[1]), found[2], int(found[3]), found[4]
    if sign == "." or first > 12 or first == second:
        return _iso(year, second, found[1])
    return _iso(year, first, found[3]) if second > 12 else None


_DATE_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]], ...] = (
    (_YEAR_FIRST, lambda m: _iso(m[1], int(m[3]), m[4])),
    (_DAY_FIRST, lambda m: _iso(m[3], _month(m[2]), m[1])),
    (_MONTH_FIRST, lambda m: _iso(m[3], _month(m[1]), m[2])),
    (_YEAR_MONTH_NAME, lambda m: _iso(m[1], _month(m[2]), m[3])),
    (_NUMERIC, _numeric),
)


def parse_boolean(raw: str) -> bool | None:
    word = clean_text(raw).casefold()
    return True if word in ("yes", "true") else False if word in ("no", "false") else None


def convert(raw: str, field: TemplateField) -> JsonValue:
    """The field's value as written in `raw`, or None where `raw` is not of its type."""
    if field.type == "enum":
        folded = normalise(raw)
        return next((value for value in field.values if normalise(value) == folded), None)
    return _READERS[field.type](raw)


_READERS: Mapping[FieldType, Callable[[str], JsonValue]] = {
    "string": lambda raw: clean_text(raw) or None,
    "text": lambda raw: clean_text(raw) or None,
    "integer": parse_integer,
    "number": parse_number,
    "date": parse_date,
    "boolean": parse_boolean,
}
