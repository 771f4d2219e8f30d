"""From counts to precision, recall and F1, each with its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add

from scatter_pipelines.evaluation.bootstrap import Estimate, Resampling, estimate
from scatter_pipelines.evaluation.rules import LEVELS, Level
from scatter_pipelines.evaluation.tally import FieldTally


@dataclass(frozen=True, slots=True)
class Scores:
    """At one level. `score` is the headline: of one value its recall, the share of gold values that were found so;
    of a list its F1.
    """

    right: int
    score: Estimate
    precision: Estimate
    recall: Estimate
    f1: Estimate


@dataclass(frozen=True, slots=True)
class FieldScores:
    expected: int
    found: int
    levels: Mapping[Level, Scores]


def field_scores(tally: FieldTally, resampling: Resampling) -> FieldScores:
    expected = [counts.expected for counts in tally.counts]
    found = [counts.found for counts in tally.counts]
    rights = {level: tally.right_at(level) for level in tally.rule.levels}
    return _scores(expected, found, rights, resampling, tally.rule.many)


def overall_scores(tallies: Sequence[FieldTally], resampling: Resampling) -> FieldScores:
    """All fields in one: micro average, every value of every field counts the same."""
    zero = [0] * len(resampling.unit_of)
    expected, found = zero, zero
    rights: dict[Level, list[int]] = dict.fromkeys(LEVELS, zero)
    for tally in tallies:
        expected = list(map(add, expected, (counts.expected for counts in tally.counts)))
        found = list(map(add, found, (counts.found for counts in tally.counts)))
        rights = {level: list(map(add, right, tally.right_at(level))) for level, right in rights.items()}
    return _scores(expected, found, rights, resampling, many=True)


def _scores(
    expected: Sequence[int],
    found: Sequence[int],
    rights: Mapping[Level, Sequence[int]],
    resampling: Resampling,
    many: bool,
) -> FieldScores:
    both = list(map(add, expected, found))
    drawn_expected, drawn_found = resampling.totals(expected), resampling.totals(found)
    drawn_both = list(map(add, drawn_expected, drawn_found))
    levels: dict[Level, Scores] = {}
    for level, right in rights.items():
        drawn = resampling.totals(right)
        recall = estimate(right, expected, (drawn, drawn_expected))
        f1 = estimate(right, both, (drawn, drawn_both), factor=2)
        precision = estimate(right, found, (drawn, drawn_found))
        levels[level] = Scores(sum(right), f1 if many else recall, precision, recall, f1)
    return FieldScores(sum(expected), sum(found), levels)
