"""Extraction's front door: the engines by name, and the shape in which fields leave the program."""

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction.llm import llm, prompt
from scatter_pipelines.extraction.llm.llm import Extracted, LlmExtraction, Model, Planned
from scatter_pipelines.extraction.llm.protocol import Asker
from scatter_pipelines.extraction.rules import RulesExtractor
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Evidence, Fields, FieldValue
from scatter_pipelines.model.template import Template

RULES = RulesExtractor()
ENGINES = ("rules", "llm", "rules+llm")


def check_engine(engine: str, template: Template) -> None:
    """Raises UsageError for a name that no engine has, and for fields that it cannot find."""
    if engine not in ENGINES:
        raise UsageError("config_invalid", f"no engine is named {engine!r}; there is {', '.join(ENGINES)}")
    without = [field.name for field in template.fields if not field.has_rule]
    if without and not uses_llm(engine):
        raise UsageError(
            "template_invalid",
            f"The engine {engine} finds nothing for {', '.join(without)}: give a `recogniser` or `patterns`, or use "
            "the engine llm or rules+llm.",
        )


def uses_llm(engine: str) -> bool:
    return engine in ("llm", "rules+llm")


def uses_rules(engine: str) -> bool:
    return engine in ("rules", "rules+llm")


def extractor_version(engine: str) -> str:
    """The version to keep with a result: with another one the same document may give other fields."""
    parts = [RULES.version] if uses_rules(engine) else []
    if uses_llm(engine):
        parts.append(f"llm {llm.VERSION} ({prompt.VERSION})")
    return "; ".join(parts)


def extract_fields(document: Document, template: Template) -> Fields:
    """By rules: a value for each field, in the template's order; one that was not found, or has no rule, has None."""
    return _as_demanded(RULES.extract(document, template), template)


def ask_for_fields(
    document: Document, template: Template, *, engine: str, model: Model, asker: Asker, salt: str = ""
) -> Extracted:
    """By an LLM; with `rules+llm` what rules prove is not asked for, and what else they found stands in for nothing.

    Raises DocumentError and what the asker raises.
    """
    found = _by_rules(document, template, engine)
    extracted = LlmExtraction(document, template, model, asker, salt).extract(_settled(found))
    fields = {
        name: found[name] if value.value is None and name in found else value
        for name, value in extracted.fields.items()
    }
    return Extracted(_as_demanded(fields, template), extracted.told)


def plan_calls(
    document: Document, template: Template, *, engine: str, model: Model, asker: Asker, salt: str = ""
) -> list[Planned]:
    """The calls that `ask_for_fields` may make."""
    return LlmExtraction(document, template, model, asker, salt).planned(
        _settled(_by_rules(document, template, engine))
    )


def _by_rules(document: Document, template: Template, engine: str) -> Fields:
    return RULES.extract(document, template) if uses_rules(engine) else {}


def _settled(found: Fields) -> Fields:
    """What the rules can prove."""
    return {name: value for name, value in found.items() if value.value is not None and _proved(value)}


def _proved(value: FieldValue) -> bool:
    return all(evidence.verified for evidence in value.evidence)


def _as_demanded(fields: Fields, template: Template) -> Fields:
    """Without the values that are not proved, where the template wants it so."""
    if template.evidence != "required":
        return fields
    return {name: value if _proved(value) else _without_unproved(value) for name, value in fields.items()}


def _without_unproved(value: FieldValue) -> FieldValue:
    if not isinstance(value.value, tuple):
        return FieldValue(None)
    kept = [(one, evidence) for one, evidence in zip(value.value, value.evidence, strict=True) if evidence.verified]
    if not kept:
        return FieldValue(None)
    return FieldValue(tuple(one for one, _ in kept), tuple(evidence for _, evidence in kept))


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
    stands = evidence.page > 0
    return {
        "page": evidence.page if stands else None,
        "start": evidence.start if stands else None,
        "end": evidence.end if stands else None,
        "quote": evidence.quote,
        "bbox": None if evidence.bbox is None else [round(edge, 2) for edge in evidence.bbox],
        "verified": evidence.verified,
        "ocr": evidence.ocr,
        "confidence": None if evidence.confidence is None else round(evidence.confidence, 2),
        **({"claimed": evidence.claimed} if evidence.claimed is not None else {}),
    }
