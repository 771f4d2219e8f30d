"""What an operator may do to a task: cancel, hold, resume, retry, force-finalize. Each is one transaction."""

from decimal import Decimal

from sqlalchemy import Connection

from scatter_pipelines.errors import CODES, UsageError
from scatter_pipelines.model.result import Task
from scatter_pipelines.store import beats, budgets, events, holds, operations, tasks
from scatter_pipelines.store.budgets import Budget
from scatter_pipelines.work.aggregate import Closing, close_task
from scatter_pipelines.work.runtime import Runtime

OPERATOR = "operator"


def find_task(runtime: Runtime, name: str) -> Task:
    """The task with that id, with the only id that starts so, or for `last` the newest; UsageError if there is none."""

    def read(connection: Connection) -> Task:
        if name == "last":
            found = [task_id] if (task_id := tasks.latest_id(connection)) else []
        else:
            found = tasks.find_ids(connection, name.strip()) if name.strip() else []
        if not found:
            raise UsageError("task_unknown", f"There is no task {name!r}.")
        if len(found) > 1 and name not in found:
            raise UsageError("task_unknown", f"Several tasks start with {name!r}: {', '.join(found)}, ...")
        return tasks.require(connection, name if name in found else found[0])

    return runtime.database.run(read)


def change_budget(
    runtime: Runtime, task_id: str, task_usd: Decimal | None = None, document_usd: Decimal | None = None
) -> Budget:
    """The task's budget after the change; None leaves a limit as it is."""
    if any(usd is not None and usd <= 0 for usd in (task_usd, document_usd)):
        raise UsageError("config_invalid", "A budget is more than 0 dollars.")

    def write(connection: Connection) -> Budget:
        budget = budgets.change(connection, task_id, task_usd, document_usd)
        if budget is None:
            raise UsageError("task_state", f"Task {task_id} makes no calls and has no budget.")
        if task_usd is not None or document_usd is not None:
            limits = f"${task_usd or budget.limit_usd} a task, ${document_usd or budget.document_limit_usd} a document"
            events.add(connection, task_id, "info", "budget", f"The budget was changed by an operator: {limits}.")
        return budget

    return runtime.database.run(write)


def _lock_open(connection: Connection, task_id: str, action: str) -> None:
    status = tasks.lock(connection, task_id)
    if status is None:
        raise UsageError("task_unknown", f"There is no task {task_id!r}.")
    if status != "processing":
        raise UsageError("task_state", f"Task {task_id} is {status} already; there is nothing to {action}.")


def cancel(runtime: Runtime, task_id: str) -> int:
    """Cancels what is not done; the aggregator closes the task. How many documents were cancelled."""

    def write(connection: Connection) -> int:
        _lock_open(connection, task_id, "cancel")
        operations.mark_cancelled(connection, task_id)
        message = "The task was cancelled by an operator."
        ended = operations.end_open(connection, task_id, status="cancelled", code="cancelled", message=message)
        events.add(connection, task_id, "warning", "cancelled", f"{message} {ended} documents left undone.")
        return ended

    return runtime.database.run(write)


def force_finalize(runtime: Runtime, task_id: str, reason: str) -> tuple[int, Closing | None]:
    """Ends a task now, past every filter: what is open becomes an error, and the task is closed."""
    if not reason.strip():
        raise UsageError("config_invalid", "Forcing a task to its end needs a reason.")

    def write(connection: Connection) -> tuple[int, Closing | None]:
        _lock_open(connection, task_id, "force-finalize")
        message = f"Forced to its end by an operator: {reason.strip()}"
        ended = operations.end_open(connection, task_id, status="error", code="force_finalized", message=message)
        events.add(connection, task_id, "warning", "force_finalized", f"{message} ({ended} documents)")
        return ended, close_task(connection, task_id)

    return runtime.database.run(write)


def retry(runtime: Runtime, task_id: str, code: str | None = None) -> int:
    """Gives error and cancelled rows (or those with one code) a new life and reopens the task. How many rows."""
    if code is not None and code not in CODES:
        raise UsageError("config_invalid", f"There is no error code {code!r}.")

    def write(connection: Connection) -> int:
        if tasks.lock(connection, task_id) is None:
            raise UsageError("task_unknown", f"There is no task {task_id!r}.")
        rows = operations.retry_rows(connection, task_id, code)
        if rows == 0:
            which = f"with the code {code}" if code else "in error or cancelled"
            raise UsageError("task_state", f"Task {task_id} has no document {which}.")
        closing = operations.reopen(connection, task_id)
        events.add(connection, task_id, "info", "retried", f"{rows} documents are tried again (closing {closing}).")
        return rows

    return runtime.database.run(write)


def hold(runtime: Runtime, task_id: str, reason: str) -> bool:
    """Lets no new document start; those at work end. False: the same hold is there already."""

    def write(connection: Connection) -> bool:
        _lock_open(connection, task_id, "hold")
        placed = holds.place(connection, task_id, reason, OPERATOR)
        if placed:
            events.add(connection, task_id, "warning", "held", f"On hold: {reason}")
        return placed

    return runtime.database.run(write)


def resume(runtime: Runtime, task_id: str) -> int:
    """Releases every hold of a task. How many there were; UsageError where there was none."""

    def write(connection: Connection) -> int:
        if tasks.lock(connection, task_id) is None:
            raise UsageError("task_unknown", f"There is no task {task_id!r}.")
        released = holds.release(connection, task_id, OPERATOR)
        if not released:
            raise UsageError("task_state", f"Task {task_id} is not on hold.")
        beats.release_leases(connection, task_id)
        events.add(connection, task_id, "info", "resumed", f"Resumed; {released} holds released.")
        return released

    return runtime.database.run(write)
