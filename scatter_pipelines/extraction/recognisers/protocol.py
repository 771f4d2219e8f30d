"""What every recogniser offers. One module per recogniser beside this one; `registry.py` knows their names."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from scatter_pipelines.extraction.layout import Layout, Span
from scatter_pipelines.extraction.sections import Sections
from scatter_pipelines.model.evidence import JsonValue
from scatter_pipelines.model.template import FieldType

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading:
    """One document made ready: shared by all fields, so that lines and sections are found once."""

    layout: Layout
    sections: Sections
    _known: dict[Callable[["Reading"], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, find: Callable[["Reading"], T]) -> T:
        """What `find` says of this document, for recognisers that build on one another."""
        if find not in self._known:
            self._known[find] = find(self)
        found: T = self._known[find]
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """A value, the span it was read from, and how sure that is, 0 to 1; None for a pattern of the user's."""

    value: JsonValue
    span: Span
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Recogniser:
    """`find` yields candidates, best first (or in document order where all count); `read` tells a quote's value again.

    `types` are the field types its values can have.
    """

    name: str
    types: tuple[FieldType, ...]
    find: Callable[[Reading], Iterator[Found]]
    read: Callable[[str], JsonValue]
