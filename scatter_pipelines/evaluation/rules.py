"""How a field is scored: it follows from its template field, never from its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scatter_pipelines.model.template import FieldType, TemplateField

Kind = Literal["text", "name", "figure", "identifier", "number", "date", "boolean", "choice"]
Level = Literal["exact", "soft", "levenshtein"]

LEVELS: tuple[Level, ...] = ("exact", "soft", "levenshtein")
"""From strict to lenient: what is right at one is right at the next."""

LEVELS_OF: Mapping[Kind, tuple[Level, ...]] = {
    "text": LEVELS,
    "name": ("exact", "soft"),
    "figure": ("exact", "soft"),
    "identifier": ("exact",),
    "number": ("exact",),
    "date": ("exact",),
    "boolean": ("exact",),
    "choice": ("exact",),
}
_BY_TYPE: Mapping[FieldType, Kind] = {
    "string": "text",
    "text": "text",
    "integer": "number",
    "number": "number",
    "date": "date",
    "boolean": "boolean",
    "enum": "choice",
}
_BY_RECOGNISER: Mapping[str, Kind] = {
    "authors": "name",
    "doi": "identifier",
    "reference_dois": "identifier",
    "email": "identifier",
    "registration": "identifier",
    "p_value": "figure",
    "effect_estimate": "figure",
    "arms": "figure",
}
"""Recognisers of strings that are no running text."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """One field as it is scored. `choices` are the values of an enum."""

    name: str
    kind: Kind
    type: FieldType
    many: bool
    choices: tuple[str, ...] = ()

    @property
    def levels(self) -> tuple[Level, ...]:
        return LEVELS_OF[self.kind]

    @property
    def main(self) -> Level:
        """The level whose precision, recall and F1 stand for the field: the most lenient it has."""
        return self.levels[-1]

    def nearest(self, level: Level) -> Level:
        """`level`, or where the field has no such level the next stricter one."""
        return level if level in self.levels else self.main


def rule_of(field: TemplateField) -> FieldRule:
    kind = _BY_TYPE[field.type]
    if kind == "text":
        kind = _BY_RECOGNISER.get(field.recogniser or "", kind)
    return FieldRule(field.name, kind, field.type, field.many, field.values)
