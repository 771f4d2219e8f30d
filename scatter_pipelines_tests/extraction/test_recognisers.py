import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.recognisers import doi, effect_estimate, p_value, registration, sample_size
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines_tests.extraction.documents import Styled, laid_out, plain

BODY: list[Styled] = [
    (f"Line {n} of the body, set in the type that most of the text has.", 10.0, False) for n in range(25)
]
FIRST_PAGE: list[Styled] = [
    ("Annals of Examples 2019; 7: 11-19", 8.0, False),
    ("RESEARCH ARTICLE", 9.0, True),
    ("Sleep and learning in adult mice:", 18.0, True),
    ("a randomised experiment", 18.0, True),
    ("Anna B. Müller1, Jean-Luc de la Tour2* and Li Wei1,2", 11.0, False),
    ("1 Department of Biology, University of Somewhere", 8.0, False),
    ("Published: 3 May 2019. https://doi.org/10.1234/ab.(cd)-5.", 8.0, False),
    ("Abstract", 12.0, True),
    ("Background: Sleep helps to learn, but nobody has shown how it does so in adult mice, and", 10.0, False),
    ("why some learn without. Methods: In total 48 mice were randomised. Results: They learned", 10.0, False),
    ("more (OR 1.45, 95% CI 1.10–1.92; P = .008). Registered as NCT 01234567.", 10.0, False),
    ("Keywords: sleep, mice", 10.0, False),
    ("1. Introduction", 12.0, True),
    *BODY,
]
LAST_PAGE: list[Styled] = [
    ("References", 12.0, True),
    ("1. Other A. Another title. Some Journal 2001; 1: 2. doi: 10.9999/other NCT99999999", 10.0, False),
]


@pytest.fixture(scope="module")
def paper() -> Document:
    return laid_out(FIRST_PAGE, LAST_PAGE)


@pytest.fixture(scope="module")
def fields(paper: Document) -> Fields:
    return extract_fields(paper, load_template("paper"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "Sleep and learning in adult mice: a randomised experiment"),
        ("authors", ("Anna B. Müller", "Jean-Luc de la Tour", "Li Wei")),
        ("doi", "10.1234/ab.(cd)-5"),
        ("journal", "Annals of Examples"),
        ("year", 2019),
        ("registration_ids", ("NCT01234567",)),
        ("sample_size", 48),
        ("p_values", ("p=0.008",)),
        ("effect_estimates", ("OR 1.45 (95% CI 1.10-1.92)",)),
    ],
)
def test_a_paper_says_what_it_is(fields: Fields, name: str, value: object) -> None:
    assert fields[name].value == value
    assert all(evidence.verified and evidence.bbox for evidence in fields[name].evidence)


def test_the_abstract_ends_at_the_keywords(fields: Fields) -> None:
    abstract = str(fields["abstract"].value)
    assert abstract.startswith("Background: Sleep helps")
    assert abstract.endswith("NCT 01234567.")


def test_an_abstract_that_goes_over_the_page_has_evidence_of_its_first_part() -> None:
    first = [("Abstract", 12.0, True), *[("word " * 15, 10.0, False)] * 4, ("and it goes", 10.0, False)]
    second = [("on here.", 10.0, False), ("Introduction", 12.0, True), *BODY]
    found = extract_fields(laid_out(first, second), load_template("paper"))["abstract"]
    assert str(found.value).endswith("and it goes on here.")
    assert [(evidence.page, evidence.verified) for evidence in found.evidence] == [(1, False)]


def test_without_a_layout_the_first_heading_is_the_title() -> None:
    text = "# On the nature of things\n\nJane Q. Doe, John Roe\n\n## Abstract\n\n" + "Words that say something. " * 10
    found = extract_fields(plain(text), load_template("paper"))
    assert found["title"].value == "On the nature of things"
    assert found["authors"].value == ("Jane Q. Doe", "John Roe")
    assert found["abstract"].evidence[0].bbox is None


@pytest.mark.parametrize(
    "text", ["", " \n ", "\n\n\n", "x", "10.", "p <", "(" * 50, "\x00\ud800", "Abstract", "References\n" * 3]
)
def test_a_document_that_says_nothing_has_no_values(text: str) -> None:
    found = extract_fields(plain(text), load_template("paper"))
    assert all(field.value is None for field in found.values())


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("10.1000/xyz.", "10.1000/xyz"),
        ("10.1000/xyz),", "10.1000/xyz"),
        ("10.1016/S0140-6736(05)12345-6", "10.1016/S0140-6736(05)12345-6"),
        ("10.1186/\ns12906-018-2122-z", "10.1186/s12906-018-2122-z"),
    ],
)
def test_a_doi_keeps_its_case_and_loses_the_sentence_around_it(quote: str, value: str) -> None:
    assert doi.read(quote) == value


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("NCT 01234567", "NCT01234567"),
        ("ISRCTN-12345678", "ISRCTN12345678"),
        ("ACTRN12612345678901", "ACTRN12612345678901"),
        ("ChiCTR-TRC-12001234", "ChiCTR-TRC-12001234"),
        ("ChiCTR1900012345", "ChiCTR1900012345"),
        ("UMIN000012345", "UMIN000012345"),
        ("JPRN-UMIN000012345", "JPRN-UMIN000012345"),
        ("jRCTs031180234", "jRCTs031180234"),
        ("PROSPERO (CRD42018012345", "CRD42018012345"),
        ("DRKS00012345", "DRKS00012345"),
        ("CTRI/2018/03/012345", "CTRI/2018/03/012345"),
        ("IRCT2013012345N6", "IRCT2013012345N6"),
        ("PACTR201812345678901", "PACTR201812345678901"),
        ("KCT0001234", "KCT0001234"),
        ("RBR-6qcg9h", "RBR-6qcg9h"),
        ("NTR1234", "NTR1234"),
        ("EudraCT number: 2010-012345-67", "2010-012345-67"),
    ],
)
def test_each_registry_writes_its_numbers_one_way(quote: str, value: str) -> None:
    assert registration.read(quote) == value


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("p < 0.05", "p<0.05"),
        ("P = .03", "p=0.03"),
        ("p=0·040", "p=0.040"),
        ("P-value ≤ 0.001", "p≤0.001"),
        ("P = 4.5 × 10−4", "p=0.00045"),
        ("p >= 0.5", "p≥0.5"),
        ("p = 12", None),
        ("map = 0.5", None),
    ],
)
def test_a_p_value_keeps_its_sign_and_digits(quote: str, value: str | None) -> None:
    assert p_value.read(quote) == value


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("OR = 1.77, 95% CI = 1.26–2.48", "OR 1.77 (95% CI 1.26-2.48)"),
        ("hazard ratio 0·56 (95% CI 0·43 to 0·72)", "HR 0.56 (95% CI 0.43-0.72)"),
        ("hazard ratio [HR], 0.80; 95% confidence interval [CI], 0.65-0.99", "HR 0.80 (95% CI 0.65-0.99)"),
        ("SMD −0.31 (95% CI −0.52, −0.10)", "SMD -0.31 (95% CI -0.52--0.10)"),
        ("aOR: 2.1 (99% CI: 1.2-3.4)", "aOR 2.1 (99% CI 1.2-3.4)"),
        ("OR 1.2 (95% CI 3.4-1.1)", None),
        ("OR 1.2", None),
    ],
)
def test_an_effect_estimate_has_its_measure_and_interval(quote: str, value: str | None) -> None:
    assert effect_estimate.read(quote) == value


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("A total of 1,234 adult patients were enrolled", 1234),
        ("123 patients with asthma were randomized", 123),
        ("We recruited 40 healthy volunteers", 40),
        ("(N = 99)", 99),
        ("45% patients", None),
    ],
)
def test_a_sample_size_is_read_from_its_wording(quote: str, value: int | None) -> None:
    assert sample_size.read(quote) == value
