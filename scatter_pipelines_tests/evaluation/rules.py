"""Rules of one field each, and a shortcut to what is right at each level."""

from collections.abc import Sequence
from typing import Any

from scatter_pipelines.evaluation.documents import Item, Judged
from scatter_pipelines.evaluation.gold import GoldLine
from scatter_pipelines.evaluation.matching import match
from scatter_pipelines.evaluation.rules import FieldRule
from scatter_pipelines.evaluation.tally import Tally, start_tally

TITLE = FieldRule("title", "text", "string", many=False)
KEYWORDS = FieldRule("keywords", "text", "string", many=True)
AUTHORS = FieldRule("authors", "name", "string", many=True)
DOI = FieldRule("doi", "identifier", "string", many=False)
YEAR = FieldRule("year", "number", "integer", many=False)
RULES = {rule.name: rule for rule in (TITLE, KEYWORDS, AUTHORS, DOI, YEAR)}


def right(rule: FieldRule, gold: Sequence[Any], found: Sequence[Any]) -> tuple[int, ...]:
    """How many values are right, by level from strict to lenient."""
    return tuple(len(pairs) for pairs in match(rule, gold, found).values())


def tallied(*documents: tuple[dict[str, tuple[Any, ...]], dict[str, tuple[Any, ...]]], keep: bool = False) -> Tally:
    """Of (gold, found) pairs; a found value may be an Item."""
    tally = start_tally(list(RULES.values()), keep=keep)
    for number, (gold, found) in enumerate(documents, start=1):
        items = {
            name: tuple(one if isinstance(one, Item) else Item(one, 1, str(one), True) for one in values)
            for name, values in found.items()
        }
        tally.add(GoldLine(number, {"id": f"d{number}"}, gold), Judged(f"d{number}.pdf", "completed", None, items))
    return tally
