"""Extraction's front door: the extractor by name, and the shape in which fields leave the program."""

from collections.abc import Mapping

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction.protocol import Extractor
from scatter_pipelines.extraction.rules import RulesExtractor
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Evidence, Fields, FieldValue
from scatter_pipelines.model.template import Template

_EXTRACTORS: Mapping[str, Extractor] = {extractor.name: extractor for extractor in (RulesExtractor(),)}


def extractor_for(engine: str) -> Extractor:
    """Raises `UsageError` `config_invalid` for a name that no extractor has."""
    if engine not in _EXTRACTORS:
        raise UsageError("config_invalid", f"no engine is named {engine!r}; there is {', '.join(_EXTRACTORS)}")
    return _EXTRACTORS[engine]


def extractor_version(engine: str) -> str:
    """The version to keep with a result: with another one the same document may give other fields."""
    return extractor_for(engine).version


def extract_fields(document: Document, template: Template, *, engine: str = "rules") -> Fields:
    """One value for each field of the template, in its order; a field that was not found has None."""
    return extractor_for(engine).extract(document, template)


def missing_required(fields: Fields, template: Template) -> tuple[str, ...]:
    """Names of the required fields without a value; not an error of the document."""
    return tuple(field.name for field in template.fields if field.required and fields[field.name].value is None)


def fields_to_json(fields: Fields) -> dict[str, object]:
    """The `fields` of an exported line: JSON values only. A field without a value has null and no evidence."""
    return {name: _field_to_json(field) for name, field in fields.items()}


def _field_to_json(field: FieldValue) -> dict[str, object]:
    value = list(field.value) if isinstance(field.value, tuple) else field.value
    return {"value": value, "evidence": [_evidence_to_json(evidence) for evidence in field.evidence]}


def _evidence_to_json(evidence: Evidence) -> dict[str, object]:
    return {
        "page": evidence.page,
        "start": evidence.start,
        "end": evidence.end,
        "quote": evidence.quote,
        "bbox": None if evidence.bbox is None else [round(edge, 2) for edge in evidence.bbox],
        "verified": evidence.verified,
        "ocr": evidence.ocr,
        "confidence": None if evidence.confidence is None else round(evidence.confidence, 2),
    }
