"""What counts as the same, by hand."""

import pytest

from scatter_pipelines.evaluation.normalise import exact_text, figure_key, name_key, number_key, similar, soft_text


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("Meta‐analysis: of X", "meta-analysis of x.", True),
        ("Whole brain", "wholebrain", True),
        ("ﬁrst", "First", True),
        ("Mu\u0308ller", "Müller", True),
        ("Müller", "Muller", False),
        ("D'Souza", "D´Souza", True),
        ("α-blocker", "β-blocker", False),
        ("Straße", "STRASSE", True),
        ("-", "—", False),
        ("", "", True),
    ],
)
def test_soft_drops_case_white_space_and_punctuation_but_no_letter(left: str, right: str, same: bool) -> None:
    assert (soft_text(left) == soft_text(right)) is same


def test_exact_minds_all_but_the_kind_of_white_space() -> None:
    assert exact_text(" a \n b\u00a0c ") == "a b c"
    assert exact_text("Mu\u0308ller") == "Müller"
    assert exact_text("A") != exact_text("a")
    assert exact_text("a-b") != exact_text("a‐b")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("abcdefghij", "abcdefghij", True),
        ("abcdefghij", "abcdefghXY", True),
        ("abcdefghij", "abcdefgXYZ", False),
        ("abcdefgh", "abcdefghij", True),
        ("abcdefg", "abcdefghij", False),
        ("abcd", "abcX", False),
        ("abcde", "abcdX", True),
    ],
)
def test_similar_is_one_edit_in_five_characters_of_the_longer_one(left: str, right: str, same: bool) -> None:
    assert similar(left, right) is similar(right, left) is same


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("John Smith", "Smith, J."),
        ("John A. Smith", "J.A. Smith"),
        ("John Smith Jr", "Smith, John, Jr."),
        ("John Smith, Jr.", "John Smith"),
        ("Dr. John Smith, PhD", "Smith J"),
        ("Anne-Marie Smith-Jones", "A. Smith‐Jones"),
        ("Jan van der Berg", "van der Berg, Jan"),
        ("Gabriel García Márquez", "García Márquez, G."),
        ("Patrick O’Brien", "O'Brien, Patrick"),
        ("Kanglan LI", "Kanglan Li"),
        ("K. Mu\u0308ller", "Katrin Müller"),
    ],
)
def test_names_are_the_same_by_family_name_and_first_initial(left: str, right: str) -> None:
    assert name_key(left) == name_key(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("John Smith", "Mary Smith"),
        ("John Smith", "Smith"),
        ("John Smith-Jones", "John Jones"),
        ("K. Müller", "K. Muller"),
        ("Md Rahman", "Rahman"),
        ("Kanglan LI", "Li Kanglan"),
    ],
)
def test_names_that_differ(left: str, right: str) -> None:
    assert name_key(left) != name_key(right)


def test_a_name_of_nothing_but_a_title_is_still_a_name() -> None:
    assert name_key("PhD") == ("phd", "")
    assert name_key(", ,") == (", ,", "")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("OR = 0.58 (95% CI: 0.32–1.07)", "OR 0.58, 95% CI 0.32 to 1.07", True),
        ("p<.05", "P < 0·05", True),
        ("p<0.05", "p=0.05", False),
        ("p=0.05", "p=0.04", False),
        ("MD −0.5 (-1.2 to 0.3)", "MD -0.5 (−1.2, 0.3)", True),
        ("MD −0.5", "MD 0.5", False),
        ("HR 1.0", "OR 1.0", False),
        ("1.05", "10.5", False),
        ("n.s.", "ns", False),
    ],
)
def test_of_figures_the_numbers_words_and_comparisons_count(left: str, right: str, same: bool) -> None:
    assert (figure_key(left) == figure_key(right)) is same


def test_numbers_are_equal_however_they_are_written() -> None:
    assert number_key(12) == number_key(12.0) == number_key("12") == number_key(" 12.00 ")
    assert number_key(0.1) == number_key("0.10")
    assert number_key(2**60) != number_key(2**60 + 1)
    assert number_key("sNaN") == "sNaN"
    assert number_key("twelve") == "twelve"
