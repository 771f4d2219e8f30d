"""What a person is shown of a task: its summary, its results, its status."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from scatter_pipelines.cli.output import plural, print_coloured, print_line
from scatter_pipelines.cli.table import Column, one_line, print_table
from scatter_pipelines.errors import CODES
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime
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
    print_results(runtime, task_id, most=SHOWN_ROWS)
    print_errors(summary["errors"])
    print_line()
    documents = f"{plural(summary['expected'], 'document')}: {count_words(summary['counts'])}."
    print_coloured(f"Task {task_id}: ", summary["status"], f" in {summary['elapsed_seconds']:.1f} s; {documents}")
    if summary["counts"]["completed"]:
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
            where = f"page {evidence['page']}{' (OCR)' * bool(evidence.get('ocr'))}, {mark}"
            yield f"{name}: {short(str(value), 60)}  [{where}: “{short(evidence['quote'], 80)}”]"


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
    if details["working"]:
        _print_working(details["working"])
    for event in details["events"]:
        print_line(f"{moment(event['at'])} {event['level']}: {event['message']}")


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
