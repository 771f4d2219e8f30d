import pytest

from scatter_pipelines.extraction.journal_names import of_doi, spelled_out


@pytest.mark.parametrize(
    ("doi", "title"),
    [
        ("10.1371/journal.pone.0193451", "PLOS ONE"),
        ("10.1186/s12916-014-0161-y", "BMC Medicine"),
        ("10.1186/S12906-018-2122-Z", "BMC Complementary and Alternative Medicine"),
        ("10.1186/s12906-020-2122-z", "BMC Complementary Medicine and Therapies"),
        ("10.1186/1471-2407-14-70", "BMC Cancer"),
        ("10.3390/s12010001", "Sensors"),
        ("10.3390/su12010001", "Sustainability"),
        ("10.3390/somethingelse12", None),
        ("10.1097/MD.0000000000014713", "Medicine"),
        ("10.9999/unknown.1", None),
    ],
)
def test_a_publishers_code_names_the_journal(doi: str, title: str | None) -> None:
    assert of_doi(doi) == title


@pytest.mark.parametrize(
    ("short", "title"),
    [
        ("Int J Mol Sci", "International Journal of Molecular Sciences"),
        ("Int. J. Mol. Sci.", "International Journal of Molecular Sciences"),
        ("J Arthropod-Borne Dis", "Journal of Arthropod-Borne Diseases"),
        ("Iran J Public Health", "Iranian Journal of Public Health"),
        ("Microb Cell Fact", "Microbial Cell Factories"),
        ("BMC Med", "BMC Medicine"),
        ("Ann Surg", "Annals of Surgery"),
    ],
)
def test_an_abbreviation_that_leaves_no_choice_is_spelled_out(short: str, title: str) -> None:
    assert spelled_out(short) == title


@pytest.mark.parametrize(
    "name",
    [
        "J Allergy Clin Immunol",
        "J Orthop Surg Res",
        "Behav Ecol Sociobiol",
        "Nutr J",
        "Xyz J Abc",
        "J",
        "",
        "Veterinary World",
        "Journal of Toxicology",
    ],
)
def test_what_could_mean_two_things_or_is_no_abbreviation_stays(name: str) -> None:
    assert spelled_out(name) is None
