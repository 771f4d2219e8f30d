"""The template: the named, versioned list of fields to extract, frozen into the task's row at submit.

Only shape and self-consistency are checked here; reading files and knowing the recognisers is `extraction/`'s.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, get_args

import regex
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

FieldType = Literal["string", "text", "integer", "number", "date", "boolean", "enum"]
FIELD_TYPES: tuple[FieldType, ...] = get_args(FieldType)

SectionName = Literal[
    "front",
    "abstract",
    "keywords",
    "introduction",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "limitations",
    "acknowledgements",
    "funding",
    "conflicts",
    "ethics",
    "data",
    "registration",
    "contributions",
    "abbreviations",
    "appendix",
    "references",
]
SECTION_NAMES: tuple[SectionName, ...] = get_args(SectionName)

MAX_PATTERN_CHARACTERS = 2_000
CONFLICT = "template_conflict"
DUPLICATE = "template_duplicate"


def check_pattern(pattern: str) -> str:
    """The pattern itself; raises where it does not compile or could only ever say "nothing, everywhere"."""
    try:
        compiled = regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise PydanticCustomError("pattern", "not a regular expression: {why}", {"why": str(error)}) from error
    if compiled.fullmatch("") is not None:
        raise PydanticCustomError("pattern", "this regular expression matches the empty text")
    return pattern


def _shape(value: object) -> str:
    return "mapping" if isinstance(value, Mapping) else "list"


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=63)]
Text = Annotated[str, Field(max_length=4_000)]
Value = Annotated[str, Field(min_length=1, max_length=200)]
Pattern = Annotated[str, Field(min_length=1, max_length=MAX_PATTERN_CHARACTERS), AfterValidator(check_pattern)]
Patterns = tuple[Pattern, ...]
PatternsByValue = dict[Value, Patterns]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)


class TemplateField(_Frozen):
    """One field, and how the rules find it.

    A pattern is a regular expression of the `regex` library, case-sensitive unless it says `(?i)`; a space in it also
    matches a line break. Its group `value`, else group 1, else the whole match is the value. A boolean's
    patterns mean true, its `false_patterns` false. An enum's patterns are a mapping from value to patterns; without,
    its values are looked for as words, in any case.
    """

    name: Name
    type: FieldType
    many: bool = False
    required: bool = False
    description: Text = ""
    values: tuple[Value, ...] = ()
    recogniser: Name | None = None
    patterns: Annotated[
        Annotated[Patterns, Tag("list")] | Annotated[PatternsByValue, Tag("mapping")], Discriminator(_shape)
    ] = ()
    false_patterns: Patterns = ()
    section: SectionName | None = None

    @model_validator(mode="before")
    @classmethod
    def _values_from_patterns(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("patterns"), dict) and not data.get("values"):
            return {**data, "values": tuple(data["patterns"])}
        return data

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = [message for _, message in conflicts(self.model_dump())]
        if problems:
            raise PydanticCustomError(CONFLICT, "{problems}", {"problems": "; ".join(problems)})
        return self

    @property
    def has_rule(self) -> bool:
        """Whether it can be found without an LLM."""
        return bool(self.recogniser or self.patterns or self.false_patterns or self.type == "enum")

    def patterns_of(self, value: str) -> Patterns:
        """An enum value's own patterns; none where it is looked for as a word."""
        return self.patterns.get(value, ()) if isinstance(self.patterns, dict) else ()


EvidenceRule = Literal["optional", "required"]
EVIDENCE_RULES: tuple[EvidenceRule, ...] = get_args(EvidenceRule)


class Template(_Frozen):
    """Equal templates have equal hashes, whatever file they came from.

    `evidence` `required`: a value that its evidence does not prove is left out.
    """

    name: Name
    version: Annotated[int, Field(ge=1, strict=True)]
    description: Text = ""
    evidence: EvidenceRule = "optional"
    fields: Annotated[tuple[TemplateField, ...], Field(min_length=1, max_length=500)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [field.name for field in self.fields]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise PydanticCustomError(DUPLICATE, "field names used twice: {names}", {"names": ", ".join(twice)})
        return self

    @property
    def hash(self) -> str:
        """sha256, in hex, of the canonical JSON (sorted keys, no white space, ASCII)."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def conflicts(data: Mapping[str, object]) -> list[tuple[str, str]]:
    """(key, what is wrong) for keys that do not go together; tolerates values of any type, as a draft may have them."""
    return [*_source_conflicts(data), *_enum_conflicts(data), *_boolean_conflicts(data)]


def _source_conflicts(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    patterns = bool(data.get("patterns") or data.get("false_patterns"))
    words = data.get("type") == "enum" and bool(data.get("values"))
    if data.get("recogniser") and patterns:
        yield "recogniser", "give either `recogniser` or `patterns`, not both"
    if not (data.get("recogniser") or patterns or words or data.get("description")):
        yield (
            "name",
            "nothing says how to find it: give a `recogniser` or `patterns` (for an enum, `values` will do), "
            "or a `description` for an LLM",
        )


def _enum_conflicts(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    values, patterns, enum = data.get("values"), data.get("patterns"), data.get("type") == "enum"
    if enum and not values and not isinstance(patterns, Mapping):
        yield "type", "an enum needs `values`, the list of what it may be"
    if not enum and values and not isinstance(patterns, Mapping):
        yield "values", "only an enum has `values`"
    if not enum and isinstance(patterns, Mapping):
        yield "patterns", "only an enum has patterns by value; give a list"
    if enum and patterns and not isinstance(patterns, Mapping):
        yield "patterns", "an enum's patterns are a mapping from value to a list of patterns"
    if enum and isinstance(values, list | tuple):
        yield from _value_conflicts([str(value) for value in values], patterns)


def _value_conflicts(values: list[str], patterns: object) -> Iterator[tuple[str, str]]:
    folded = [value.casefold() for value in values]
    if len(set(folded)) < len(folded):
        yield "values", "a value stands twice (upper and lower case count as the same)"
    if isinstance(patterns, Mapping):
        unknown = [str(key) for key in patterns if str(key) not in values]
        if unknown:
            yield "patterns", f"patterns for what is not among `values`: {', '.join(unknown)}"


def _boolean_conflicts(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    boolean = data.get("type") == "boolean"
    if data.get("false_patterns") and not boolean:
        yield "false_patterns", "only a boolean has `false_patterns`"
    if data.get("many") and boolean:
        yield "many", "a boolean has one value; leave `many` out"
