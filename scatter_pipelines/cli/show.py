"""Tables for a person: a task's summary, its results, its status."""

from collections.abc import Iterable
from typing import Any

from rich.markup import escape

from scatter_pipelines.cli.output import print_line, print_table, status_text, stdout
from scatter_pipelines.errors import CODES
from scatter_pipelines.work.export import field_names
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import result_rows

EXIT_STATUS = {"completed": 0, "completed_with_errors": 3, "failed": 1, "cancelled": 3, "processing": 0}
SHOWN_FIELDS = 4
SHOWN_ROWS = 30
CELL = 36


def exit_status(status: str) -> int:
    """0 all completed, 3 closed with some left undone, 1 failed."""
    return EXIT_STATUS[status]


def print_summary(runtime: Runtime, summary: dict[str, Any]) -> None:
    """The table of results, the errors with their advice, and where to go on."""
    print_results(runtime, summary["task_id"], most=SHOWN_ROWS)
    print_errors(summary["errors"])
    counts = ", ".join(f"{count} {name}" for name, count in summary["counts"].items() if count)
    task_id = summary["task_id"]
    stdout.print(
        f"Task {task_id}: {status_text(summary['status'])} in {summary['elapsed_seconds']:.1f} s; "
        f"{summary['expected']} documents: {counts}."
    )
    print_line(f"Evidence of each value: scatter results {task_id} --evidence")
    print_line(f"Write a file:           scatter export {task_id} --format csv -o results.csv")


def print_results(runtime: Runtime, task_id: str, *, most: int | None = None, status: str | None = None) -> None:
    names = field_names(runtime, task_id)[:SHOWN_FIELDS]
    rows = list(result_rows(runtime, task_id, status=status, most=None if most is None else most + 1))
    cut = most is not None and len(rows) > most
    table = [_row(row, names) for row in (rows[:most] if cut else rows)]
    print_table(None, ["document", "status", *names], table, markup=1)
    if cut:
        print_line(f"... and more: scatter results {task_id}")


def _row(row: dict[str, Any], names: list[str]) -> list[str]:
    code = row["error"]["code"] if row["error"] else ""
    status = status_text(row["status"]) + (f" {escape(code)}" if code else "")
    return [short(row["filename"]), status, *(short(cell(row["fields"].get(name))) for name in names)]


def cell(field: dict[str, Any] | None) -> str:
    """A field's value as one line."""
    value = field["value"] if field else None
    if value is None:
        return ""
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)


def short(text: str, most: int = CELL) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def print_errors(errors: list[dict[str, Any]]) -> None:
    for error in errors[:SHOWN_ROWS]:
        print_line(f"{error['filename']}: [{error['code']}] {error['message']}")
        print_line(f"    {CODES[error['code']].advice}")
    if len(errors) > SHOWN_ROWS:
        print_line(f"... and {len(errors) - SHOWN_ROWS} more errors.")


def print_evidence(rows: Iterable[dict[str, Any]]) -> None:
    """Each value with the words it was taken from."""
    for row in rows:
        print_line(f"{row['filename']} ({row['status']})")
        for name, field in row["fields"].items():
            values = field["value"] if isinstance(field["value"], list) else [field["value"]]
            for value, evidence in zip(values, field["evidence"], strict=False):
                mark = "verified" if evidence["verified"] else "NOT VERIFIED"
                quote = short(evidence["quote"], 80)
                print_line(f"  {name}: {short(str(value), 60)}  [page {evidence['page']}, {mark}: “{quote}”]")
        print_line()


def print_details(details: dict[str, Any]) -> None:
    """What `scatter status` shows."""
    stdout.print(f"Task {details['task_id']}: {status_text(details['status'])}")
    for hold in details["holds"]:
        print_line(f"ON HOLD: {hold}")
    counts = ", ".join(f"{count} {name}" for name, count in details["counts"].items() if count)
    print_line(f"{details['expected']} documents: {counts}; {details['pages']} pages; template {details['template']}")
    print_line(f"submitted {details['submitted_at']}, {details['elapsed_seconds']:.1f} s, closing {details['closing']}")
    for code, count in details["error_codes"].items():
        print_line(f"  {count} x {code}: {CODES[code].meaning}")
    if details["documents_missing_required"]:
        print_line(f"{details['documents_missing_required']} documents lack a required field.")
    if details["working"]:
        working = [
            [short(item["filename"]), item["stage"], f"{item['done']}/{item['total']}", f"{item['seconds']:.0f} s", item["host"]]
            for item in details["working"]
        ]
        print_table("At work", ["document", "stage", "done", "for", "host"], working)
    for event in details["events"]:
        print_line(f"{event['at'][:19]} {event['level']}: {event['message']}")
