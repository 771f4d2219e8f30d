"""Operators' commands: retry, cancel, hold, resume, force-finalize, and one tick of aggregate or sweep by hand."""

from typing import Annotated

import typer

from scatter_pipelines.cli.output import JsonFlag, TaskName, plural, print_json, print_line
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.runtime import open_runtime


def retry_command(
    task: TaskName,
    code: Annotated[str | None, typer.Option("--code", help="Only documents with this error code.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Give failed and cancelled documents a new life. The dispatch sensor does them, or `scatter run --task TASK`."""
    with open_runtime() as runtime:
        task_id = operate.find_task(runtime, task).id
        rows = operate.retry(runtime, task_id, code)
    message = (
        f"{plural(rows, 'document')} to be tried again by the dispatch sensor, or by `scatter run --task {task_id}`."
    )
    _done(as_json, {"task_id": task_id, "documents": rows}, message)


def cancel_command(task: TaskName, as_json: JsonFlag = False) -> None:
    """Cancel what is not done yet. What is done stays."""
    with open_runtime() as runtime:
        task_id = operate.find_task(runtime, task).id
        rows = operate.cancel(runtime, task_id)
        aggregate(runtime, task_id)
    _announce()
    _done(as_json, {"task_id": task_id, "documents": rows}, f"Task {task_id}: {plural(rows, 'document')} cancelled.")


def hold_command(
    task: TaskName,
    reason: Annotated[str, typer.Option("--reason", help="Why; shown in `scatter status`.")] = "held by an operator",
    as_json: JsonFlag = False,
) -> None:
    """Let no new document of a task start."""
    with open_runtime() as runtime:
        task_id = operate.find_task(runtime, task).id
        placed = operate.hold(runtime, task_id, reason)
    message = f"Task {task_id} is on hold." if placed else f"Task {task_id} is on hold for that reason already."
    _done(as_json, {"task_id": task_id, "placed": placed}, message)


def resume_command(task: TaskName, as_json: JsonFlag = False) -> None:
    """Release every hold of a task."""
    with open_runtime() as runtime:
        task_id = operate.find_task(runtime, task).id
        released = operate.resume(runtime, task_id)
    _done(as_json, {"task_id": task_id, "released": released}, f"Task {task_id} goes on.")


def force_finalize_command(
    task: TaskName,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept with every document ended by this.")],
    as_json: JsonFlag = False,
) -> None:
    """End a task now, past every filter: what is open becomes an error, and the task is closed."""
    with open_runtime() as runtime:
        task_id = operate.find_task(runtime, task).id
        rows, closing = operate.force_finalize(runtime, task_id, reason)
    _announce()
    status = closing.status if closing else "processing"
    message = f"Task {task_id} is {status}; {plural(rows, 'document')} ended."
    _done(as_json, {"task_id": task_id, "status": status, "documents": rows}, message)


def aggregate_command(as_json: JsonFlag = False) -> None:
    """One tick by hand: end stale claims, close finished tasks, tell Dagster of it."""
    with open_runtime() as runtime:
        tick = aggregate(runtime)
    announced = _announce()
    closed = [{"task_id": item.task_id, "status": item.status} for item in tick.closed]
    message = (
        f"{plural(len(tick.swept), 'claim')} swept, {plural(len(closed), 'task')} closed, "
        f"{plural(announced, 'closing')} announced."
    )
    _done(as_json, {"swept": len(tick.swept), "closed": closed, "announced": announced}, message)


def sweep_command(as_json: JsonFlag = False) -> None:
    """One sweep by hand: stale claims, leases and runs, and alerts."""
    from scatter_pipelines.launch import sweep_with_dagster  # noqa: PLC0415  Dagster takes a second to import

    with open_runtime() as runtime:
        done = sweep_with_dagster(runtime)
    result = {
        "claims": [{"filename": claim.filename, "status": claim.status, "code": claim.code} for claim in done.claims],
        "leases": len(done.leases),
        "failed_runs": list(done.failed_runs),
        "stalled": list(done.stalled),
    }
    message = (
        f"{plural(len(done.claims), 'claim')}, {plural(len(done.leases), 'lease')}, "
        f"{plural(len(done.failed_runs), 'run')} repaired; {plural(len(done.stalled), 'task')} without progress."
    )
    _done(as_json, result, message)


def _announce() -> int:
    from scatter_pipelines.launch import announce_closings  # noqa: PLC0415  Dagster takes a second to import

    with open_runtime() as runtime:
        return announce_closings(runtime)


def _done(as_json: bool, value: dict[str, object], message: str) -> None:
    print_json(value) if as_json else print_line(message)
