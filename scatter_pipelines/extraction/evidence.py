"""The one place where evidence is made, so that its quote is always a slice of its page."""

from scatter_pipelines.extraction.layout import Span, union, words_in
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Evidence


def trimmed(document: Document, span: Span) -> Span:
    """The span without white space at its ends."""
    text = document.pages[span.page - 1].text[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    return Span(span.page, start, max(start, span.start + len(text.rstrip())))


def evidence_at(document: Document, span: Span, *, verified: bool, confidence: float | None = None) -> Evidence:
    """Raises ValueError for a span outside its page or without a character: no value is without evidence."""
    if not 1 <= span.page <= len(document.pages):
        raise ValueError(f"page {span.page} of {len(document.pages)}")
    page = document.pages[span.page - 1]
    if not 0 <= span.start < span.end <= len(page.text):
        raise ValueError(f"characters {span.start} to {span.end} of the {len(page.text)} of page {span.page}")
    box = union(word.box for word in words_in(page, span.start, span.end))
    quote = page.text[span.start : span.end]
    return Evidence(span.page, span.start, span.end, quote, box, verified, page.ocr, confidence)
