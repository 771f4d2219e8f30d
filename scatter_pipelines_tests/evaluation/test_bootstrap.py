"""Intervals: that they are where they should be, the same for the same seed, and as wide for many documents."""

from random import Random

import pytest

from scatter_pipelines.evaluation.bootstrap import MOST_UNITS, SEED, Resampling, estimate, interval


def share_of(right: list[int], resampling: Resampling) -> tuple[float, float]:
    wholes = [1] * len(right)
    known = estimate(right, wholes, (resampling.totals(right), resampling.totals(wholes)))
    assert known.low is not None
    assert known.high is not None
    return known.low, known.high


def test_quantiles_are_linear_between_values() -> None:
    assert interval([float(number) for number in range(41)]) == pytest.approx((1.0, 39.0))
    assert interval([0.0, 1.0]) == pytest.approx((0.025, 0.975))
    assert interval([None, 0.5, None]) == (0.5, 0.5)
    assert interval([None]) == (None, None)


def test_every_resample_has_as_many_documents() -> None:
    resampling = Resampling(24, resamples=200, seed=3)
    assert {sum(weights) for weights in resampling.weights} == {24}
    assert set(resampling.totals([1] * 24)) == {24}
    assert len({tuple(weights) for weights in resampling.weights}) > 190


def test_the_same_seed_gives_the_same_interval() -> None:
    right = [1] * 15 + [0] * 9
    assert share_of(right, Resampling(24)) == share_of(right, Resampling(24, seed=SEED))
    assert share_of(right, Resampling(24, seed=1)) != share_of(right, Resampling(24, seed=5))


def test_the_interval_holds_the_true_share_about_as_often_as_it_says() -> None:
    """Of 200 samples of 100 documents; a 95 % interval that is right misses 2 to 22 of them nearly always."""
    random, true = Random(11), 0.7
    resampling = Resampling(100, resamples=300, seed=2)
    held = 0
    for _ in range(200):
        low, high = share_of([int(random.random() < true) for _ in range(100)], resampling)
        held += low <= true <= high
    assert 178 <= held <= 198, "seed 11"


def test_more_documents_than_units_give_an_interval_of_the_right_width() -> None:
    """Of n documents the standard error of a share is sqrt(p (1 - p) / n)."""
    documents, random = 20_000, Random(4)
    right = [int(random.random() < 0.8) for _ in range(documents)]
    resampling = Resampling(documents, seed=4)
    assert resampling.units == MOST_UNITS
    assert sum(resampling.by_unit(right)) == sum(right)
    low, high = share_of(right, resampling)
    assert high - low == pytest.approx(2 * 1.96 * (0.8 * 0.2 / documents) ** 0.5, rel=0.15), "seed 4"


def test_no_document_and_nothing_to_divide_by_have_no_interval() -> None:
    assert Resampling(0).totals([]) == []
    known = estimate([], [], ([], []))
    assert (known.value, known.low, known.high) == (None, None, None)
