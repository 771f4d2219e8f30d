"""Scores that must be reached."""

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.minimum import Minimum, read_minimums
from scatter_pipelines_tests.evaluation.rules import RULES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("doi.exact=0.97", ("doi", "exact", "score", 0.97)),
        ("authors.f1=1", ("authors", "soft", "f1", 1.0)),
        ("authors.exact.recall = 0.5", ("authors", "exact", "recall", 0.5)),
        ("title.verified=0", ("title", None, "verified", 0.0)),
        ("all-fields.levenshtein=0.9", ("all-fields", "levenshtein", "score", 0.9)),
    ],
)
def test_a_minimum_names_field_metric_and_value(text: str, expected: tuple[str, str | None, str, float]) -> None:
    assert read_minimums([text.replace(" ", "")], RULES) == [Minimum(text.replace(" ", ""), *expected)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("doy.exact=1", "there is no field 'doy'; there are title, keywords, authors, doi, year and all-fields"),
        ("doi.soft=1", "doi has no metric 'soft'; it has exact, precision, recall, f1, exact.precision"),
        ("doi=1", "doi has no metric ''"),
        ("all-fields.verified=1", "all-fields has no metric 'verified'"),
        ("doi.exact", "a share from 0 to 1 must follow"),
        ("doi.exact=97", "a share from 0 to 1 must follow"),
        ("doi.exact=nan", "a share from 0 to 1 must follow"),
        ("doi.exact=high", "a share from 0 to 1 must follow"),
    ],
)
def test_a_minimum_that_means_nothing_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_minimums([text], RULES)
    assert caught.value.code == "config_invalid"
    assert says in caught.value.message
