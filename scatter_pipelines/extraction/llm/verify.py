"""From what an LLM says to a value with evidence: a quote is looked for, a value must follow from what stands there."""

from collections.abc import Sequence
from dataclasses import replace

from scatter_pipelines.extraction.evidence import evidence_at
from scatter_pipelines.extraction.follows import follows
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.llm.schema import Candidate
from scatter_pipelines.extraction.quotes import QuoteFinder
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Evidence, FieldValue
from scatter_pipelines.model.template import TemplateField

MOST_CLAIMED = 2_000
NOWHERE = Evidence(0, 0, 0, "", None, verified=False)


class Verifier:
    """Of one document. Looks for each quote once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._finder = QuoteFinder(document)
        self._spans: dict[str, Span | None] = {}

    def proves(self, candidate: Candidate, field: TemplateField) -> bool:
        """Whether the quote stands in the document and the value follows from it."""
        span = self._span(candidate.quote)
        return span is not None and follows(candidate.value, self._words(span), field)

    def field_value(self, candidates: Sequence[Candidate], field: TemplateField) -> FieldValue:
        """The field's value with its evidence, proved or not."""
        if not candidates:
            return FieldValue(None)
        evidence = tuple(self._evidence(candidate, field) for candidate in candidates)
        if field.many:
            return FieldValue(tuple(candidate.value for candidate in candidates), evidence)
        return FieldValue(candidates[0].value, evidence[:1])

    def _evidence(self, candidate: Candidate, field: TemplateField) -> Evidence:
        span = self._span(candidate.quote)
        if span is not None:
            return evidence_at(self._document, span, verified=follows(candidate.value, self._words(span), field))
        hint = self._finder.hint(candidate.quote)
        near = evidence_at(self._document, hint[0], verified=False) if hint is not None else NOWHERE
        return replace(near, claimed=candidate.quote[:MOST_CLAIMED])

    def _span(self, quote: str) -> Span | None:
        if quote not in self._spans:
            located = self._finder.find(quote)
            self._spans[quote] = located.span if located is not None else None
        return self._spans[quote]

    def _words(self, span: Span) -> str:
        return self._document.pages[span.page - 1].text[span.start : span.end]
