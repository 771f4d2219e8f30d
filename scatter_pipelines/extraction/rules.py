"""The extractor that needs no service: recognisers and patterns. Same document and template: same fields."""

from collections.abc import Iterator
from dataclasses import replace

import regex

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.extraction.convert import convert
from scatter_pipelines.extraction.evidence import evidence_at, trimmed
from scatter_pipelines.extraction.layout import Layout, Span
from scatter_pipelines.extraction.patterns import is_in, matches
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading
from scatter_pipelines.extraction.recognisers.registry import RECOGNISERS
from scatter_pipelines.extraction.sections import Sections
from scatter_pipelines.extraction.text import same_text
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields, FieldValue, JsonValue
from scatter_pipelines.model.template import Template, TemplateField


class RulesExtractor:
    """Offline and deterministic. Raises `DocumentError` `pattern_timeout` where a user's pattern takes too long."""

    name = "rules"
    version = "2"

    def extract(self, document: Document, template: Template) -> Fields:
        layout = Layout(document)
        reading = Reading(layout, Sections(layout))
        return {field.name: _field_value(reading, field) for field in template.fields}


def _field_value(reading: Reading, field: TemplateField) -> FieldValue:
    kept: dict[JsonValue, Found] = {}
    for found in _candidates(reading, field):
        value = _typed(found.value, field)
        if value is not None and value not in kept:
            kept[value] = replace(found, value=value, span=trimmed(reading.layout.document, found.span))
            if not field.many:
                break
    return _with_evidence(reading, field, list(kept.values()))


def _with_evidence(reading: Reading, field: TemplateField, kept: list[Found]) -> FieldValue:
    if not kept:
        return FieldValue(None)
    document = reading.layout.document
    evidence = tuple(
        evidence_at(
            document,
            found.span,
            verified=verify(found.value, reading.layout.text(found.span), field),
            confidence=found.confidence,
        )
        for found in kept
    )
    return FieldValue(tuple(found.value for found in kept) if field.many else kept[0].value, evidence)


def _typed(value: JsonValue, field: TemplateField) -> JsonValue:
    """A recogniser's value in the field's type."""
    if isinstance(value, int) and field.type == "number":
        return float(value)
    return str(value) if isinstance(value, int) and field.type in ("string", "text") else value


def _candidates(reading: Reading, field: TemplateField) -> Iterator[Found]:
    if field.recogniser is None:
        yield from _by_patterns(reading, field)
        return
    recogniser = RECOGNISERS.get(field.recogniser)
    if recogniser is None:
        raise DocumentError("internal_error", f"field {field.name}: no recogniser is named {field.recogniser!r}")
    for found in recogniser.find(reading):
        if field.section is None or reading.sections.inside(found.span, field.section):
            yield found


def _by_patterns(reading: Reading, field: TemplateField) -> Iterator[Found]:
    """In the order of the document for enums and booleans; for other types pattern by pattern, the first strongest."""
    spans = _searched(reading, field)
    document = reading.layout.document
    if field.type in ("enum", "boolean"):
        yield from sorted(
            _by_value(document, spans, field), key=lambda found: (found.span.page, found.span.start, -found.span.end)
        )
        return
    for pattern in field.patterns:
        for span, _ in matches(document, spans, pattern):
            value = convert(reading.layout.text(span), field)
            if value is not None:
                yield Found(value, span)


def _searched(reading: Reading, field: TemplateField) -> tuple[Span, ...]:
    if field.section is not None:
        return reading.sections.spans(field.section)
    return tuple(Span(page.number, 0, len(page.text)) for page in reading.layout.document.pages if page.text)


def _by_value(document: Document, spans: tuple[Span, ...], field: TemplateField) -> Iterator[Found]:
    for value, pattern in patterns_by_value(field):
        for span, match in matches(document, spans, pattern):
            yield Found(value, Span(span.page, *match.span()))


def patterns_by_value(field: TemplateField) -> Iterator[tuple[JsonValue, str]]:
    """What stands for each value of an enum or a boolean."""
    if field.type == "boolean":
        yield from ((True, pattern) for pattern in field.patterns)
        yield from ((False, pattern) for pattern in field.false_patterns)
        return
    for value in field.values:
        yield from ((value, pattern) for pattern in field.patterns_of(value) or (_as_word(value),))


def _as_word(value: str) -> str:
    return rf"(?i)(?<!\w){regex.escape(value, literal_spaces=True)}(?!\w)"


def verify(value: JsonValue, quote: str, field: TemplateField) -> bool:
    """Whether the value follows from the quote alone: read again by the rule that found it, or the same text."""
    if field.recogniser is not None:
        again = RECOGNISERS[field.recogniser].read(quote)
    elif field.type in ("enum", "boolean"):
        return any(is_in(quote, pattern) for known, pattern in patterns_by_value(field) if known == value)
    else:
        again = convert(quote, field)
    if isinstance(value, str) and isinstance(again, str):
        return same_text(value, again)
    return again is not None and (again == value or str(again) == value)
