"""Two results for the same gold: the tests by hand, and what changed."""

from random import Random

import pytest

from scatter_pipelines.evaluation.compare import compare
from scatter_pipelines.evaluation.paired import mcnemar, swap_test
from scatter_pipelines_tests.evaluation.rules import tallied


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 5, 1.0),
        (6, 0, 2 / 64),
        (1, 7, 2 * (1 + 8) / 256),
        (7, 1, 2 * (1 + 8) / 256),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (3, 4, 1.0),
        (0, 18, 2 / 2**18),
    ],
)
def test_mcnemar_is_the_two_sided_binomial(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p)


def test_mcnemar_of_many_documents_needs_no_floating_point_factorials() -> None:
    assert mcnemar(15_000, 15_000) == 1.0
    assert mcnemar(14_900, 15_100) == pytest.approx(0.2504, abs=0.001)
    assert mcnemar(0, 20_000) == 0.0


def test_few_changes_are_tested_by_all_swaps() -> None:
    """All three documents get better from nothing right: only all kept and all swapped are as extreme: 2 of 8."""
    ours, theirs = [(2, 4)] * 3 + [(1, 2)], [(0, 4)] * 3 + [(1, 2)]
    assert swap_test(ours, theirs, resamples=100, random=Random(1)) == pytest.approx(2 / 8)
    assert swap_test(ours, ours, resamples=100, random=Random(1)) == 1.0


def test_many_changes_are_tested_by_a_sample_that_never_says_zero() -> None:
    ours, theirs = [(2, 4)] * 30, [(0, 4)] * 30
    assert swap_test(ours, theirs, resamples=999, random=Random(1)) == pytest.approx(1 / 1000)
    mixed = [(2, 4), (0, 4)] * 15, [(0, 4), (2, 4)] * 15
    assert swap_test(*mixed, resamples=999, random=Random(1)) == 1.0


def test_by_chance_alone_p_is_small_as_seldom_as_it_says() -> None:
    random, small = Random(5), 0
    for _ in range(200):
        sides = [[(random.randrange(3), 4) for _ in range(20)] for _ in range(2)]
        small += swap_test(*sides, resamples=199, random=random) <= 0.1
    assert 8 <= small <= 34, "seed 5: about 20 of 200"


def test_what_changed_is_told_with_both_values() -> None:
    gold = {"title": ("A long title",), "authors": ("Ann Ode", "Bo Ek")}
    new = tallied(
        (gold, {"title": ("A long title",), "authors": ("Ann Ode",)}),
        (gold, {"title": ("A long title",), "authors": ("Ann Ode", "Bo Ek")}),
        (gold, {"title": ("nothing of it",), "authors": ("Ann Ode", "Bo Ek")}),
        keep=True,
    )
    old = tallied(
        (gold, {"authors": ("Ann Ode", "Bo Ek")}),
        (gold, {"title": ("Wrong",), "authors": ("Ann Ode", "Bo Ek")}),
        keep=True,
    )
    found = compare(new, old, resamples=200, seed=1)
    assert (found.documents, found.only_ours, found.only_theirs) == (2, ["d3.pdf"], [])
    title = found.fields["title"]["levenshtein"]
    assert (title.ours, title.theirs, title.difference.value, title.better, title.worse) == (1, 0, 1, 2, 0)
    assert (title.p, title.test) == (2 / 4, "exact McNemar")
    authors = found.fields["authors"]["soft"]
    assert authors.ours == pytest.approx(2 * 3 / (4 + 3))
    assert (authors.theirs, authors.better, authors.worse, authors.test) == (1, 0, 1, "paired permutation")
    assert set(found.fields) == {"title", "authors"}
    told = [(one.document, one.field, one.better, [item.value for item in one.theirs]) for one in found.changed]
    assert told == [
        ("d1.pdf", "title", True, []),
        ("d2.pdf", "title", True, ["Wrong"]),
        ("d1.pdf", "authors", False, ["Ann Ode", "Bo Ek"]),
    ]


def test_the_interval_of_a_difference_is_of_pairs_and_not_of_two_samples() -> None:
    """Where every document is the same in both, there is no doubt that nothing changed, however mixed they are."""
    documents = [({"year": (1,)}, {"year": (number % 2,)}) for number in range(40)]
    change = compare(tallied(*documents, keep=True), tallied(*documents, keep=True), resamples=200, seed=1)
    year = change.fields["year"]["exact"]
    assert (year.difference.value, year.difference.low, year.difference.high, year.p) == (0, 0, 0, 1)
