"""Judging a task's results by gold values, and against another task's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.bootstrap import RESAMPLES, SEED, Resampling
from scatter_pipelines.evaluation.compare import compare
from scatter_pipelines.evaluation.documents import Judged, judged
from scatter_pipelines.evaluation.evaluation import Compared, Evaluation
from scatter_pipelines.evaluation.gold import GoldLine, read_gold
from scatter_pipelines.evaluation.pairing import DocumentName, Pairing, pair
from scatter_pipelines.evaluation.rules import FieldRule, rule_of
from scatter_pipelines.evaluation.scores import field_scores, overall_scores
from scatter_pipelines.evaluation.tally import Tally, start_tally
from scatter_pipelines.model.result import Task
from scatter_pipelines.model.template import Template
from scatter_pipelines.store import reading
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import result_rows


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to evaluate by. `column` is a manifest column that says which document a line of gold is about."""

    gold: Path
    column: str | None = None
    seed: int = SEED
    resamples: int = RESAMPLES


def rules_of(task: Task) -> dict[str, FieldRule]:
    """How each field of the task's template is scored."""
    return {field.name: rule_of(field) for field in Template.model_validate(task.template).fields}


def evaluate_task(runtime: Runtime, name: str, wanted: Wanted, other: str | None = None) -> Evaluation:
    """Judges a task; with `other` says what changed since that one."""
    task = find_task(runtime, name)
    against = find_task(runtime, other) if other else None
    rules = rules_of(task)
    lines = read_gold(wanted.gold, rules, wanted.column)
    pairing, tally = _judge(runtime, task, lines, list(rules.values()), wanted, keep=against is not None)
    resampling = Resampling(len(tally.lines), resamples=wanted.resamples, seed=wanted.seed)
    scored = [field for field in tally.fields.values() if field.expected]
    return Evaluation(
        task_id=task.id,
        task_status=task.status,
        template=task.template_name,
        gold=str(wanted.gold),
        seed=wanted.seed,
        resamples=wanted.resamples,
        pairing=pairing,
        tally=tally,
        scores={field.rule.name: field_scores(field, resampling) for field in scored},
        all=overall_scores(scored, resampling),
        compared=_compared(runtime, task, against, lines, tally, wanted) if against else None,
    )


def _judge(
    runtime: Runtime, task: Task, lines: Sequence[GoldLine], rules: Sequence[FieldRule], wanted: Wanted, *, keep: bool
) -> tuple[Pairing, Tally]:
    pairing = pair(lines, _names(runtime, task.id), wanted.column)
    _check(pairing, task, wanted)
    tally = start_tally(rules, keep=keep)
    for line, document in _documents(runtime, task.id, pairing.lines):
        tally.add(line, document)
    return pairing, tally


def _names(runtime: Runtime, task_id: str) -> list[DocumentName]:
    rows = runtime.database.run(lambda connection: reading.names(connection, task_id))
    return [DocumentName(**row | {"id": str(row["id"])}) for row in rows]


def _check(pairing: Pairing, task: Task, wanted: Wanted) -> None:
    if pairing.twice:
        doubles = [
            f"{wanted.gold}, line {later.line}: {later.name} is the same document as line {first.line}"
            for first, later in pairing.twice[:10]
        ]
        raise UsageError("gold_invalid", "\n".join(doubles))
    if not pairing.lines:
        raise UsageError("gold_unmatched", _nothing_fits(pairing, task, wanted.gold))


def _nothing_fits(pairing: Pairing, task: Task, gold: Path) -> str:
    """What gold has and what the task has, so that the difference shows."""
    if not pairing.unmatched:
        line, documents = pairing.ambiguous[0]
        several = f"{line.name} may be {documents[0]} or {documents[1]}"
        return f"Every line of {gold} fits several documents of task {task.id}: {several}."
    here, there = ", ".join(line.name for line in pairing.unmatched[:3]), ", ".join(pairing.without_gold[:3])
    return f"No line of {gold} names a document of task {task.id}: gold has {here}; the task has {there}."


def _documents(runtime: Runtime, task_id: str, lines: Mapping[str, GoldLine]) -> Iterator[tuple[GoldLine, Judged]]:
    for row in result_rows(runtime, task_id):
        if row["result_id"] in lines:
            yield lines[row["result_id"]], judged(row)


def _compared(
    runtime: Runtime, task: Task, against: Task, lines: Sequence[GoldLine], tally: Tally, wanted: Wanted
) -> Compared:
    if against.id == task.id:
        raise UsageError("config_invalid", f"Task {task.id} cannot be compared with itself; name another.")
    rules, theirs = rules_of(task), rules_of(against)
    shared = [rule for name, rule in rules.items() if name in theirs and _alike(rule, theirs[name])]
    if not shared:
        raise UsageError("config_invalid", f"Tasks {task.id} and {against.id} have no field of the same name and type.")
    pairing, other = _judge(runtime, against, lines, shared, wanted, keep=True)
    comparison = compare(_only(tally, shared), other, resamples=wanted.resamples, seed=wanted.seed)
    left_out = [name for name in {**rules, **theirs} if name not in {rule.name for rule in shared}]
    return Compared(against.id, pairing, comparison, left_out)


def _alike(ours: FieldRule, theirs: FieldRule) -> bool:
    return (ours.type, ours.many) == (theirs.type, theirs.many)


def _only(tally: Tally, rules: Sequence[FieldRule]) -> Tally:
    """The same with those fields alone."""
    fields = {rule.name: tally.fields[rule.name] for rule in rules}
    return Tally(fields, tally.lines, tally.names, keep=True, seen=tally.seen, wanted=tally.wanted)
