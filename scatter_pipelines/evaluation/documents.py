"""A document's result as it is judged: its values, each with what is known of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from scatter_pipelines.model.evidence import JsonValue


@dataclass(frozen=True, slots=True)
class Item:
    """One value and its evidence, if it has any."""

    value: JsonValue
    page: int | None = None
    quote: str | None = None
    verified: bool = False
    ocr: bool = False
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One document; `code` says why it is in error, if it is."""

    filename: str
    status: str
    code: str | None
    fields: Mapping[str, tuple[Item, ...]]


def judged(row: Mapping[str, Any]) -> Judged:
    """From a result in the shape of an exported line. What is not completed has found nothing."""
    fields = {name: _items(field) for name, field in row["fields"].items()}
    code = row["error"]["code"] if row["error"] else None
    return Judged(row["filename"], row["status"], code, fields)


def _items(field: Mapping[str, Any]) -> tuple[Item, ...]:
    value = field["value"]
    values = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(
        _item(value, evidence or {}) for value, evidence in zip_longest(values, field["evidence"][: len(values)])
    )


def _item(value: JsonValue, evidence: Mapping[str, Any]) -> Item:
    return Item(
        value,
        page=evidence.get("page"),
        quote=evidence.get("quote"),
        verified=bool(evidence.get("verified")),
        ocr=bool(evidence.get("ocr")),
        confidence=evidence.get("confidence"),
    )
