import pytest

from scatter_pipelines.extraction.layout import Layout
from scatter_pipelines.extraction.sections import Sections
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.template import SectionName
from scatter_pipelines_tests.extraction.documents import plain, span_of


def sections_of(document: Document) -> Sections:
    return Sections(Layout(document))


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("2. Materials and Methods", "methods"),
        ("II. METHODS", "methods"),
        ("## Methods", "methods"),
        ("Patients and methods:", "methods"),
        ("3 Results and discussion", "results"),
        ("Conflict of interest", "conflicts"),
        ("Acknowledgments", "acknowledgements"),
        ("R E F E R E N C E S", "references"),
        ("Trial registration", "registration"),
    ],
)
def test_a_heading_opens_its_section(heading: str, name: SectionName) -> None:
    document = plain(f"before\n{heading}\nafter")
    assert sections_of(document).inside(span_of(document, "after"), name)
    assert sections_of(document).inside(span_of(document, "before"), "front")


def test_a_sentence_with_a_sections_word_is_no_heading() -> None:
    document = plain("Introduction\nthe methods\nResults of others were known before.\nafter")
    assert not sections_of(document).spans("results")


def test_the_labels_of_a_structured_abstract_do_not_end_it() -> None:
    document = plain("Abstract\nBackground\na\nMethods\nb\nResults\nc\nConclusion\nd\nIntroduction\ne")
    sections = sections_of(document)
    assert sections.inside(span_of(document, "\nd\n"), "abstract")
    assert sections.inside(span_of(document, "\ne"), "introduction")


def test_a_section_goes_on_over_the_page() -> None:
    document = plain("Methods\na", "b\nResults\nc")
    assert [span.page for span in sections_of(document).spans("methods")] == [1, 2]


def test_a_registration_within_the_abstract_lies_in_both() -> None:
    document = plain("Abstract\nWe did.\nTrial registration: NCT01234567\nIntroduction\nx")
    span = span_of(document, "NCT01234567")
    assert sections_of(document).inside(span, "abstract")
    assert sections_of(document).inside(span, "registration")
