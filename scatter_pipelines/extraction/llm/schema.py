"""From a template's fields to the JSON schema of an answer, and from an answer to values of the fields' types.

The schema keeps to what strict structured outputs allow: every property required, no further ones, null by `anyOf`.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scatter_pipelines.extraction.convert import convert, parse_date
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.evidence import JsonValue
from scatter_pipelines.model.template import TemplateField

_JSON_TYPES: Mapping[str, str] = {"integer": "integer", "number": "number", "boolean": "boolean"}
MOST_VALUES = 1_000
"""Values of one field with `many` that are taken from one answer."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value as an LLM gave it, of the field's type, with the words it says it took it from."""

    value: JsonValue
    quote: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer came to. `invalid` counts values that are not of their field's type and were left out."""

    candidates: Mapping[str, tuple[Candidate, ...]]
    problems: tuple[str, ...] = ()
    invalid: int = 0


class AnswerError(ValueError):
    """The text is no JSON object with the fields asked for; the message says what is wrong."""


def schema_of(fields: Sequence[TemplateField]) -> dict[str, Any]:
    """JSON schema of an object with a property for each field."""
    return _object({field.name: _property(field) for field in fields})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(field: TemplateField) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": _JSON_TYPES.get(field.type, "string")}
    if field.type == "enum":
        kind["enum"] = list(field.values)
    found = _object({"quote": {"type": "string"}, "value": kind})
    return {"type": "array", "items": found} if field.many else {"anyOf": [found, {"type": "null"}]}


def read_answer(text: str, fields: Sequence[TemplateField]) -> Answer:
    """Raises AnswerError where nothing can be read; what single fields lack is in `problems`."""
    data = _json_object(text)
    candidates: dict[str, tuple[Candidate, ...]] = {}
    problems: list[str] = []
    invalid = 0
    for field in fields:
        if field.name not in data:
            problems.append(f"`{field.name}` is missing")
        kept, wrong = _candidates(data.get(field.name), field)
        candidates[field.name] = kept
        problems += wrong
        invalid += len(wrong)
    if len(problems) == len(fields) and all(field.name not in data for field in fields):
        raise AnswerError(f"it has none of the fields {', '.join(field.name for field in fields)}")
    return Answer(candidates, tuple(problems), invalid)


def _json_object(text: str) -> dict[str, Any]:
    """The JSON object in the text, which may stand in a fence or between other words."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise AnswerError("it holds no JSON object")
    try:
        data = json.loads(text[start : end + 1], parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"it is not JSON: {error}") from error
    return dict(data)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _candidates(given: Any, field: TemplateField) -> tuple[tuple[Candidate, ...], list[str]]:
    items = given if isinstance(given, list) else [] if given is None else [given]
    kept: list[Candidate] = []
    wrong: list[str] = []
    for item in items[:MOST_VALUES]:
        raw, quote = (item.get("value"), item.get("quote")) if isinstance(item, dict) else (item, None)
        if raw is None:
            continue
        value = typed(raw, field)
        if value is None:
            wrong.append(f"`{field.name}`: {json.dumps(raw, ensure_ascii=False)[:80]} is not {_wanted(field)}")
        else:
            kept.append(Candidate(value, quote if isinstance(quote, str) else ""))
    return tuple(kept if field.many else kept[:1]), wrong


def _wanted(field: TemplateField) -> str:
    return f"one of {', '.join(field.values)}" if field.type == "enum" else f"of type {field.type}"


def typed(raw: Any, field: TemplateField) -> JsonValue:
    """The value in the field's type; None where it is not of it and cannot be read as it for certain."""
    if isinstance(raw, bool):
        return raw if field.type == "boolean" else None
    if isinstance(raw, int | float):
        return _number(raw, field)
    if not isinstance(raw, str):
        return None
    if field.type == "date":
        return parse_date(raw.strip())
    return convert(raw, field) if field.type != "string" else clean_text(raw) or None


def _number(raw: float, field: TemplateField) -> JsonValue:
    try:
        number = float(raw)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    if field.type == "integer":
        return int(raw) if number.is_integer() and abs(number) < 2**53 else None
    if field.type == "number":
        return number
    return str(raw) if field.type in ("string", "text") else convert(str(raw), field)


def to_json(candidates: Sequence[Candidate]) -> list[dict[str, JsonValue]]:
    return [{"value": candidate.value, "quote": candidate.quote} for candidate in candidates]


def from_json(kept: Any) -> Iterator[Candidate]:
    for item in kept:
        yield Candidate(item["value"], item["quote"])
