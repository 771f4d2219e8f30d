"""Registration numbers of every registry, in made texts with near misses, and where they stand in a document."""

from collections import Counter

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.recognisers import registration
from scatter_pipelines.model.document import Document, Region
from scatter_pipelines_tests.extraction.documents import plain, template
from scatter_pipelines_tests.generator.registrations import REGISTRIES, registration_texts

_TEMPLATE = template(type="string", many=True, recogniser="registration")


def found_in(document: Document) -> tuple[object, ...]:
    value = extract_fields(document, _TEMPLATE)["it"].value
    return value if isinstance(value, tuple) else ()


@pytest.mark.parametrize("seed", [7, 20_261])
def test_numbers_of_every_registry_are_found_and_near_misses_are_not(seed: int) -> None:
    print(f"seed {seed}")
    right: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    wrong: list[tuple[str, str]] = []
    for made in registration_texts(6_000, seed):
        found = set(map(str, found_in(plain(made.text))))
        right[made.registry] += len(found & set(made.ids))
        missed[made.registry] += len(set(made.ids) - found)
        wrong += [(value, made.text) for value in found - set(made.ids)]
    assert len(wrong) <= 0.01 * (right.total() + len(wrong)), wrong[:5]
    assert {name for name in REGISTRIES if missed[name] > 0.01 * (right[name] + missed[name])} == set()
    assert min(right[name] for name in REGISTRIES) > 50


def test_the_texts_are_the_same_for_the_same_seed_and_hold_their_numbers_otherwise_printed() -> None:
    texts = list(registration_texts(300, 3))
    assert texts == list(registration_texts(300, 3))
    assert {made.registry for made in texts} == {*REGISTRIES, ""}
    assert any(number not in made.text for made in texts for number in made.ids)


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("ClinicalTrials.gov 01234567", "NCT01234567"),
        ("https://clinicaltrials.gov/ct2/show/NCT01234567", "NCT01234567"),
        ("doi: 10.1186/ISRCTN12345678", "ISRCTN12345678"),
        ("doi: 10.1186/s12-ISRCTN12345678", None),
        ("ACTRN 1261 2000 123 456", "ACTRN12612000123456"),
        ("ACTRN12612000123456p", "ACTRN12612000123456"),
        ("ChiCTR-\nIOR-17010890", "ChiCTR-IOR-17010890"),
        ("ChiCTR-1900021234", "ChiCTR1900021234"),
        ("NCT0123\n4567", "NCT01234567"),
        ("NCT\u00ad0123\u00ad4567", "NCT01234567"),
        ("NCT 0123456 7 patients", None),
        ("EudraCT 2010-023456-12-GB", "2010-023456-12"),
        ("EUCTR2010-023456-12-GB", "EUCTR2010-023456-12-GB"),
        ("EU CT number: 2022-500123-12-00", "2022-500123-12-00"),
        ("PROSPERO registration number: 42018012345", "CRD42018012345"),
        ("10.37766/inplasy2020.5.0012", "INPLASY202050012"),
        ("NCT01234567Keywords", "NCT01234567"),
        ("JPRN-C000000079", "JPRN-C000000079"),
        ("NL41789.078.13 of the trial", None),
        ("REBEC RBR-6QCG9H", "RBR-6qcg9h"),
        ("U1111-1234-5678", None),
    ],
)
def test_a_number_is_written_as_its_registry_does(quote: str, value: str | None) -> None:
    assert registration.read(quote) == value


def test_the_quote_of_a_number_with_invisible_characters_is_what_stands_there() -> None:
    evidence = extract_fields(plain("It is N\u200bCT012\u00ad34567, we say."), _TEMPLATE)["it"].evidence[0]
    assert (evidence.quote, evidence.verified) == ("N\u200bCT012\u00ad34567", True)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Introduction\nx\nDiscussion\nAs in NCT01234567, it works.", ()),
        ("Introduction\nx\nMethods\nDetails are in NCT01234567.", ("NCT01234567",)),
        ("Introduction\nx\nDiscussion\nThis trial was registered as NCT01234567.", ("NCT01234567",)),
        ("Methods\nAn earlier trial (NCT01234567) found nothing.", ()),
        ("In this large trial (NCT01234567), it worked.", ("NCT01234567",)),
        ("An ongoing trial is registered at ClinicalTrials.gov (NCT01234567).", ()),
        ("Trial registration: NCT01234567-NCT01234568", ("NCT01234567", "NCT01234568")),
        ("Methods\nx\nReferences\n1. A trial. NCT01234567.", ()),
        ("References\n1. A trial.\nTrial registration: NCT01234567", ("NCT01234567",)),
    ],
)
def test_numbers_of_other_trials_are_left_out(text: str, ids: tuple[str, ...]) -> None:
    assert found_in(plain(text)) == ids


def test_a_region_that_the_file_marks_as_registration_is_surest() -> None:
    text = "Introduction\nSee NCT01234567."
    page = plain(text).pages
    document = Document(page, "text/xml", "test", {}, (Region("registration", 1, 17, len(text)),), True)
    assert extract_fields(document, _TEMPLATE)["it"].evidence[0].confidence == 0.97
