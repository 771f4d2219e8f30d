"""Whether one result differs from another on the same documents by more than chance."""

from collections.abc import Sequence
from itertools import product
from random import Random

MOST_EXACT = 10
"""Up to so many units that differ, all swaps are tried instead of a sample of them."""

Sums = tuple[int, int]
"""(right values, values in gold plus values found) of one document or unit."""


def mcnemar(better: int, worse: int) -> float:
    """Two-sided exact p (McNemar 1947, by the binomial): of the documents that changed, as many each way by chance?"""
    changed = better + worse
    if not changed:
        return 1.0
    term, total = 1, 1
    for number in range(min(better, worse)):
        term = term * (changed - number) // (number + 1)
        total += term
    share: float = 2 * total / (1 << changed)
    return min(1.0, share)


def swap_test(ours: Sequence[Sums], theirs: Sequence[Sums], *, resamples: int, random: Random) -> float:
    """Two-sided p of the difference in F1 when in each unit the two results are swapped at random.

    All swaps where at most ten units differ; else a sample, in which the observed one counts too (p is never 0).
    """
    moves = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(ours, theirs, strict=True) if a != b]
    if not moves:
        return 1.0
    first = sum(right for right, _ in ours), sum(size for _, size in ours)
    second = sum(right for right, _ in theirs), sum(size for _, size in theirs)
    observed = _difference(first, second, (0, 0))
    exact = len(moves) <= MOST_EXACT
    swaps = product((False, True), repeat=len(moves)) if exact else _flips(len(moves), resamples, random)
    extreme = [_difference(first, second, _moved(moves, swap)) >= observed - 1e-12 for swap in swaps]
    return sum(extreme) / len(extreme) if exact else (sum(extreme) + 1) / (len(extreme) + 1)


def _flips(units: int, resamples: int, random: Random) -> list[list[bool]]:
    return [[sign == "1" for sign in f"{random.getrandbits(units):0{units}b}"] for _ in range(resamples)]


def _moved(moves: Sequence[Sums], swap: Sequence[bool]) -> Sums:
    chosen = [move for move, flip in zip(moves, swap, strict=True) if flip]
    return sum(right for right, _ in chosen), sum(size for _, size in chosen)


def _difference(first: Sums, second: Sums, moved: Sums) -> float:
    """Of the two F1, without its sign."""
    ours = _f1(first[0] + moved[0], first[1] + moved[1])
    return abs(ours - _f1(second[0] - moved[0], second[1] - moved[1]))


def _f1(right: int, size: int) -> float:
    return 2 * right / size if size else 0.0
