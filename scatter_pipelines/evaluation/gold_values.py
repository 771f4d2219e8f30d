"""A gold value as its field's type wants it, or why it cannot be one."""

import datetime
import math
from collections.abc import Callable, Mapping
from typing import Any

from scatter_pipelines.evaluation.normalise import exact_text
from scatter_pipelines.evaluation.rules import FieldRule
from scatter_pipelines.model.evidence import JsonValue
from scatter_pipelines.model.template import FieldType

SEPARATOR = ";"
"""Between the values of a list in one CSV cell."""
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def read_values(rule: FieldRule, given: Any) -> tuple[JsonValue, ...]:
    """The values of one field as JSON has them; empty where gold leaves it empty. ValueError says what is wrong."""
    if isinstance(given, dict) and "value" in given:
        given = given["value"]
    if given is None:
        return ()
    if rule.many and not isinstance(given, list):
        raise ValueError(f"must be a list, since the field has `many: true`, but is {_shown(given)}")
    if isinstance(given, list) and not rule.many:
        raise ValueError(f"must be one value, but is the list {_shown(given)}")
    items = given if isinstance(given, list) else [given]
    return tuple(_value(rule, item) for item in items if not _is_empty(item))


def read_cell(rule: FieldRule, cell: str) -> tuple[JsonValue, ...]:
    """The same for a cell of a CSV."""
    parts = cell.split(SEPARATOR) if rule.many else [cell]
    return tuple(_value(rule, part.strip()) for part in parts if part.strip())


def _is_empty(item: Any) -> bool:
    return item is None or (isinstance(item, str) and not item.strip())


def _value(rule: FieldRule, item: Any) -> JsonValue:
    if isinstance(item, dict | list):
        raise ValueError(f"must be {_WANTED[rule.type]}, but is {_shown(item)}")
    value = _READERS[rule.type](item)
    if value is None:
        raise ValueError(f"must be {_WANTED[rule.type]}, but is {_shown(item)}")
    if rule.kind == "choice" and _fold(str(value)) not in map(_fold, rule.choices):
        raise ValueError(f"must be one of {', '.join(rule.choices)}, but is {_shown(item)}")
    return value


def _fold(text: str) -> str:
    return exact_text(text).casefold()


def _shown(item: Any) -> str:
    text = repr(item)
    return text if len(text) <= 60 else text[:59] + "…"


def _text(item: Any) -> JsonValue:
    return item if isinstance(item, str) else None


def _number(item: Any) -> float | int | None:
    if isinstance(item, bool) or "_" in str(item):
        return None
    for read in (int, float) if isinstance(item, str) else (lambda number: number,):
        try:
            number: float | int = read(item)
            return number if math.isfinite(number) else None
        except (ValueError, OverflowError):
            continue
    return None


def _integer(item: Any) -> JsonValue:
    number = _number(item)
    return int(number) if number is not None and number == int(number) else None


def _date(item: Any) -> JsonValue:
    try:
        return datetime.date.fromisoformat(item.strip()).isoformat() if isinstance(item, str) else None
    except ValueError:
        return None


def _truth(item: Any) -> JsonValue:
    return item if isinstance(item, bool) else _TRUTH.get(str(item).strip().casefold())


_READERS: Mapping[FieldType, Callable[[Any], JsonValue]] = {
    "string": _text,
    "text": _text,
    "enum": _text,
    "integer": _integer,
    "number": _number,
    "date": _date,
    "boolean": _truth,
}
_WANTED: Mapping[FieldType, str] = {
    "string": "text in quotes",
    "text": "text in quotes",
    "enum": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "date": "a date such as 2024-03-31",
    "boolean": "true or false",
}
