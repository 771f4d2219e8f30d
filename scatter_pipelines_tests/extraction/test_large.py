"""Large and odd texts take time in proportion to their length, not to its square."""

import time

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines_tests.extraction.documents import plain


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\n ",
        "1",
        "Aa ",
        "-\n",
        "A. B, ",
        "PROSPERO ",
        "12 patients ",
        "123 ",
        "123,",
        "Published: 1 ",
        "10.1234/a",
        ")",
        "# ",
        "NCT ",
        "2010-",
        "95% CI ",
        "1.2 (",
        "(n = 12) ",
        "one hundred ",
        "randomised to ",
        "p for trend ",
        "mean difference ",
        "primary outcome was ",
    ],
)
@pytest.mark.parametrize("name", ["paper", "rct"])
def test_many_characters_of_one_kind_take_seconds(piece: str, name: str) -> None:
    text = "doi 10.1234/x" + piece * (100_000 // len(piece))
    started = time.process_time()
    extract_fields(plain(text), load_template(name))
    assert time.process_time() - started < 10
