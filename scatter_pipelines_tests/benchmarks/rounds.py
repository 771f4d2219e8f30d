"""Rounds of interleaved competitors, and measures made of their medians."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TypeVar

from scatter_pipelines_tests.benchmarks.measure import Measure

T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """How a section is to run. `small`: a quick look that judges nothing."""

    folder: Path
    rounds: int
    small: bool = False
    documents: Path | None = None


def interleave(competitors: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Runs A B C, A B C, ...: what disturbs the machine for a while disturbs all of them."""
    results: dict[str, list[T]] = {name: [] for name in competitors}
    for number in range(1, rounds + 1):
        for name, compete in competitors.items():
            print(f"round {number} of {rounds}: {name}", file=sys.stderr, flush=True)
            results[name].append(compete())
    return results


def measured(name: str, unit: str, rounds: Iterable[float], note: str = "") -> Measure:
    """The median of the rounds."""
    values = tuple(rounds)
    return Measure(name, median(values), unit, values, note=note)


def beside(
    measure: Measure, other: Measure | None, at_most: float | None = None, *, target: str = "", judge: bool = True
) -> Measure:
    """The measure with its ratio to another one; `at_most` is the largest ratio that meets the target."""
    if other is None or not other.value:
        return replace(measure, target=target or _target(at_most))
    ratio = measure.value / other.value
    return replace(
        measure,
        beside=other.name,
        ratio=ratio,
        target=target or _target(at_most),
        met=None if at_most is None or not judge else ratio <= at_most,
    )


def _target(at_most: float | None) -> str:
    return "" if at_most is None else f"at most {at_most:g} times"
