"""One small document for each way in which publishers set the first page, and near misses."""

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields, FieldValue
from scatter_pipelines_tests.extraction.documents import Placed, Styled, laid_out, placed

BODY: list[Styled] = [
    (f"Line {n} of the body, set in the type that most of the text has here.", 10.0, False) for n in range(30)
]
ABSTRACT: list[Styled] = [
    ("Sleep helps to learn, but nobody has shown how it does so in adult mice that live alone, and why", 9.0, False),
    ("some of them learn without. We let mice sleep in a hospital bed, or not, and took what came of it,", 9.0, False),
    ("which is more than others did. They learned more when they slept, in each of the three laboratories", 9.0, False),
    ("where they lived, and in one more, the smallest of them all, at the end of the time that we had,", 9.0, False),
    ("accepted, and nothing else made a difference to how well they went through a maze we had built.", 9.0, False),
]
TITLE: list[Styled] = [("Sleep and learning in adult mice that live", 18.0, True), ("alone: a trial", 18.0, True)]
AUTHORS: Styled = ("Anna B. Müller1, Jean-Luc de la Tour2* and Li Wei1,2", 11.0, False)
PLACE: Styled = ("1 Department of Biology, University of Somewhere, Town, Country", 8.0, False)
GAP: Styled = ("", 12.0, False)


def fields_of(document: Document) -> Fields:
    return extract_fields(document, load_template("paper"))


def page(*lines: Styled, title: list[Styled] | None = None, authors: Styled = AUTHORS) -> Document:
    return laid_out([*(title or TITLE), authors, PLACE, *lines, *BODY])


def sure_of(field: FieldValue) -> float:
    return field.evidence[0].confidence or 0.0


def test_a_running_head_larger_than_the_title_is_not_the_title() -> None:
    head = ("Sanli et al., Afr J Examples, (2017) 14 (1): 131-137", 20.0, True)
    found = fields_of(laid_out([head, *TITLE, AUTHORS, PLACE, *BODY]))
    assert found["title"].value == "Sleep and learning in adult mice that live alone: a trial"


def test_a_journals_name_in_large_type_is_not_the_title() -> None:
    found = fields_of(laid_out([("Example Science", 22.0, False), *TITLE, AUTHORS, PLACE, *BODY]))
    assert str(found["title"].value).startswith("Sleep and learning")


@pytest.mark.parametrize("kind", ["Original article:", "RESEARCH ARTICLE", "Systematic Review"])
def test_the_kind_of_article_above_the_title_in_its_type_is_no_part_of_it(kind: str) -> None:
    found = fields_of(laid_out([(kind, 18.0, True), *TITLE, AUTHORS, PLACE, *BODY]))
    assert str(found["title"].value).startswith("Sleep and learning")


def test_bold_authors_under_a_plain_title_of_their_size_are_not_the_title() -> None:
    title = [("SLEEP AND LEARNING IN ADULT MICE THAT LIVE ALONE", 11.0, False)]
    found = fields_of(laid_out([*title, ("Arif Example1, Tahsin Sample2", 11.0, True), PLACE, *BODY]))
    assert found["title"].value == "SLEEP AND LEARNING IN ADULT MICE THAT LIVE ALONE"
    assert found["authors"].value == ("Arif Example", "Tahsin Sample")


def test_a_subtitle_in_smaller_type_of_the_same_weight_belongs_to_the_title() -> None:
    subtitle = ("A protocol of a randomized controlled trial", 15.0, True)
    found = fields_of(laid_out([*TITLE, subtitle, AUTHORS, PLACE, *BODY]))["title"]
    expected = "Sleep and learning in adult mice that live alone: a trial A protocol of a randomized controlled trial"
    assert (found.value, found.evidence[0].verified) == (expected, True)


@pytest.mark.parametrize(
    "line",
    [
        ("A line of the body's size, bold as the title", 10.0, True),
        ("A line that is large but not bold as the title", 15.0, False),
        ("Anna Bea Müller, Jean-Luc Tour and Li Wei", 15.0, True),
        ("Department of Biology, University of Somewhere", 15.0, True),
    ],
)
def test_other_lines_below_the_title_do_not(line: Styled) -> None:
    found = fields_of(laid_out([*TITLE, line, PLACE, *BODY]))
    assert found["title"].value == "Sleep and learning in adult mice that live alone: a trial"


def test_a_list_of_abbreviations_ends_the_abstract() -> None:
    listed = ("Abbreviations: REM = rapid eye movement, OR = odds ratio, and others that nobody reads", 9.0, False)
    found = fields_of(page(("Abstract", 10.0, True), *ABSTRACT, listed, ("Introduction", 12.0, True)))
    assert str(found["abstract"].value).endswith("a maze we had built.")


def test_the_files_own_title_chooses_among_what_stands_on_the_page() -> None:
    small = [("Sleep and learning in adult mice that live alone†", 12.0, False)]
    document = laid_out([("Sleep Learning Community Yearly Meeting Report", 16.0, False), *small, AUTHORS, *BODY])
    hinted = Document(
        document.pages, document.media_type, "test", {"title": "Sleep and learning in adult mice that live alone"}
    )
    assert fields_of(document)["title"].value == "Sleep Learning Community Yearly Meeting Report"
    found = fields_of(hinted)["title"]
    assert found.value == "Sleep and learning in adult mice that live alone"
    assert sure_of(found) > sure_of(fields_of(document)["title"])


def test_a_repositorys_cover_is_passed_over() -> None:
    cover = [("A Cover In The Largest Type Of All", 30.0, True), ("To cite this version:", 9.0, False)]
    found = fields_of(laid_out(cover, [*TITLE, AUTHORS, PLACE, *BODY]))
    assert str(found["title"].value).startswith("Sleep and learning")
    assert found["title"].evidence[0].page == 2


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Rensheng Chu a,b, Zhanjun Li a and Yong Fan b,c,∗", ("Rensheng Chu", "Zhanjun Li", "Yong Fan")),
        ("Kensuke Nakashima,‡a Takeshi Shimizu,‡a Daisuke Tanaka*ab", ("Kensuke Nakashima", "Takeshi Shimizu")),
        ("Euloge S. Adjou . Rene´ G. De`gnon .", ("Euloge S. Adjou", "René G. Dègnon")),
        ("Amalia Mitelu¸t 3, Elena T ˘anase 3", ("Amalia Miteluţ", "Elena Tănase")),
        ("Jane Q. Doe, MD, PhD; John Roe, MPH", ("Jane Q. Doe", "John Roe")),
        ("Dr. Vincent van Gogh & Qurat ul Ain Merchant", ("Vincent van Gogh", "Qurat ul Ain Merchant")),
        ("M.Q.Tang1, Liang-LiangZhang2", ("M.Q. Tang",)),
        (
            "Narayan GyawaliID1, Sheylla Moreira da Silva de Almeida2",
            ("Narayan Gyawali", "Sheylla Moreira da Silva de Almeida"),
        ),
        ("JANE DOE1, JOHN ROE2", ("JANE DOE", "JOHN ROE")),
        ("Ana Roe, Eva Doe, for the Example Trial Study Group", ("Ana Roe", "Eva Doe")),
        ("Yang Liu, Wei Wang, 李明", ("Yang Liu", "Wei Wang")),
    ],
)
def test_names_of_many_kinds_are_authors(line: str, names: tuple[str, ...]) -> None:
    found = fields_of(page(authors=(line, 11.0, False)))["authors"]
    assert isinstance(found.value, tuple)
    assert found.value[: len(names)] == names
    assert all(evidence.verified for evidence in found.evidence)


@pytest.mark.parametrize(
    "line", ["Example Regional Center, North Piedras Street", "Keywords: Sleep Learning, Adult Mice"]
)
def test_what_follows_the_authors_in_smaller_type_is_none(line: str) -> None:
    lines = [*TITLE, ("Amy A. Yau", 11.0, False), (line, 8.0, False), *BODY]
    assert fields_of(laid_out(lines))["authors"].value == ("Amy A. Yau",)


def test_an_abstract_without_a_heading_is_the_paragraph_before_the_introduction() -> None:
    found = fields_of(page(GAP, *ABSTRACT, GAP, ("1. Introduction", 12.0, True)))["abstract"]
    assert str(found.value).startswith("Sleep helps to learn")
    assert str(found.value).endswith("a maze we had built.")
    assert found.evidence[0].verified


def test_an_abstract_without_any_heading_is_told_by_its_type() -> None:
    bold = [(text, 9.0, True) for text, _, _ in ABSTRACT]
    found = fields_of(page(GAP, *bold, GAP))["abstract"]
    assert str(found.value).endswith("a maze we had built.")
    assert sure_of(found) == 0.7


def test_a_letters_first_paragraph_is_no_abstract() -> None:
    body = [(text, 10.0, False) for text, _, _ in ABSTRACT]
    assert fields_of(page(GAP, *body, GAP))["abstract"].value is None


def test_licence_and_addresses_above_the_introduction_are_no_abstract() -> None:
    licence: list[Styled] = [
        (
            "This is an open access article distributed under the Creative Commons Licence, which",
            9.0,
            False,
        ),
        (
            "permits unrestricted use, distribution, and reproduction in any medium, and so on and on.",
            9.0,
            False,
        ),
    ]
    places: list[Styled] = [
        (f"{n} Department of Number {n}, University Hospital, Town {n}, State.", 9.0, False) for n in range(4)
    ]
    found = fields_of(page(GAP, *places, GAP, *licence, GAP, ("1. Introduction", 12.0, True)))
    assert found["abstract"].value is None


@pytest.mark.parametrize("heading", ["Abstract", "ABSTRACT", "Summary", "Abstract Sleep is good."])
def test_a_line_of_an_abstract_that_looks_like_the_frame_does_not_end_it(heading: str) -> None:
    lines = [(heading, 9.0, True), *ABSTRACT[:2], ("citation tracking and published work were read, and", 9.0, False)]
    found = fields_of(page(*lines, *ABSTRACT[2:], ("Introduction", 12.0, True)))["abstract"]
    assert "citation tracking" in str(found.value)
    assert str(found.value).endswith("a maze we had built.")


@pytest.mark.parametrize("heading", ["Strengths and limitations of this study", "Author summary"])
def test_a_second_summary_ends_the_abstract(heading: str) -> None:
    lines = [("Abstract", 12.0, True), *ABSTRACT, (heading, 11.0, True)]
    found = fields_of(page(*lines, ("This is one of them.", 9.0, False)))["abstract"]
    assert str(found.value).endswith("a maze we had built.")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("BMC Med 2014, 12:161", "BMC Medicine"),
        ("Int. J. Mol. Sci. 2019, 20, 1234", "International Journal of Molecular Sciences"),
        ("Citation: Annals of Examples 2019; 7: 11-19", "Annals of Examples"),
        ("Veterinary World, EISSN: 2231-0916", "Veterinary World"),
        ("A. Doe et al. Example Reports (2019) 39 BSR1", "Example Reports"),
    ],
)
def test_the_journal_stands_in_front_of_its_year_or_number(line: str, value: str) -> None:
    found = fields_of(laid_out([(line, 8.0, False), *TITLE, AUTHORS, PLACE, *BODY]))["journal"]
    assert (found.value, found.evidence[0].verified) == (value, True)


def test_the_long_form_of_an_abbreviated_journal_is_believed_where_it_stands_too() -> None:
    head = ("Behav Ecol Sociobiol (2015) 69: 1107-1117", 8.0, False)
    last: list[Styled] = [("Published in Behavioral Ecology and Sociobiology by nobody.", 10.0, False)]
    found = fields_of(laid_out([head, *TITLE, AUTHORS, PLACE, *BODY], last))["journal"]
    assert (found.value, found.evidence[0].page) == ("Behavioral Ecology and Sociobiology", 2)


def test_the_code_in_the_doi_names_the_journal_and_is_the_quote() -> None:
    found = fields_of(page(("https://doi.org/10.1186/s12916-014-0161-y", 8.0, False)))
    assert found["journal"].value == "BMC Medicine"
    assert found["journal"].evidence[0].quote == "10.1186/s12916-014-0161-y"
    assert found["journal"].evidence[0].verified


def test_a_running_head_with_a_page_number_is_the_journal_unless_it_is_the_title() -> None:
    first = [*TITLE, AUTHORS, PLACE, *BODY]
    second: list[Styled] = [("2 Mediators of Inflammation", 10.0, False), *BODY]
    short: list[Styled] = [("2 Sleep and Learning", 10.0, False), *BODY]
    assert fields_of(laid_out(first, second))["journal"].value == "Mediators of Inflammation"
    assert fields_of(laid_out(first, short))["journal"].value is None


@pytest.mark.parametrize(
    "lines",
    [
        ["Supplementary material is at https://doi.org/10.5061/dryad.abc12", "https://doi.org/10.1234/own.5"],
        ["German Edition: DOI: 10.1234/german.5", "DOI: 10.1234/own.5"],
        ["Corrigendum to https://doi.org/10.1234/other.1", "doi: 10.1234/own.5", "doi: 10.1234/own.5.s001"],
        ["https://doi.org/10.1234/", "own.5"],
    ],
)
def test_the_articles_own_doi_goes_before_those_of_others(lines: list[str]) -> None:
    found = fields_of(page(*[(line, 8.0, False) for line in lines]))["doi"]
    assert found.value == "10.1234/own.5"


def test_the_own_doi_behind_the_references_is_told_by_how_it_asks_to_be_cited() -> None:
    last: list[Styled] = [
        ("References", 12.0, True),
        ("1. Other A. Another title. Some Journal 2001; 1: 2. doi: 10.9999/other.1", 10.0, False),
        ("doi:10.1234/own.5", 10.0, False),
        ("Cite this article as: Müller et al.: Sleep and learning.", 10.0, False),
    ]
    found = fields_of(laid_out([*TITLE, AUTHORS, PLACE, *BODY], last))
    assert found["doi"].value == "10.1234/own.5"
    assert found["reference_dois"].value == ("10.9999/other.1",)


def test_a_doi_of_the_text_far_from_the_front_is_not_the_articles() -> None:
    later: list[Styled] = [*BODY, ("as in 10.9999/other.1 and more", 10.0, False)]
    assert fields_of(laid_out([*TITLE, AUTHORS, PLACE, *BODY], BODY, later))["doi"].value is None


@pytest.mark.parametrize(
    ("lines", "year"),
    [
        (["Received 1 May 2017; Accepted 2 December 2017", "Annals of Examples 2018; 7: 11-19"], 2018),
        (["Copyright © 2015 Anna Müller.", "Volume 2016, Article ID 239508"], 2016),
        (
            ["Published in final edited form as:", "J Examples. 2014 March 10; 33(8): 11-19", "available in PMC 2015"],
            2014,
        ),
        (["© The Author(s) 2019"], 2019),
        (["Accepted 30 August 2018", "Version of Record published: 18 January 2019"], 2019),
    ],
)
def test_the_year_is_that_of_publication(lines: list[str], year: int) -> None:
    found = fields_of(page(*[(line, 8.0, False) for line in lines]))["year"]
    assert (found.value, found.evidence[0].verified) == (year, True)


def test_years_that_contradict_each_other_are_less_sure() -> None:
    agreed = fields_of(page(("© 2019 A. Example 2019; 7: 11", 8.0, False)))["year"]
    torn = fields_of(page(("© 2018 A. Example 2019; 7: 11", 8.0, False)))["year"]
    assert sure_of(torn) < sure_of(agreed)


def test_a_second_column_beside_the_abstract_is_not_in_it() -> None:
    left: list[Placed] = [(f"Left column line {n} of the abstract text here.", 9.0, False, 50.0) for n in range(8)]
    frame: list[Placed] = [("Received 1 May 2017", 7.0, False, 450.0)]
    lines: list[Placed] = [(*line, 50.0) for line in [*TITLE, AUTHORS, PLACE, ("Abstract", 12.0, True)]]
    found = fields_of(placed([*lines, *left, *frame, ("Introduction", 12.0, True, 50.0)]))["abstract"]
    assert "Received" not in str(found.value)
    assert str(found.value).endswith("line 7 of the abstract text here.")
