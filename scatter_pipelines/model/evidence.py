"""A value and the words it was taken from."""

from collections.abc import Mapping
from dataclasses import dataclass

from scatter_pipelines.model.document import Box

JsonValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a value stands: `page.text[start:end] == quote` on page `page` (from 1), always.

    `bbox` covers the quote's words; None where the format has no layout. `ocr` says that the page was read from a
    picture. `confidence`, 0 to 1, is how sure the recogniser is of the value; None where the rule has no measure of it.
    `claimed` are the words an LLM gave, where no page has them: then the rest is the place most like them and never
    verified, or page 0 and nothing where there is none.
    """

    page: int
    start: int
    end: int
    quote: str
    bbox: Box | None
    verified: bool
    ocr: bool = False
    confidence: float | None = None
    claimed: str | None = None


@dataclass(frozen=True, slots=True)
class FieldValue:
    """The values of one template field: one value or None, or for `many` a tuple, with evidence in the same order."""

    value: JsonValue | tuple[JsonValue, ...]
    evidence: tuple[Evidence, ...] = ()


Fields = Mapping[str, FieldValue]
