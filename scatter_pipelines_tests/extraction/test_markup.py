"""What the file's markup says goes before every look at the page; its silence counts where it describes an article."""

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.layout import Layout
from scatter_pipelines.extraction.sections import Sections
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.model.document import Document, Page, Region
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines_tests.extraction.documents import Part, marked, span_of, template

ABSTRACT = "Background It was said. Methods We asked. Results They said it. Conclusion It is so."
ARTICLE: tuple[Part, ...] = (
    ("journal", "Annals of Examples"),
    ("title", "What one says: an enquiry"),
    ("author", "doe, j."),
    ("author", "The Example Group"),
    ("email", "jane@example.org"),
    ("doi", "10.1000/own"),
    ("publication_date", "2018-03-07"),
    ("abstract", ABSTRACT),
    ("keywords", "saying"),
    (None, "A Title In Title Case, As Anna Roe Wrote, 10.1000/other, © 2001"),
    ("heading", "Methods"),
    (None, "We asked."),
    ("heading", "Sample size"),
    (None, "It was 40."),
    ("heading", "Case presentation"),
    (None, "There was one."),
    ("funding", "Nobody paid."),
    ("conflicts", "None."),
    ("reference", "Doe J. On saying. 10.1000/first"),
    ("reference", "Roe J. On asking. 10.1000/second"),
)


@pytest.fixture(scope="module")
def article() -> Document:
    return marked(*ARTICLE, levels={"Methods": 1, "Sample size": 2, "Case presentation": 1})


@pytest.fixture(scope="module")
def fields(article: Document) -> Fields:
    return extract_fields(article, load_template("paper"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "What one says: an enquiry"),
        ("authors", ("doe, j", "The Example Group")),
        ("doi", "10.1000/own"),
        ("abstract", ABSTRACT),
        ("journal", "Annals of Examples"),
        ("year", 2018),
        ("emails", ("jane@example.org",)),
        ("keywords", ("saying",)),
        ("funding", "Nobody paid."),
        ("conflicts_of_interest", "None."),
        ("reference_count", 2),
        ("reference_dois", ("10.1000/first", "10.1000/second")),
    ],
)
def test_the_markups_word_is_the_value(fields: Fields, name: str, value: object) -> None:
    assert fields[name].value == value
    assert all(evidence.confidence == 0.99 for evidence in fields[name].evidence)


def test_every_value_of_the_markup_but_a_count_is_verified(fields: Fields) -> None:
    names = [name for name in fields if name != "reference_count"]
    assert all(evidence.verified for name in names for evidence in fields[name].evidence)


@pytest.mark.parametrize("name", ["title", "authors", "abstract", "keywords", "reference_count", "year"])
def test_an_article_whose_markup_is_silent_has_no_such_value(name: str) -> None:
    text = "A Title That Looks Like One\n\nAnna Roe\n\nAbstract\n" + "Words of a sort. " * 20 + "\nReferences\n"
    document = marked(("journal", "Annals of Examples"), (None, text + "1. a\n2. b\n3. c\n© 2019"))
    assert document.settles("title")
    assert extract_fields(document, load_template("paper"))[name].value is None


def test_a_file_with_mere_headings_says_nothing_of_authors() -> None:
    document = marked(("heading", "On the nature of things"), (None, "Jane Q. Doe, John Roe"), ("heading", "Methods"))
    assert not document.settles("author")
    assert extract_fields(document, load_template("paper"))["authors"].value == ("Jane Q. Doe", "John Roe")


def test_a_section_ends_at_the_next_heading_of_its_level(article: Document) -> None:
    sections = Sections(Layout(article))
    assert sections.inside(span_of(article, "It was 40."), "methods")
    assert not sections.inside(span_of(article, "There was one."), "methods")
    assert sections.inside(span_of(article, "Results They said it."), "abstract")
    assert not sections.spans("results")


def test_all_marked_headings_are_told_also_those_of_sub_sections(article: Document) -> None:
    found = extract_fields(article, template(type="string", many=True, recogniser="sections"))["it"]
    assert found.value == ("Methods", "Sample size", "Case presentation")


def test_a_known_sub_heading_has_its_own_part_of_the_section() -> None:
    document = marked(
        ("heading", "Discussion"), (None, "We saw."), ("heading", "Limitations"), (None, "Few."),
        ("heading", "Funding"), (None, "None."), levels={"Discussion": 1, "Limitations": 2, "Funding": 1},
    )  # fmt: skip
    sections = Sections(Layout(document))
    few = span_of(document, "Few.")
    assert sections.inside(few, "discussion")
    assert sections.inside(few, "limitations")
    assert not sections.inside(span_of(document, "None."), "discussion")


def test_a_marked_heading_at_the_start_is_the_title_without_the_paragraph_below_it() -> None:
    regions = (Region("heading", 1, 0, 14, 1),)
    page = Page(1, "A trial of tea\nWe enrolled 42 patients.\nThey drank it.")
    found = extract_fields(Document((page,), "text/html", "test", regions=regions), load_template("paper"))["title"]
    assert (found.value, found.evidence[0].confidence) == ("A trial of tea", 0.85)
