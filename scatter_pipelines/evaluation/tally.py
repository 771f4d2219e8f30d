"""Adds up, document by document, what was right; keeps of each no more than the intervals and the list need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scatter_pipelines.evaluation.documents import Item, Judged
from scatter_pipelines.evaluation.gold import GoldLine
from scatter_pipelines.evaluation.matching import Pairs, match
from scatter_pipelines.evaluation.rules import FieldRule, Level
from scatter_pipelines.model.evidence import JsonValue


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one document and field: values in gold, values found, and of these the right ones by level of the rule.

    All are 0 where gold leaves the field empty.
    """

    expected: int
    found: int
    right: tuple[int, ...]


@dataclass(slots=True)
class Confidence:
    """Sum and number of the confidences of right and of wrong values."""

    right: float = 0.0
    right_values: int = 0
    wrong: float = 0.0
    wrong_values: int = 0

    def add(self, value: float, right: bool) -> None:
        if right:
            self.right += value
            self.right_values += 1
        else:
            self.wrong += value
            self.wrong_values += 1


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Gold and result of one field of one document, where they are not the same to the letter.

    Of a list only what has no exact partner. `right_at` is the strictest level at which all is right after all.
    """

    document: str
    line: int
    field: str
    right_at: Level | None
    gold: tuple[JsonValue, ...]
    found: tuple[Item, ...]
    code: str | None


@dataclass(slots=True)
class FieldTally:
    """One field over all documents; `counts` has one entry a document, in their order."""

    rule: FieldRule
    counts: list[Counts] = field(default_factory=list)
    values: int = 0
    verified: int = 0
    ocr: int = 0
    extra_documents: int = 0
    extra_values: int = 0
    confidence: Confidence = field(default_factory=Confidence)
    disagreements: list[Disagreement] = field(default_factory=list)

    @property
    def expected(self) -> int:
        return sum(counts.expected for counts in self.counts)

    def right_at(self, level: Level) -> list[int]:
        """By document; at the next stricter level where the field does not have this one."""
        place = self.rule.levels.index(self.rule.nearest(level))
        return [counts.right[place] for counts in self.counts]


@dataclass(slots=True)
class Tally:
    """All fields over all documents that have gold. `seen` is there for a comparison alone."""

    fields: dict[str, FieldTally]
    lines: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    not_completed: list[tuple[str, str, str | None]] = field(default_factory=list)
    keep: bool = False
    seen: list[Mapping[str, tuple[Item, ...]]] = field(default_factory=list)
    wanted: list[GoldLine] = field(default_factory=list)
    _shared: dict[Counts, Counts] = field(default_factory=dict)

    def add(self, line: GoldLine, document: Judged) -> None:
        self.lines.append(line.line)
        self.names.append(document.filename)
        if document.status != "completed":
            self.not_completed.append((document.filename, document.status, document.code))
        for name, tally in self.fields.items():
            gold, found = line.values.get(name, ()), document.fields.get(name, ())
            counts = self._add_field(tally, gold, found, line, document)
            tally.counts.append(self._shared.setdefault(counts, counts))
        if self.keep:
            self.seen.append(document.fields)
            self.wanted.append(line)

    def _add_field(
        self, tally: FieldTally, gold: Sequence[JsonValue], found: Sequence[Item], line: GoldLine, document: Judged
    ) -> Counts:
        tally.values += len(found)
        tally.verified += sum(item.verified for item in found)
        tally.ocr += sum(item.ocr for item in found)
        if not gold:
            tally.extra_documents += bool(found)
            tally.extra_values += len(found)
            return Counts(0, 0, (0,) * len(tally.rule.levels))
        pairs = match(tally.rule, gold, [item.value for item in found])
        _add_confidence(tally, found, pairs)
        if not _complete(pairs["exact"], gold, found):
            tally.disagreements.append(_disagreement(tally.rule, gold, found, pairs, line, document))
        return Counts(len(gold), len(found), tuple(len(pairs[level]) for level in tally.rule.levels))


def start_tally(rules: Sequence[FieldRule], *, keep: bool = False) -> Tally:
    return Tally({rule.name: FieldTally(rule) for rule in rules}, keep=keep)


def _add_confidence(tally: FieldTally, found: Sequence[Item], pairs: Mapping[Level, Pairs]) -> None:
    for number, item in enumerate(found):
        if item.confidence is not None:
            tally.confidence.add(item.confidence, number in pairs[tally.rule.main])


def _complete(pairs: Pairs, gold: Sequence[Any], found: Sequence[Any]) -> bool:
    return len(pairs) == len(gold) == len(found)


def _disagreement(
    rule: FieldRule,
    gold: Sequence[JsonValue],
    found: Sequence[Item],
    pairs: Mapping[Level, Pairs],
    line: GoldLine,
    document: Judged,
) -> Disagreement:
    exact = pairs["exact"]
    partnered = set(exact.values())
    return Disagreement(
        document=document.filename,
        line=line.line,
        field=rule.name,
        right_at=next((level for level in rule.levels if _complete(pairs[level], gold, found)), None),
        gold=tuple(value for number, value in enumerate(gold) if number not in partnered),
        found=tuple(item for number, item in enumerate(found) if number not in exact),
        code=document.code,
    )
