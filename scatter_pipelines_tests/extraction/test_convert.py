import pytest

from scatter_pipelines.extraction.convert import parse_date, parse_integer, parse_number


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234", 1234.0),
        ("12,345,678", 12345678.0),
        ("1 234 567", 1234567.0),
        ("0·05", 0.05),
        ("−3", -3.0),
        ("–0.5", -0.5),
        (".5", 0.5),
        ("12,5", 12.5),
        ("1.234", 1.234),
        ("4.5 × 10−4", 4.5e-4),
        ("2e3", 2000.0),
        ("5%", 5.0),
        ("+7", 7.0),
    ],
)
def test_a_number_is_read_as_papers_write_it(written: str, number: float) -> None:
    assert parse_number(written) == number


@pytest.mark.parametrize("written", ["", "abc", "1.2.3.4", "12,34,5", "1e999", "9" * 5000, "--3", "1-2", "nan", "inf"])
def test_what_is_no_number_is_none(written: str) -> None:
    assert parse_number(written) is None


def test_an_integer_has_no_fraction() -> None:
    assert parse_integer("1,024") == 1024
    assert parse_integer("1.5") is None


@pytest.mark.parametrize(
    "written",
    [
        "2018-03-14",
        "2018/3/14",
        "14 March 2018",
        "14th of March, 2018",
        "14-Mar-2018",
        "March 14, 2018",
        "Mar. 14th 2018",
        "14.03.2018",
        "14/03/2018",
        "03/14/2018",
        "14\nMarch 2018",
        "2018 March 14",
    ],
)
def test_a_date_is_iso_8601_whatever_its_form(written: str) -> None:
    assert parse_date(written) == "2018-03-14"


@pytest.mark.parametrize("written", ["03/04/2018", "31 February 2018", "14 Marble 2018", "2018", "March 2018"])
def test_a_date_that_is_not_one_certain_day_is_none(written: str) -> None:
    assert parse_date(written) is None


def test_september_has_three_short_forms() -> None:
    assert parse_date("1 Sept 2020") == parse_date("1 Sep. 2020") == parse_date("1 September 2020") == "2020-09-01"
