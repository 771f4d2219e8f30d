"""What a person is shown of a task: its summary, its results, its status."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from scatter_pipelines.cli.output import plural, print_coloured, print_line
from scatter_pipelines.cli.table import Column, one_line, print_table
from scatter_pipelines.errors import CODES
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import details as details_of
from scatter_pipelines.work.status import result_rows

EXIT_STATUS = {"completed": 0, "completed_with_errors": 3, "failed": 1, "cancelled": 3, "processing": 0}
SHOWN_FIELDS = 5
SHOWN_ROWS = 30


def exit_status(status: str) -> int:
    """0 all completed, 3 closed with some left undone, 1 failed."""
    return EXIT_STATUS[status]


def moment(iso: str) -> str:
    """An instant as a person reads it, to the second."""
    return f"{iso[:10]} {iso[11:19]} UTC"


def count_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def print_summary(runtime: Runtime, summary: dict[str, Any]) -> None:
    """The table of results, the errors with their advice, and where to go on."""
    task_id = summary["task_id"]
    known = details_of(runtime, task_id)
    if known["estimate"] is None:
        print_results(runtime, task_id, most=SHOWN_ROWS)
    print_errors(summary["errors"])
    print_line()
    for line in _money_lines(known):
        print_line(line)
    documents = f"{plural(summary['expected'], 'document')}: {count_words(summary['counts'])}."
    print_coloured(f"Task {task_id}: ", summary["status"], f" in {summary['elapsed_seconds']:.1f} s; {documents}")
    if summary["counts"]["completed"] and known["estimate"] is None:
        print_line(f"Evidence of each value:   scatter results {task_id} --evidence")
        print_line(f"Write a file:             scatter export {task_id} --format csv -o results.csv")
    if summary["counts"]["error"] or summary["counts"]["cancelled"]:
        print_line(f"Try what is left again:   scatter retry {task_id} && scatter run --task {task_id}")


def print_results(runtime: Runtime, task_id: str, *, most: int | None = None, status: str | None = None) -> None:
    """One line a document."""
    fields = find_task(runtime, task_id).template["fields"]
    rows = list(result_rows(runtime, task_id, status=status, most=None if most is None else most + 1))
    cut = most is not None and len(rows) > most
    if not rows:
        print_line(f"Task {task_id} has no {status or 'document'}{' documents' if status else ''}.")
        return
    shown = rows[:most]
    names = shown_fields(fields, shown)
    columns = [Column("document"), Column("status", firm=True), *(Column(name, spare=True) for name in names)]
    print_table(columns, [_row(row, names) for row in shown])
    if cut:
        print_line(f"... and more: scatter results {task_id}")


def shown_fields(fields: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names that fit a table best: one short value each, and found in some document at least."""

    def rank(field: Mapping[str, Any]) -> tuple[bool, bool]:
        found = any((row["fields"].get(field["name"]) or {}).get("value") is not None for row in rows)
        return not found, bool(field.get("many")) or field["type"] == "text"

    best = sorted(fields, key=rank)[:SHOWN_FIELDS]
    return [field["name"] for field in best]


def _row(row: dict[str, Any], names: list[str]) -> list[str]:
    code = f" {row['error']['code']}" if row["error"] else ""
    return [row["filename"], row["status"] + code, *(cell(row["fields"].get(name)) for name in names)]


def cell(field: dict[str, Any] | None) -> str:
    """A field's value as one line."""
    value = field["value"] if field else None
    if value is None:
        return ""
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)


def short(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def print_errors(errors: list[dict[str, Any]]) -> None:
    """By code: what to do about it once, then what it was for each document."""
    by_code = sorted(errors[:SHOWN_ROWS], key=lambda error: str(error["code"]))
    for code, group in groupby(by_code, key=lambda error: str(error["code"])):
        advice = CODES[code].advice
        print_line(f"\n{code}: {advice}")
        for error in group:
            message = (error["message"] or "").removesuffix(advice).strip()
            print_line(f"  {one_line(error['filename'])}: {one_line(message) or CODES[code].meaning}")
    if len(errors) > SHOWN_ROWS:
        print_line(f"... and {len(errors) - SHOWN_ROWS} more errors.")


def print_evidence(rows: Iterable[dict[str, Any]]) -> None:
    """Each value with the words it was taken from."""
    for row in rows:
        code = f" {row['error']['code']}" if row["error"] else ""
        print_coloured(f"{one_line(row['filename'])} (", row["status"], f"{code})")
        for line in _evidence_lines(row["fields"]):
            print_line(f"  {line}")
        print_line()


def _evidence_lines(fields: Mapping[str, Any]) -> Iterator[str]:
    for name, field in fields.items():
        values = field["value"] if isinstance(field["value"], list) else [field["value"]]
        for value, evidence in zip(values, field["evidence"], strict=False):
            mark = "verified" if evidence["verified"] else "NOT VERIFIED"
            page = f"page {evidence['page']}" if evidence["page"] else "on no page"
            where = f"{page}{' (OCR)' * bool(evidence.get('ocr'))}, {mark}"
            claimed = f"; claimed: “{short(evidence['claimed'], 80)}”" if evidence.get("claimed") else ""
            yield f"{name}: {short(str(value), 60)}  [{where}: “{short(evidence['quote'], 80)}”{claimed}]"


def print_details(details: dict[str, Any]) -> None:
    """What `scatter status` shows."""
    print_coloured(f"Task {details['task_id']}: ", details["status"])
    for hold in details["holds"]:
        print_line(f"ON HOLD: {hold}. `scatter resume {details['task_id']}` releases it.")
    print_line(f"{plural(details['expected'], 'document')}: {count_words(details['counts'])}")
    print_line(
        f"template {details['template']}, {plural(details['pages'], 'page')}, from {', '.join(details['sources'])}"
    )
    ended = f", closed {moment(details['closed_at'])}" if details["closed_at"] else ""
    print_line(f"submitted {moment(details['submitted_at'])}{ended}, {details['elapsed_seconds']:.1f} s")
    for code, count in details["error_codes"].items():
        print_line(f"  {count} x {code}: {CODES[code].meaning}")
    if details["documents_missing_required"]:
        lack = "lacks" if details["documents_missing_required"] == 1 else "lack"
        print_line(f"{plural(details['documents_missing_required'], 'document')} {lack} a required field.")
    for line in _money_lines(details):
        print_line(line)
    if details["working"]:
        _print_working(details["working"])
    for event in details["events"]:
        print_line(f"{moment(event['at'])} {event['level']}: {event['message']}")


def _money_lines(details: Mapping[str, Any]) -> Iterator[str]:
    """What calls to an LLM came to, of what budget, or would come to."""
    usage, budget, estimate = details["usage"], details["budget"], details["estimate"]
    if usage["calls"] or usage["calls_failed"]:
        lost = f", {usage['calls_lost']} of them lost and counted in full" if usage["calls_lost"] else ""
        failed = f", {usage['calls_failed']} more failed and were not charged" if usage["calls_failed"] else ""
        yield (
            f"{plural(usage['calls'], 'call')} to {details['engine']['model']['name']}{lost}{failed}: "
            f"{usage['input_tokens']:,} tokens in, {usage['output_tokens']:,} out, {dollars(usage['cost_usd'])}."
        )
    if usage["unverified_values"]:
        yield f"{plural(usage['unverified_values'], 'value')} not verified: `scatter results --evidence` marks them."
    if budget and (budget["limit_usd"] or budget["document_limit_usd"]):
        yield _budget_line(budget)
    if estimate:
        yield estimate_line(estimate)


def _budget_line(budget: Mapping[str, float | None]) -> str:
    limits = {"the task": budget["limit_usd"], "a document": budget["document_limit_usd"]}
    said = ", ".join(f"{dollars(usd)} for {what}" for what, usd in limits.items() if usd is not None)
    return f"Budget {said}; {dollars(budget['spent_usd'])} spent, {dollars(budget['reserved_usd'])} set aside."


def estimate_line(estimate: Mapping[str, Any]) -> str:
    """What an estimate found."""
    most = f", {dollars(estimate['most_cost_usd'])} at the very most" if estimate["most_cost_usd"] is not None else ""
    return (
        f"Estimate: {plural(estimate['calls'], 'call')}, {estimate['input_tokens']:,} tokens in, "
        f"{estimate['output_tokens']:,} out, {dollars(estimate['cost_usd'])}{most}. Nobody was asked."
    )


def dollars(usd: float | None) -> str:
    """An amount, with more digits where it is small."""
    if usd is None:
        return "at a price that is not known (SCATTER_LLM_INPUT_USD, SCATTER_LLM_OUTPUT_USD)"
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def _print_working(working: list[dict[str, Any]]) -> None:
    rows = [
        [item["filename"], item["stage"], f"{item['done']}/{item['total']}", f"{item['seconds']:.0f} s", item["host"]]
        for item in working
    ]
    headings = [
        Column("document"),
        *(Column(name, firm=True) for name in ("stage", "done", "for")),
        Column("host", spare=True),
    ]
    print_table(headings, rows, title="At work")
