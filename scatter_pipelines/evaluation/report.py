"""An evaluation as one JSON object. docs/evaluation.md documents its keys."""

from collections.abc import Iterable, Sequence
from typing import Any

from scatter_pipelines.evaluation.bootstrap import COVERAGE, Estimate, share
from scatter_pipelines.evaluation.compare import Change, Changed
from scatter_pipelines.evaluation.documents import Item
from scatter_pipelines.evaluation.evaluation import Compared, Evaluation
from scatter_pipelines.evaluation.minimum import ALL, VERIFIED, Minimum
from scatter_pipelines.evaluation.pairing import Pairing
from scatter_pipelines.evaluation.rules import FieldRule
from scatter_pipelines.evaluation.scores import FieldScores, Scores
from scatter_pipelines.evaluation.tally import Confidence, Disagreement, FieldTally

Json = dict[str, Any]


def report(evaluation: Evaluation, minimums: Sequence[Minimum] = ()) -> Json:
    tallies = evaluation.tally.fields
    fields = {name: _field(tallies[name], scores) for name, scores in evaluation.scores.items()}
    total = _levels(evaluation.all)
    found = {
        "task_id": evaluation.task_id,
        "task_status": evaluation.task_status,
        "template": evaluation.template,
        "gold": evaluation.gold,
        "seed": evaluation.seed,
        "resamples": evaluation.resamples,
        "coverage": COVERAGE,
        "documents": _documents(evaluation),
        "fields": fields,
        "all": {"expected": evaluation.all.expected, "found": evaluation.all.found, "levels": total},
        "not_in_gold": [name for name in tallies if name not in fields],
        "disagreements": [
            _disagreement(one, tallies[name].rule) for name in fields for one in tallies[name].disagreements
        ],
        "comparison": _compared(evaluation.compared, tallies) if evaluation.compared else None,
    }
    return found | {"minimums": [_minimum(minimum, found) for minimum in minimums]}


def _documents(evaluation: Evaluation) -> Json:
    return {
        "evaluated": len(evaluation.tally.lines),
        **_paired(evaluation.pairing),
        "not_completed": [
            {"document": name, "status": status, "code": code} for name, status, code in evaluation.tally.not_completed
        ],
    }


def _paired(pairing: Pairing) -> Json:
    return {
        "matched_by": pairing.how,
        "unmatched_gold": [{"line": line.line, "name": line.name} for line in pairing.unmatched],
        "ambiguous_gold": [
            {"line": line.line, "name": line.name, "documents": documents} for line, documents in pairing.ambiguous
        ],
        "without_gold": pairing.without_gold,
    }


def _field(tally: FieldTally, scores: FieldScores) -> Json:
    return {
        "scored_as": tally.rule.kind,
        "many": tally.rule.many,
        "main_level": tally.rule.main,
        "documents": sum(counts.expected > 0 for counts in tally.counts),
        "expected": scores.expected,
        "found": scores.found,
        "levels": _levels(scores),
        "found_where_gold_is_empty": {"documents": tally.extra_documents, "values": tally.extra_values},
        "evidence": {
            "values": tally.values,
            "verified": share(tally.verified, tally.values),
            "ocr": share(tally.ocr, tally.values),
        },
        "confidence": _confidence(tally.confidence),
    }


def _levels(scores: FieldScores) -> Json:
    return {level: _scores(found) for level, found in scores.levels.items()}


def _scores(scores: Scores) -> Json:
    return {
        "right": scores.right,
        "score": _estimate(scores.score),
        "precision": _estimate(scores.precision),
        "recall": _estimate(scores.recall),
        "f1": _estimate(scores.f1),
    }


def _estimate(estimate: Estimate) -> Json:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _confidence(known: Confidence) -> Json | None:
    if not known.right_values + known.wrong_values:
        return None
    return {
        "right": share(known.right, known.right_values),
        "right_values": known.right_values,
        "wrong": share(known.wrong, known.wrong_values),
        "wrong_values": known.wrong_values,
    }


def _disagreement(one: Disagreement, rule: FieldRule) -> Json:
    return {
        "document": one.document,
        "line": one.line,
        "field": one.field,
        "right_at": one.right_at,
        "gold": _plain(one.gold, rule),
        "found": _plain([item.value for item in one.found], rule),
        "quotes": _quotes(one.found),
        "code": one.code,
    }


def _plain(values: Sequence[Any], rule: FieldRule) -> Any:
    """As a field is written: one value or None, or for `many` a list."""
    return list(values) if rule.many else next(iter(values), None)


def _quotes(items: Iterable[Item]) -> list[Json]:
    return [{"page": item.page, "quote": item.quote, "verified": item.verified, "ocr": item.ocr} for item in items]


def _compared(compared: Compared, tallies: dict[str, FieldTally]) -> Json:
    comparison = compared.comparison
    return {
        "task_id": compared.task_id,
        "documents": comparison.documents,
        "only_here": comparison.only_ours,
        "only_there": comparison.only_theirs,
        "there": _paired(compared.pairing),
        "left_out": compared.left_out,
        "fields": {
            name: {level: _change(change) for level, change in levels.items()}
            for name, levels in comparison.fields.items()
        },
        "changed": [_changed(one, tallies[one.field].rule) for one in comparison.changed],
    }


def _change(change: Change) -> Json:
    return {
        "here": change.ours,
        "there": change.theirs,
        "difference": _estimate(change.difference),
        "better": change.better,
        "worse": change.worse,
        "p": change.p,
        "test": change.test,
    }


def _changed(one: Changed, rule: FieldRule) -> Json:
    return {
        "document": one.document,
        "field": one.field,
        "change": "better" if one.better else "worse",
        "gold": _plain(one.gold, rule),
        "here": _plain([item.value for item in one.ours], rule),
        "there": _plain([item.value for item in one.theirs], rule),
        "quotes": _quotes(one.ours),
    }


def _minimum(minimum: Minimum, found: Json) -> Json:
    """Not met where the score does not exist."""
    place = found["all"] if minimum.field == ALL else found["fields"].get(minimum.field)
    if place is None:
        value = None
    elif minimum.measure == VERIFIED:
        value = place["evidence"]["verified"]
    else:
        value = place["levels"][minimum.level][minimum.measure]["value"]
    return {"minimum": minimum.text, "value": value, "met": value is not None and value >= minimum.value}
