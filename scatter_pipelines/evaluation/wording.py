"""How numbers and values of a report are written for a person, in any format."""

from collections.abc import Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]
NONE = "-"


def number(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


def ranged(estimate: Json) -> str:
    """A score with its interval."""
    if estimate["value"] is None:
        return NONE
    return f"{number(estimate['value'])} [{number(estimate['low'])}, {number(estimate['high'])}]"


def probability(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def value(given: Any) -> str:
    """One value, or a list as a person writes it."""
    if given is None or given == []:
        return "(nothing)"
    return "; ".join(map(str, given)) if isinstance(given, list) else str(given)


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def named(names: list[str], most: int) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}" if names else ""


def documents_said(report: Json, most: int) -> Iterator[str]:
    """What was compared with what, and whatever was left aside."""
    documents = report["documents"]
    ways = ", ".join(f"{count} by {key}" for key, count in documents["matched_by"].items())
    yield f"{counted(documents['evaluated'], 'document')} evaluated ({ways})."
    lost = [f"{one['document']} ({one['code'] or one['status']})" for one in documents["not_completed"]]
    yield from _group("without a result, counted as nothing found", lost, most, "document")
    yield from _pairing_said(documents, most)
    if report["not_in_gold"]:
        yield f"Not in gold, so not scored: {', '.join(report['not_in_gold'])}."


def _pairing_said(documents: Json, most: int) -> Iterator[str]:
    unmatched = [f"{one['name']} (line {one['line']})" for one in documents["unmatched_gold"]]
    ambiguous = [f"{one['name']} (line {one['line']})" for one in documents["ambiguous_gold"]]
    yield from _group("of gold without a document", unmatched, most, "line")
    yield from _group("of gold that fit several documents", ambiguous, most, "line")
    yield from _group("without gold, not evaluated", documents["without_gold"], most, "document")


def _group(what: str, names: list[str], most: int, noun: str) -> Iterator[str]:
    if names:
        yield f"{counted(len(names), noun)} {what}{': ' * bool(most)}{named(names, most) if most else ''}."


def compared_said(comparison: Json, most: int) -> Iterator[str]:
    shared = counted(comparison["documents"], "document")
    yield f"Compared with task {comparison['task_id']} on {shared} that both have."
    yield from _group("only in this task", comparison["only_here"], most, "document")
    yield from _group("only in that task", comparison["only_there"], most, "document")
    ambiguous = [f"{one['name']} (line {one['line']})" for one in comparison["there"]["ambiguous_gold"]]
    yield from _group("of gold that fit several documents of that task", ambiguous, most, "line")
    if comparison["left_out"]:
        yield f"Not in both templates with the same type: {', '.join(comparison['left_out'])}."


def intervals_said(report: Json) -> str:
    percent = f"{report['coverage']:.0%}"
    return (
        f"Intervals: {percent}, percentile bootstrap over documents, {report['resamples']:,} resamples, "
        f"seed {report['seed']}."
    )


def extras_said(report: Json) -> Iterator[str]:
    """Values found where gold is empty, and how sure the recognisers were."""
    for name, field in report["fields"].items():
        extra = field["found_where_gold_is_empty"]
        if extra["documents"]:
            yield (
                f"{name}: {counted(extra['values'], 'value')} in {counted(extra['documents'], 'document')} "
                "where gold is empty, not counted."
            )
    sure = {name: field["confidence"] for name, field in report["fields"].items() if field["confidence"]}
    if sure:
        parts = (f"{name} {number(one['right'])}/{number(one['wrong'])}" for name, one in sure.items())
        yield f"Mean confidence of right/wrong values: {', '.join(parts)}."


def minimums_said(report: Json) -> Iterator[str]:
    for one in report["minimums"]:
        if not one["met"]:
            yield f"Below the minimum {one['minimum']}: it is {number(one['value'])}."


def by_field(items: list[Json]) -> dict[str, list[Json]]:
    """What is wrong comes before what is nearly right."""
    groups: dict[str, list[Json]] = {}
    for item in items:
        groups.setdefault(item["field"], []).append(item)
    return {field: sorted(group, key=lambda item: item.get("right_at") is not None) for field, group in groups.items()}


def difference(one: Json) -> str:
    """What one disagreement is about, beside the two values."""
    if one["code"]:
        return f"error {one['code']}"
    return f"right at {one['right_at']}" if one["right_at"] else "wrong"


def first_quote(one: Json) -> str:
    """Where the first value found was taken from."""
    quoted = next((quote for quote in one["quotes"] if quote["quote"]), None)
    return f"page {quoted['page']}{' (OCR)' * quoted['ocr']}: “{quoted['quote']}”" if quoted else ""
