"""What changed between two results for the same gold, document by document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from scatter_pipelines.evaluation.bootstrap import Estimate, Resampling, interval, share
from scatter_pipelines.evaluation.documents import Item
from scatter_pipelines.evaluation.paired import mcnemar, swap_test
from scatter_pipelines.evaluation.rules import FieldRule, Level
from scatter_pipelines.evaluation.tally import Counts, FieldTally, Tally
from scatter_pipelines.model.evidence import JsonValue


@dataclass(frozen=True, slots=True)
class Change:
    """Our score minus theirs at one level; documents that are better and worse; the test's p."""

    ours: float | None
    theirs: float | None
    difference: Estimate
    better: int
    worse: int
    p: float
    test: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A document that is better or worse at the field's main level, with both values."""

    document: str
    field: str
    better: bool
    gold: tuple[JsonValue, ...]
    ours: tuple[Item, ...]
    theirs: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`only_ours` and `only_theirs` name documents which have gold in one of the two tasks alone."""

    documents: int
    only_ours: list[str]
    only_theirs: list[str]
    fields: Mapping[str, Mapping[Level, Change]]
    changed: list[Changed]


def compare(ours: Tally, theirs: Tally, *, resamples: int, seed: int) -> Comparison:
    """Both must have been added up with `keep`, from the same gold and by the same rules."""
    places = {line: number for number, line in enumerate(theirs.lines)}
    pairs = [(number, places[line]) for number, line in enumerate(ours.lines) if line in places]
    resampling = Resampling(len(pairs), resamples=resamples, seed=seed)
    fields = {}
    changed: list[Changed] = []
    for name, tally in ours.fields.items():
        left = [tally.counts[mine] for mine, _ in pairs]
        right = [theirs.fields[name].counts[other] for _, other in pairs]
        if any(counts.expected for counts in left):
            fields[name] = _changes(tally.rule, left, right, resampling, Random(seed))
            changed += _changed(tally, left, right, pairs, ours, theirs)
    return Comparison(len(pairs), _alone(ours, theirs), _alone(theirs, ours), fields, changed)


def _alone(one: Tally, other: Tally) -> list[str]:
    there = set(other.lines)
    return [name for line, name in zip(one.lines, one.names, strict=True) if line not in there]


def _changes(
    rule: FieldRule, ours: Sequence[Counts], theirs: Sequence[Counts], resampling: Resampling, random: Random
) -> dict[Level, Change]:
    return {
        level: _change(place, rule.many, ours, theirs, resampling, random) for place, level in enumerate(rule.levels)
    }


def _change(
    place: int, many: bool, ours: Sequence[Counts], theirs: Sequence[Counts], resampling: Resampling, random: Random
) -> Change:
    sides = [
        ([counts.right[place] for counts in side], [_size(counts, many) for counts in side]) for side in (ours, theirs)
    ]
    factor = 2 if many else 1
    mine, other = (share(factor * sum(right), sum(size)) for right, size in sides)
    signs = [_sign(a, b, place, many) for a, b in zip(ours, theirs, strict=True)]
    better, worse = signs.count(1), signs.count(-1)
    if many:
        units = [list(zip(*map(resampling.by_unit, side), strict=True)) for side in sides]
        p = swap_test(units[0], units[1], resamples=resampling.resamples, random=random)
    else:
        p = mcnemar(better, worse)
    test = "paired permutation" if many else "exact McNemar"
    drawn = _drawn_differences(sides, factor, resampling)
    difference = Estimate(_minus(mine, other), *interval(drawn))
    return Change(mine, other, difference, better, worse, p, test)


def _size(counts: Counts, many: bool) -> int:
    """What the score is divided by: gold's values for a share, gold's and found ones for F1."""
    return counts.expected + counts.found if many else counts.expected


Side = tuple[list[int], list[int]]


def _drawn_differences(sides: Sequence[Side], factor: int, resampling: Resampling) -> list[float | None]:
    drawn = [
        [share(factor * right, size) for right, size in zip(*map(resampling.totals, side), strict=True)]
        for side in sides
    ]
    return [_minus(mine, other) for mine, other in zip(*drawn, strict=True)]


def _minus(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left - right


def _sign(ours: Counts, theirs: Counts, place: int, many: bool) -> int:
    """1 where ours is better in this document, -1 where it is worse."""
    left, right = (share(counts.right[place], _size(counts, many)) or 0.0 for counts in (ours, theirs))
    return (left > right) - (left < right)


def _changed(
    tally: FieldTally,
    left: Sequence[Counts],
    right: Sequence[Counts],
    pairs: Sequence[tuple[int, int]],
    ours: Tally,
    theirs: Tally,
) -> list[Changed]:
    rule, found = tally.rule, []
    for counts, others, (mine, other) in zip(left, right, pairs, strict=True):
        sign = _sign(counts, others, len(rule.levels) - 1, rule.many)
        if sign:
            gold = ours.wanted[mine].values[rule.name]
            values = ours.seen[mine].get(rule.name, ()), theirs.seen[other].get(rule.name, ())
            found.append(Changed(ours.names[mine], rule.name, sign > 0, gold, *values))
    return found
