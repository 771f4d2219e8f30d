"""Commands that only read: tasks, status, watch, results, export."""

import time
from pathlib import Path
from typing import Annotated

import typer

from scatter_pipelines.cli.output import JsonFlag, TaskName, counting, print_json, print_line, print_table, say, status_text
from scatter_pipelines.cli.show import exit_status, print_details, print_evidence, print_results, print_summary, short
from scatter_pipelines.errors import UsageError
from scatter_pipelines.export.formats import FORMATS
from scatter_pipelines.work.export import export_task
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import open_runtime
from scatter_pipelines.work.status import attempts, counts_of, details, open_holds, recent_tasks, result_rows, summary

WATCH_SECONDS = 1.0
STATUSES = ("pending", "extracting", "completed", "error", "cancelled")


def tasks_command(
    most: Annotated[int, typer.Option("--most", min=1, help="How many to show, newest first.")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """List the newest tasks with their progress."""
    with open_runtime() as runtime:
        found = recent_tasks(runtime, most)
    if as_json:
        print_json(found)
        return
    rows = [
        [
            item["task_id"],
            status_text(item["status"]),
            item["expected"],
            item["counts"]["completed"],
            item["counts"]["error"],
            item["template"],
            item["submitted_at"][:19],
            short(", ".join(item["sources"])),
        ]
        for item in found
    ]
    print_table(None, ["task", "status", "documents", "completed", "errors", "template", "submitted", "sources"], rows, markup=1)


def status_command(task: TaskName, as_json: JsonFlag = False) -> None:
    """Show one task: counts, errors by code, holds, what is at work now and what happened."""
    with open_runtime() as runtime:
        known = details(runtime, find_task(runtime, task).id)
    print_json(known) if as_json else print_details(known)


def watch_command(task: TaskName, as_json: JsonFlag = False) -> None:
    """Follow a task until it is closed. Under --json one object when it is."""
    with open_runtime() as runtime:
        found = find_task(runtime, task)
        try:
            with counting(f"Task {found.id}", shown=not as_json) as update:
                while True:
                    counts = counts_of(runtime, found.id)
                    update(counts.total - counts.open, counts.total)
                    if find_task(runtime, found.id).status != "processing":
                        break
                    for reason in open_holds(runtime, found.id):
                        update(counts.total - counts.open, counts.total)
                        _say_once(f"On hold: {reason}")
                    time.sleep(WATCH_SECONDS)
        except KeyboardInterrupt:
            say(f"Task {found.id} goes on.")
            raise typer.Exit(1) from None
        result = summary(runtime, found.id)
        print_json(result) if as_json else print_summary(runtime, result)
    raise typer.Exit(exit_status(result["status"]))


_said: set[str] = set()


def _say_once(message: str) -> None:
    if message not in _said:
        _said.add(message)
        say(message)


def results_command(
    task: TaskName,
    status: Annotated[str | None, typer.Option("--status", help=f"Only {', '.join(STATUSES)}.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Show the words each value was taken from.")] = False,
    show_attempts: Annotated[bool, typer.Option("--attempts", help="Show every attempt at every document.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the results of a task, or with --json print them one a line."""
    if status is not None and status not in STATUSES:
        raise UsageError("config_invalid", f"There is no status {status!r}; there are {', '.join(STATUSES)}.")
    with open_runtime() as runtime:
        task_id = find_task(runtime, task).id
        if show_attempts:
            _show_attempts(attempts(runtime, task_id), as_json)
        elif as_json:
            for row in result_rows(runtime, task_id, status=status):
                print_json(row)
        elif evidence:
            print_evidence(result_rows(runtime, task_id, status=status))
        else:
            print_results(runtime, task_id, status=status)


def _show_attempts(found: list[dict[str, object]], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    names = ("filename", "attempt", "outcome", "code", "started_at", "ended_at", "host", "run_id")
    print_table(None, names, [[short(str(row[name] or "")) for name in names] for row in found])


def export_command(
    task: TaskName,
    format_name: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "jsonl",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write; its folder is made.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write the results of a task to a file."""
    with open_runtime() as runtime:
        task_id = find_task(runtime, task).id
        path = output or Path(f"{task_id}.{format_name}")
        written = export_task(runtime, task_id, format_name, path)
    if as_json:
        print_json({"task_id": task_id, "format": format_name, "path": str(path), "rows": written})
    else:
        print_line(f"{written} results written to {path}.")
