"""The aggregator: ends stale claims and closes tasks. Nothing else closes; it may run anywhere, twice at once."""

import logging
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from scatter_pipelines.model.result import SweptClaim
from scatter_pipelines.store import beats, budgets, events, holds, sweeping, tasks
from scatter_pipelines.store.slots import end_sessions
from scatter_pipelines.store.sweeping import PAGE
from scatter_pipelines.work.runtime import Runtime

log = logging.getLogger(__name__)

AGGREGATOR = "aggregator"


@dataclass(frozen=True, slots=True)
class Closing:
    """A task that was closed by this call."""

    task_id: str
    status: str
    closing: int


@dataclass(frozen=True, slots=True)
class Tick:
    """What one tick did."""

    swept: tuple[SweptClaim, ...]
    closed: tuple[Closing, ...]


def aggregate(runtime: Runtime, task_id: str | None = None) -> Tick:
    """One tick, over all open tasks or one."""
    swept = sweep_claims(runtime, task_id)
    return Tick(tuple(swept), tuple(close_tasks(runtime, task_id)))


def sweep_claims(runtime: Runtime, task_id: str | None = None) -> list[SweptClaim]:
    """Ends or gives back every stale claim, page by page, each page in a transaction of its own."""
    swept: list[SweptClaim] = []
    while True:
        page = runtime.database.run(lambda c: sweeping.sweep_claims(c, runtime.settings, task_id))
        swept.extend(page)
        _free_slots(runtime, page)
        if len(page) < PAGE:
            runtime.database.run(budgets.write_off)
            return swept


def _free_slots(runtime: Runtime, swept: list[SweptClaim]) -> None:
    lost = sorted({claim.host for claim in swept if claim.code == "worker_crashed"})
    if not lost:
        return
    try:
        runtime.database.run(partial(end_sessions, process_names=lost))
    except DBAPIError as error:
        log.warning("The slots of %s could not be freed: %s", ", ".join(lost), error.orig)


def close_tasks(runtime: Runtime, task_id: str | None = None) -> list[Closing]:
    """Closes every task that has nothing pending and nothing extracting."""
    wanted = runtime.database.run(partial(tasks.closable, task_id=task_id))
    closings = (runtime.database.run(partial(close_task, task_id=one)) for one in wanted)
    return [closing for closing in closings if closing is not None]


def close_task(connection: Connection, task_id: str) -> Closing | None:
    """Closes one task if that is due. The row is locked first, so that the count sees what a retry just changed."""
    if tasks.lock(connection, task_id) != "processing":
        return None
    closed = tasks.close(connection, task_id)
    if closed is None:
        _report_difference(connection, task_id)
        return None
    status, number = closed
    beats.release_leases(connection, task_id)
    events.add(connection, task_id, "info", "closed", f"Closed as {status} (closing {number}).")
    return Closing(task_id, status, number)


def _report_difference(connection: Connection, task_id: str) -> None:
    """Rows that do not add up are never closed over: the task gets a hold and an error event."""
    counts = tasks.counts(connection, task_id)
    expected = tasks.require(connection, task_id).expected_count
    if counts.open or counts.total == expected:
        return
    message = f"The task has {counts.total} rows but was submitted with {expected} documents; it is not closed."
    if holds.place(connection, task_id, f"counts_differ: {message}", AGGREGATOR):
        events.add(connection, task_id, "error", "counts_differ", message)
