"""Percentile intervals over documents (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13)."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from random import Random

COVERAGE = 0.95
RESAMPLES = 1_000
SEED = 20_240_229
MOST_UNITS = 1_000

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score with its interval; all None where nothing can be divided by."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Resampling:
    """The same resamples of the documents for every score of one evaluation.

    Up to 1,000 documents each is a unit; more are dealt at random into 1,000 units of nearly equal size, which
    changes the expected width of an interval by less than a thousandth and makes 50,000 documents cost what 1,000 do.
    """

    def __init__(self, documents: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> None:
        random = Random(seed)
        self.resamples = resamples
        self.units = min(documents, MOST_UNITS)
        self.unit_of = [number % self.units for number in range(documents)]
        random.shuffle(self.unit_of)
        self.weights = [_multinomial(self.units, random) for _ in range(resamples if documents else 0)]

    def totals(self, column: Sequence[int]) -> list[int]:
        """The sum of a column of counts in every resample."""
        sums = self.by_unit(column)
        return [sum(map(mul, weights, sums)) for weights in self.weights]

    def by_unit(self, column: Sequence[int]) -> list[int]:
        sums = [0] * self.units
        for unit, value in zip(self.unit_of, column, strict=True):
            sums[unit] += value
        return sums


def _multinomial(units: int, random: Random) -> list[int]:
    """How often each unit is drawn in as many draws as there are units."""
    weights = [0] * units
    for unit in random.choices(range(units), k=units):
        weights[unit] += 1
    return weights


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def estimate(
    parts: Sequence[int], wholes: Sequence[int], resampled: tuple[Sequence[int], Sequence[int]], factor: int = 1
) -> Estimate:
    """`factor` x sum of parts / sum of wholes, with its interval from the resampled sums."""
    value = share(factor * sum(parts), sum(wholes))
    low, high = interval([share(factor * part, whole) for part, whole in zip(*resampled, strict=True)])
    return Estimate(value, low, high)


def interval(values: Sequence[float | None]) -> Interval | tuple[None, None]:
    """The middle 95 % of the values; resamples in which the score does not exist are left out."""
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return None, None
    tail = (1 - COVERAGE) / 2
    return _quantile(ordered, tail), _quantile(ordered, 1 - tail)


def _quantile(ordered: Sequence[float], share_below: float) -> float:
    """Linear between the two nearest values."""
    place = share_below * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
