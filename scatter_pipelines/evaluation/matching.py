"""Which of the values found are right, at each level. One value is a list of one."""

from collections.abc import Hashable, Sequence

from scatter_pipelines.evaluation.normalise import folded_text, key_of, similar
from scatter_pipelines.evaluation.rules import FieldRule, Level
from scatter_pipelines.model.evidence import JsonValue

Pairs = dict[int, int]
"""Number of a found value -> number of the gold value it is right for; each at most once."""


def match(rule: FieldRule, gold: Sequence[JsonValue], found: Sequence[JsonValue]) -> dict[Level, Pairs]:
    """The most pairs there can be at each level; the order of a list does not count."""
    exact = _equal_pairs(*_keys(rule, "exact", gold, found))
    if len(exact) == min(len(gold), len(found)):
        return dict.fromkeys(rule.levels, exact)
    pairs: dict[Level, Pairs] = {"exact": exact}
    if "soft" in rule.levels:
        keys = _keys(rule, "soft", gold, found)
        pairs["soft"] = _equal_pairs(*keys)
        if "levenshtein" in rule.levels:
            pairs["levenshtein"] = _similar_pairs(gold, found, *keys)
    return pairs


def _keys(
    rule: FieldRule, level: Level, gold: Sequence[JsonValue], found: Sequence[JsonValue]
) -> tuple[list[Hashable], list[Hashable]]:
    return [key_of(rule, level, value) for value in gold], [key_of(rule, level, value) for value in found]


def _equal_pairs(gold: Sequence[object], found: Sequence[object]) -> Pairs:
    waiting: dict[object, list[int]] = {}
    for number, key in reversed(list(enumerate(gold))):
        waiting.setdefault(key, []).append(number)
    return {number: waiting[key].pop() for number, key in enumerate(found) if waiting.get(key)}


def _similar_pairs(
    gold: Sequence[JsonValue], found: Sequence[JsonValue], gold_keys: Sequence[object], found_keys: Sequence[object]
) -> Pairs:
    """Maximum bipartite matching by augmenting paths, so that the order of either list does not matter.

    The keys are those of the level `soft`: what is equal there is similar too.
    """
    wanted = [(key, folded_text(str(value))) for key, value in zip(gold_keys, gold, strict=True)]
    near = [
        [number for number, (gold_key, text) in enumerate(wanted) if key == gold_key or similar(text, folded)]
        for key, folded in zip(found_keys, (folded_text(str(value)) for value in found), strict=True)
    ]
    holder: dict[int, int] = {}
    for number in range(len(found)):
        _augment(number, near, holder)
    return {value: number for number, value in holder.items()}


def _augment(start: int, near: Sequence[Sequence[int]], holder: dict[int, int]) -> None:
    """Finds, breadth first, a way to give `start` a gold value while all others keep one."""
    came_from: dict[int, int] = {}
    queue = [start]
    for value in queue:
        for wanted in near[value]:
            if wanted in came_from:
                continue
            came_from[wanted] = value
            if wanted not in holder:
                _give(wanted, start, came_from, holder)
                return
            queue.append(holder[wanted])


def _give(wanted: int, start: int, came_from: dict[int, int], holder: dict[int, int]) -> None:
    before = {value: number for number, value in holder.items()}
    while True:
        value = came_from[wanted]
        holder[wanted] = value
        if value == start:
            return
        wanted = before[value]
