"""E-mail, keywords, funding, conflicts, references and headings, with near misses."""

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.recognisers import reference_count, reference_dois
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import FieldValue
from scatter_pipelines_tests.extraction.documents import Placed, Styled, laid_out, placed, plain, template


def many(document: Document, recogniser: str) -> FieldValue:
    return extract_fields(document, template(type="string", many=True, recogniser=recogniser))["it"]


def one(document: Document, recogniser: str, kind: str = "text") -> FieldValue:
    return extract_fields(document, template(type=kind, recogniser=recogniser))["it"]


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("E-mail: jane.doe@example.org.", ("jane.doe@example.org",)),
        ("(j_doe@mail.example.ac.uk; roe@example.com)", ("j_doe@mail.example.ac.uk", "roe@example.com")),
        ("Email: jane@\nexample.org", ("jane@example.org",)),
        ("5 mg @ 3 days, x@y", None),
        ("Text\nReferences\n1. Write to jane@example.org", None),
    ],
)
def test_an_address_is_an_address_outside_of_the_references(text: str, addresses: tuple[str, ...] | None) -> None:
    found = many(plain(text), "email")
    assert found.value == addresses
    assert all(evidence.verified for evidence in found.evidence)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["Keywords: sleep, adult mice, IL-6"], ("sleep", "adult mice", "IL-6")),
        (["Key words: sleep; mice, wild; maze"], ("sleep", "mice, wild", "maze")),
        (["KEYWORDS", "sleep • adult", "mice • maze"], ("sleep", "adult mice", "maze")),
        (["Keywords Sleep learning - Adult mice - Maze -"], ("Sleep learning", "Adult mice", "Maze")),
        (["Keywords", "sleep", "adult mice"], ("sleep", "adult mice")),
        (["Keywords: one, two.", "Copyright 2019"], ("one", "two")),
    ],
)
def test_keywords_are_parted_by_the_sign_they_use(lines: list[str], words: tuple[str, ...]) -> None:
    styled: list[Styled] = [(line, 10.0, False) for line in lines]
    found = many(laid_out([*styled, ("Introduction", 12.0, True), ("Text, with commas.", 10.0, False)]), "keywords")
    assert found.value == words
    assert all(evidence.verified for evidence in found.evidence)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Text.\n\nFunding\nThis work was paid by nobody.\n\nReferences\nx", "This work was paid by nobody."),
        ("Text.\nFunding: The Example Fund (grant 12).\n\nMore.", "The Example Fund (grant 12)."),
        ("Text of others. The study was supported in part by a grant from the fund. More.",
         "The study was supported in part by a grant from the fund."),
        ("This research received no specific grant from any agency. More.",
         "This research received no specific grant from any agency."),
        ("The patients were supported in their walking.", None),
    ],
)  # fmt: skip
def test_funding_is_its_paragraph_or_the_sentence_that_names_it(text: str, value: str | None) -> None:
    assert one(plain(text), "funding").value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x\nCompeting interests\nThe authors declare to have none.\n\nz", "The authors declare to have none."),
        ("x\nConflict of Interest: None declared.\n\nz", "None declared."),
        ("Thanks to all. The authors report no conflicts of interest. Next.",
         "The authors report no conflicts of interest."),
        ("Competing risks and interests were modelled.", None),
    ],
)  # fmt: skip
def test_conflicts_are_their_paragraph_or_the_sentence_that_declares_them(text: str, value: str | None) -> None:
    found = one(plain(text), "conflicts")
    assert found.value == value
    assert all(evidence.verified for evidence in found.evidence)


def test_a_heading_goes_before_a_sentence_elsewhere() -> None:
    text = "The study was supported by the Text Fund. More.\nFunding\nThe Heading Fund paid.\n\nReferences\nx"
    found = one(plain(text), "funding")
    assert found.value == "The Heading Fund paid."
    assert found.evidence[0].confidence == 0.9


NUMBERED = ["1. Doe J. On sleep. Some J 2001; 1: 2.", "12 patients were in it, doi: 10.1000/a.1", "2. Roe J. On mice.",
            "2005; 7: 8.", "3. Poe E. On ravens. https://doi.org/10.1000/", "b.2018"]  # fmt: skip


@pytest.mark.parametrize("form", ["{}.", "[{}]", "({})", "{}"])
def test_numbered_references_are_counted_by_their_numbers(form: str) -> None:
    lines = [form.format(line[0]) + line[2:] if line[1:3] == ". " else line for line in NUMBERED]
    document = plain("Text\nReferences\n" + "\n".join(lines))
    found = one(document, "reference_count", "integer")
    assert (found.value, found.evidence[0].verified) == (3, True)
    assert len(many(document, "references").value or ()) == 3  # type: ignore[arg-type]


def test_the_dois_of_references_are_whole_also_over_a_lines_end() -> None:
    found = many(plain("Text\nReferences\n" + "\n".join(NUMBERED)), "reference_dois")
    assert found.value == ("10.1000/a.1", "10.1000/b.2018")
    assert all(evidence.verified for evidence in found.evidence)


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("10.1007/s0025\n3-012-4641-8.", "10.1007/s00253-012-4641-8"),
        ("10.1021/jf035094l.\n34. Next", "10.1021/jf035094l"),
        ("10.1021/jf035094l\nNext", "10.1021/jf035094l"),
    ],
)
def test_a_doi_broken_anywhere_takes_its_rest_but_no_number_of_the_list(quote: str, value: str) -> None:
    assert reference_dois.read(quote) == value


def test_references_without_numbers_are_told_by_their_hanging_indent() -> None:
    lines: list[Placed] = [("References", 12.0, True, 50.0)]
    for n in range(6):
        lines += [(f"Author{n} AB and others wrote a title of some length", 9.0, False, 50.0),
                  ("that goes on here, Some Journal 2001.", 9.0, False, 62.0)]  # fmt: skip
    found = one(placed([*lines, ("© 2019 The Publisher", 9.0, False, 50.0)]), "reference_count", "integer")
    assert found.value == 6
    assert not found.evidence[0].verified


def test_references_without_numbers_or_layout_are_told_by_blank_lines() -> None:
    text = "Text\nReferences\nDoe J. On sleep. J 2001.\n\nRoe J. On mice,\nand. J 2002.\n\nPoe E. On ravens. J 2003."
    assert one(plain(text), "reference_count", "integer").value == 3


def test_a_document_without_a_list_of_references_has_no_count() -> None:
    assert one(plain("Text\n1. a\n2. b\n3. c"), "reference_count", "integer").value is None


def test_a_references_running_head_is_no_part_of_the_list() -> None:
    head: Styled = ("Annals of Examples 2019", 8.0, False)
    first = [head, ("References", 12.0, True), *[(f"{n}. Doe J. Title. J 2001.", 10.0, False) for n in (1, 2)]]
    second = [head, *[(f"{n}. Doe J. Title. J 2001.", 10.0, False) for n in (3, 4)]]
    found = many(laid_out(first, second), "references")
    assert found.value and len(found.value) == 1  # type: ignore[arg-type]
    assert one(laid_out(first, second), "reference_count", "integer").value == 4


def test_the_count_is_the_number_at_the_quotes_start() -> None:
    assert reference_count.read("[45] Smith J. 2001") == 45
    assert reference_count.read("Smith J. 2001") is None


def test_headings_are_the_known_ones_and_those_in_their_type() -> None:
    lines: list[Styled] = [
        ("Introduction", 12.0, True),
        *[("A line of the body, which is the most of the text in it.", 10.0, False)] * 4,
        ("Methods", 12.0, True),
        ("Sample size", 12.0, True),
        ("We had some of them here, and wrote of it at some length.", 10.0, False),
        ("Results", 12.0, True),
        ("They were many, as one sees, and so this line is long too.", 10.0, False),
    ]
    found = many(laid_out(lines), "sections")
    assert found.value == ("Introduction", "Methods", "Sample size", "Results")
    assert [evidence.confidence for evidence in found.evidence] == [0.95, 0.95, 0.7, 0.95]
