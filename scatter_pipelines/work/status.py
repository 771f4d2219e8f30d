"""What is told about tasks: for the shell, for Dagster's metadata, for `doctor`. Reads only."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from scatter_pipelines.errors import CODES
from scatter_pipelines.model.result import Counts, Task
from scatter_pipelines.model.states import STAGES
from scatter_pipelines.store import budgets, events, holds, reading, tasks
from scatter_pipelines.store.budgets import Budget
from scatter_pipelines.work.runtime import Runtime

ERRORS_SHOWN = 1_000
RECENT_SECONDS = 120


def counts_of(runtime: Runtime, task_id: str) -> Counts:
    return runtime.database.run(lambda connection: tasks.counts(connection, task_id))


def open_holds(runtime: Runtime, task_id: str) -> list[str]:
    return runtime.database.run(lambda connection: holds.open_reasons(connection, task_id))


def last_words(runtime: Runtime, task_id: str) -> str:
    """How far the task is when a run ends, and who closes it."""
    counts = counts_of(runtime, task_id)
    done = ", ".join(f"{count} {name}" for name, count in counts.as_dict().items() if count)
    return (
        f"Task {task_id}: {done}. The aggregator sensor closes it; without a daemon `scatter aggregate` "
        "or the job aggregate_tasks does."
    )


def summary(runtime: Runtime, task_id: str) -> dict[str, Any]:
    """The object that `scatter run --json` prints; at most the first 1,000 errors are listed."""

    def read(connection: Connection) -> dict[str, Any]:
        task = tasks.require(connection, task_id)
        counts = tasks.counts(connection, task_id)
        failed = reading.results(connection, task_id, status="error", most=ERRORS_SHOWN)
        return _head(task, counts) | {
            "errors": [_error(row) for row in failed],
            "elapsed_seconds": round(task.elapsed_seconds, 3),
        }

    return runtime.database.run(read)


def _head(task: Task, counts: Counts) -> dict[str, Any]:
    return {
        "task_id": task.id,
        "status": task.status,
        "expected": task.expected_count,
        "counts": counts.as_dict(),
    }


def _error(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "filename": row["filename"],
        "code": row["error_code"],
        "stage": row["error_stage"],
        "message": row["error_message"],
    }


def details(runtime: Runtime, task_id: str) -> dict[str, Any]:
    """Everything `scatter status` knows of one task."""

    def read(connection: Connection) -> dict[str, Any]:
        task = tasks.require(connection, task_id)
        counts = tasks.counts(connection, task_id)
        totals = tasks.totals(connection, task_id)
        return _head(task, counts) | {
            "template": task.template_name,
            "engine": dict(task.engine),
            "sources": list(task.sources),
            "submitted_at": task.submitted_at.isoformat(),
            "closed_at": task.closed_at.isoformat() if task.closed_at else None,
            "closing": task.closing,
            "elapsed_seconds": round(task.elapsed_seconds, 3),
            "error_codes": tasks.error_counts(connection, task_id),
            "documents_missing_required": totals["with_missing"],
            "pages": int(totals["pages"]),
            "usage": _usage(totals),
            "budget": _budget(budgets.read(connection, task_id)),
            "estimate": _estimate(totals),
            "holds": holds.open_reasons(connection, task_id),
            "working": [_claim(row) for row in reading.claims(connection, task_id)],
            "events": [
                {"at": at.isoformat(), "level": level, "kind": kind, "message": message}
                for at, level, kind, message in events.recent(connection, task_id)
            ],
        }

    return runtime.database.run(read)


def _usage(totals: dict[str, Any]) -> dict[str, Any]:
    """What the task's calls came to; `cost_usd` is None where a price is not known."""
    names = ("input_tokens", "output_tokens", "calls", "calls_failed", "calls_lost")
    cost = None if totals["price_unknown"] else totals["cost_usd"]
    return {name: totals[name] for name in names} | {"cost_usd": cost, "unverified_values": totals["unverified"]}


def _budget(budget: Budget | None) -> dict[str, float | None] | None:
    """None: the task makes no calls."""
    if budget is None:
        return None
    return {name: None if usd is None else float(usd) for name, usd in asdict(budget).items()}


def _estimate(totals: dict[str, Any]) -> dict[str, Any] | None:
    """None: the task was no estimate."""
    if totals["estimated_calls"] is None:
        return None
    names = ("calls", "input_tokens", "output_tokens")
    unpriced = totals["unpriced"]
    return {name: totals[f"estimated_{name}"] for name in names} | {
        "cost_usd": None if unpriced else totals["estimated_cost_usd"],
        "most_cost_usd": None if unpriced else totals["most_cost_usd"],
    }


def _claim(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "filename": row["filename"],
        "host": row["host"],
        "run_id": row["run_id"],
        "stage": STAGES[row["stage"]],
        "done": row["done"],
        "total": row["total"],
        "seconds": round(row["seconds"], 1),
        "silent_seconds": round(row["silent_seconds"], 1),
    }


def recent_tasks(runtime: Runtime, most: int) -> list[dict[str, Any]]:
    """The newest tasks with their counts."""

    def read(connection: Connection) -> list[dict[str, Any]]:
        found = tasks.recent(connection, most)
        return [
            _head(task, tasks.counts(connection, task.id))
            | {
                "template": task.template_name,
                "submitted_at": task.submitted_at.isoformat(),
                "sources": list(task.sources),
            }
            for task in found
        ]

    return runtime.database.run(read)


def result_rows(
    runtime: Runtime, task_id: str, *, status: str | None = None, most: int | None = None
) -> Iterator[dict[str, Any]]:
    """The results of a task as exported, in the order of its documents, in one consistent view."""
    with runtime.database.engine().connect() as connection, connection.begin():
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for row in reading.results(connection, task_id, status=status, most=most):
            yield exported(row)


def exported(row: dict[str, Any]) -> dict[str, Any]:
    """One result in the shape of an exported line."""
    code = row["error_code"]
    return {
        "task_id": row["task_id"],
        "result_id": str(row["id"]),
        "uri": row["uri"],
        "filename": row["filename"],
        "sha256": row["sha256"],
        "columns": row["columns"],
        "status": row["status"],
        "attempt": row["attempt"],
        "error": None
        if code is None
        else {"code": code, "stage": row["error_stage"], "message": row["error_message"], "advice": CODES[code].advice},
        "fields": row["fields"] if row["status"] == "completed" else {},
        "usage": row["usage"] or {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0},
        "timings": row["timings"] or {},
        "pages": row["pages"],
        "run_id": row["run_id"],
        "step_key": row["step_key"],
    }


def attempts(runtime: Runtime, task_id: str) -> list[dict[str, Any]]:
    """Every attempt at every document of a task, in the order in which they ended."""

    def plain(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"started_at": row["started_at"].isoformat(), "ended_at": row["ended_at"].isoformat()}

    return [plain(row) for row in runtime.database.run(lambda c: reading.attempts(c, task_id))]


def recently_closed(runtime: Runtime) -> list[Task]:
    """Tasks whose closing was told of in the last minutes."""
    return runtime.database.run(lambda connection: tasks.recently_announced(connection, RECENT_SECONDS))
