"""Commands that only read: tasks, status, watch, results, export."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from scatter_pipelines.cli.output import (
    JsonFlag,
    TaskName,
    counting_documents,
    plural,
    print_json,
    print_line,
    reader_gone,
    say,
)
from scatter_pipelines.cli.show import exit_status, moment, print_details, print_evidence, print_results, print_summary
from scatter_pipelines.cli.table import Column, print_table
from scatter_pipelines.errors import UsageError
from scatter_pipelines.export.formats import FORMATS
from scatter_pipelines.model.result import Counts
from scatter_pipelines.work.export import export_task
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import attempts, counts_of, details, open_holds, recent_tasks, result_rows, summary

WATCH_SECONDS = 1.0
IDLE_LOOKS = 5
"""So often nobody may be seen at work before a person is told."""
STATUSES = ("pending", "extracting", "completed", "error", "cancelled")


def tasks_command(
    most: Annotated[int, typer.Option("--most", min=1, help="How many to show, newest first.")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """List the newest tasks with their progress."""
    with open_runtime() as runtime:
        found = recent_tasks(runtime, most)
    if as_json:
        print_json({"tasks": found})
    elif not found:
        print_line("There are no tasks yet: `scatter run SOURCE` makes one.")
    else:
        print_table(TASK_COLUMNS, [_task_row(item) for item in found])


TASK_COLUMNS = (
    Column("task", firm=True),
    Column("status", firm=True),
    Column("documents", firm=True, right=True),
    Column("done", firm=True, right=True),
    Column("errors", firm=True, right=True),
    Column("submitted (UTC)", firm=True, spare=True),
    Column("template", spare=True),
    Column("sources", spare=True),
)


def _task_row(item: dict[str, Any]) -> list[Any]:
    counts = item["counts"]
    sources = ", ".join(item["sources"])
    numbers = (item["expected"], counts["completed"], counts["error"])
    return [
        item["task_id"],
        item["status"],
        *numbers,
        item["submitted_at"][:16].replace("T", " "),
        item["template"],
        sources,
    ]


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
            with counting_documents(f"Task {found.id}") as progress:
                _follow(runtime, found.id, progress)
        except KeyboardInterrupt:
            say(f"Task {found.id} goes on without being watched.")
            raise typer.Exit(1) from None
        result = summary(runtime, found.id)
        print_json(result) if as_json else print_summary(runtime, result)
    raise typer.Exit(exit_status(result["status"]))


def _follow(runtime: Runtime, task_id: str, progress: Callable[[Counts], None]) -> None:
    said: set[str] = set()

    def say_once(message: str) -> None:
        if message not in said:
            said.add(message)
            say(message)

    idle = 0
    while find_task(runtime, task_id).status == "processing":
        counts = counts_of(runtime, task_id)
        progress(counts)
        reasons = open_holds(runtime, task_id)
        for reason in reasons:
            say_once(f"On hold: {reason}. `scatter resume {task_id}` releases it.")
        idle = 0 if counts.extracting or reasons else idle + 1
        if idle > IDLE_LOOKS:
            say_once(
                f"Nobody is at work on it: start `scatter dev`, or `scatter run --task {task_id}` in another shell."
            )
        time.sleep(WATCH_SECONDS)


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


def _show_attempts(found: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        for attempt in found:
            print_json(attempt)
        return
    columns = [Column(heading, firm=heading in FIRM_ATTEMPTS, spare=heading in SPARE_ATTEMPTS) for heading in ATTEMPTS]
    rows = [
        [
            row["filename"],
            row["attempt"],
            row["outcome"],
            row["code"],
            moment(row["ended_at"]),
            row["host"],
            row["run_id"],
        ]
        for row in found
    ]
    print_table(columns, rows)


ATTEMPTS = ("document", "attempt", "outcome", "code", "ended", "host", "run")
FIRM_ATTEMPTS = frozenset(ATTEMPTS) - {"document", "host"}
SPARE_ATTEMPTS = frozenset({"ended", "host", "run"})


def export_command(
    task: TaskName,
    chosen: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", help=f"One of {', '.join(FORMATS)}; by default what the file's name says, or jsonl."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write, whose folder is made; by default TASK.FORMAT; - prints."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write the results of a task to a file."""
    printed = output == Path("-")
    suffix = output.suffix.lstrip(".").lower() if output else ""
    format_name = chosen or (suffix if suffix in FORMATS else "jsonl")
    if printed and as_json:
        raise UsageError("config_invalid", "Both the results (-o -) and --json would be printed.")
    with open_runtime() as runtime:
        task_id = find_task(runtime, task).id
        path = Path("/dev/stdout") if printed else output or Path(f"{task_id}.{format_name}")
        try:
            written = export_task(runtime, task_id, format_name, path)
        except BrokenPipeError:
            reader_gone()
    if as_json:
        print_json({"task_id": task_id, "format": format_name, "path": str(path.absolute()), "rows": written})
    elif not printed:
        print_line(f"{plural(written, 'result')} written to {path}.")
