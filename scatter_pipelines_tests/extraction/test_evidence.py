"""The invariant: evidence is a slice of its page, for any document and any template."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scatter_pipelines.extraction.evidence import evidence_at
from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.registry import RECOGNISERS
from scatter_pipelines.model.document import Document, Page, Word
from scatter_pipelines.model.template import SECTION_NAMES, Template
from scatter_pipelines_tests.extraction.documents import plain

_PIECES = (
    "Abstract", "Methods", "References", "Keywords: a", "Jane Doe", "and", ",", "10.1234/a.b", "doi:", "NCT01234567",
    "p < 0.05", "OR 1.2 (95% CI 1.1-1.3)", "12 patients were randomised", "2019", "© 2018", "14 March 2018", "0·05",
    "x" * 200, "-\n", "\n", " ", "\u00a0", "\x0c", "\u2028", "é", "𝑛", "Journal of Tests 2018; 3: 4", "#",
    "A long enough title of something",
)  # fmt: skip
_TEXTS = st.lists(st.sampled_from(_PIECES) | st.text(max_size=8), max_size=40).map(" ".join)
_PATTERNS = st.sampled_from(
    [r"\w+", r"(\d+)", r"(?P<value>p) <", r"\s+", r"(?s).+", r"(a)?b", r"\d[\d.,]*", r"(?m)^.*$ x"]
)


@st.composite
def pages(draw: st.DrawFn, number: int) -> Page:
    text = draw(_TEXTS)
    words: list[Word] = []
    position = 0
    for token in text.split() if draw(st.booleans()) else ():
        start = text.index(token, position)
        position = start + len(token)
        top = draw(st.floats(0, 800))
        words.append(
            Word(
                start,
                position,
                (start, top, position, top + 10),
                draw(st.sampled_from([8.0, 10.0, 18.0])),
                draw(st.booleans()),
            )
        )
    return Page(number, text, tuple(words), 600.0, 800.0)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    count = draw(st.integers(0, 3))
    return Document(
        tuple(draw(pages(number)) for number in range(1, count + 1)), "test", "test", {"Title": draw(_TEXTS)}
    )


@st.composite
def templates(draw: st.DrawFn) -> Template:
    section = draw(st.sampled_from([None, *SECTION_NAMES]))
    fields: list[dict[str, object]] = [
        {
            "name": f"r_{r.name}",
            "type": draw(st.sampled_from(r.types)),
            "recogniser": r.name,
            "many": draw(st.booleans()),
            "section": section,
        }
        for r in RECOGNISERS.values()
    ]
    for kind in ("string", "text", "integer", "number", "date"):
        fields.append(
            {"name": kind, "type": kind, "patterns": [draw(_PATTERNS)], "many": draw(st.booleans()), "section": section}
        )
    fields.append({"name": "enum", "type": "enum", "values": ["patients", "OR"], "many": draw(st.booleans())})
    fields.append({"name": "boolean", "type": "boolean", "patterns": ["doi"], "false_patterns": ["and"]})
    return Template.model_validate({"name": "random", "version": 1, "fields": fields})


@settings(max_examples=150, deadline=None)
@given(documents(), templates())
def test_every_value_has_evidence_that_is_a_slice_of_its_page(document: Document, template: Template) -> None:
    fields = extract_fields(document, template)
    assert list(fields) == [field.name for field in template.fields]
    for field in template.fields:
        found = fields[field.name]
        values = found.value if isinstance(found.value, tuple) else () if found.value is None else (found.value,)
        assert len(values) == len(found.evidence)
        assert None not in values
        assert found.value != ()
        for evidence in found.evidence:
            assert evidence.quote
            assert document.pages[evidence.page - 1].text[evidence.start : evidence.end] == evidence.quote
            assert evidence.quote == evidence.quote.strip()


@settings(max_examples=50, deadline=None)
@given(documents(), templates())
def test_the_same_document_gives_the_same_fields(document: Document, template: Template) -> None:
    assert extract_fields(document, template) == extract_fields(document, template)


@pytest.mark.parametrize(
    "span", [Span(1, 0, 0), Span(1, 2, 1), Span(1, 0, 4), Span(2, 0, 1), Span(0, 0, 1), Span(1, -1, 1)]
)
def test_evidence_outside_the_document_cannot_be_made(span: Span) -> None:
    with pytest.raises(ValueError):
        evidence_at(plain("abc"), span, verified=True)
