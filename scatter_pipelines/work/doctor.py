"""What is configured, what is reachable, what is wrong. Reads only."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction.llm.protocol import EndpointError
from scatter_pipelines.parsing.ocr.engine import engine_version, installed
from scatter_pipelines.parsing.service import ServiceError
from scatter_pipelines.parsing.services import service_of
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import budgets, holds, sweeping, tasks
from scatter_pipelines.store.schema import head_revision
from scatter_pipelines.work.ask import endpoint_of, prices_of
from scatter_pipelines.work.runtime import Runtime, open_runtime, shown_url
from scatter_pipelines.work.sweep import survey

MAX_CONNECTIONS = text("SHOW max_connections")
RUNS_AT_ONCE = 2
CONNECTIONS_A_WORKER, CONNECTIONS_A_RUN, OTHERS = 2, 8, 30
"""Counted: a worker's for rows and slots; a run worker's for beats, runs and events; the web server and the daemon."""

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    level: Level
    what: str
    message: str


def examine(settings: Settings) -> list[Finding]:
    """Every finding; one that stands in the way of the others ends the list."""
    findings = list(_surroundings(settings))
    try:
        with open_runtime(settings) as runtime:
            findings.extend(finding for check in CHECKS for finding in check(runtime))
    except UsageError as error:
        findings.append(Finding("error", "database", f"{error.message} {error.entry.advice}"))
    return findings


def _surroundings(settings: Settings) -> Iterator[Finding]:
    try:
        home = settings.home_path()
    except UsageError as error:
        yield Finding("error", "home", f"{error.message} {error.entry.advice}")
        return
    usable = os.access(home, os.W_OK)
    yield Finding("ok" if usable else "error", "home", f"{home}" + ("" if usable else " may not be written to."))
    named = os.environ.get("DAGSTER_HOME")
    if named and not Path(named, "dagster.yaml").is_file():
        yield Finding("error", "dagster", f"DAGSTER_HOME is {named}, which has no dagster.yaml.")
    elif named is None and not Path("dagster.yaml").is_file():
        yield Finding(
            "warning",
            "dagster",
            "DAGSTER_HOME is not set and there is no dagster.yaml here: `dagster` would use another storage.",
        )
    else:
        yield Finding("ok", "dagster", f"dagster.yaml of {named or Path.cwd()}")


def _database(runtime: Runtime) -> Iterator[Finding]:
    version = runtime.database.run(lambda c: str(c.execute(text("SHOW server_version")).scalar_one()))
    yield Finding("ok", "database", f"{shown_url(runtime.settings)}, PostgreSQL {version}, schema {head_revision()}")


WORKER_NEEDS = text("UPDATE scatter.extraction_result SET status = status WHERE false")
WORKER_LACKS = text("UPDATE scatter.extraction_task SET status = status WHERE false")


def _worker_role(runtime: Runtime) -> Iterator[Finding]:
    """A worker must be able to do its work, and unable to touch the task row."""
    try:
        runtime.database.run(lambda c: c.execute(WORKER_NEEDS), "worker")
    except DBAPIError as error:
        advice = "Run `scatter db upgrade`, and GRANT scatter_worker to the user of SCATTER_WORKER_DATABASE_URL if set."
        yield Finding("error", "worker role", f"may not do its work: {str(error.orig).strip()}. {advice}")
        return
    try:
        runtime.database.run(lambda c: c.execute(WORKER_LACKS), "worker")
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != "42501":
            raise
        yield Finding("ok", "worker role", "may do its work and not write the task row")
        return
    yield Finding("error", "worker role", "may write the task row; run `scatter db upgrade` or restrict that user.")


def _slots(runtime: Runtime) -> Iterator[Finding]:
    try:
        used = runtime.slots.used()
    except psycopg.OperationalError as error:
        yield Finding("error", "slots", f"the connection for slots cannot be opened: {error}".strip())
        return
    text_ = ", ".join(f"{level} {used[level]} of {limit}" for level, limit in runtime.slots.limits.items())
    yield Finding("ok", "slots", f"taken now: {text_}")


def _connections(runtime: Runtime) -> Iterator[Finding]:
    """Whether the server has room for as many runs as `dagster.yaml` lets run at once."""
    workers = runtime.settings.worker_count() + runtime.settings.waiting_count()
    needed = RUNS_AT_ONCE * (CONNECTIONS_A_WORKER * workers + CONNECTIONS_A_RUN) + OTHERS
    most = int(runtime.database.run(lambda connection: connection.execute(MAX_CONNECTIONS).scalar_one()))
    advice = (
        "; lower SCATTER_WORKERS or SCATTER_LLM_SLOTS, or raise max_connections of the server" if needed > most else ""
    )
    yield Finding(
        "warning" if advice else "ok", "connections", f"the server takes {most}, two runs need about {needed}{advice}"
    )


def _ocr(runtime: Runtime) -> Iterator[Finding]:
    if runtime.settings.ocr == "off":
        yield Finding("ok", "ocr", "switched off (SCATTER_OCR)")
    elif installed():
        yield Finding("ok", "ocr", f"pages that are pictures are read, version {engine_version()}")
    else:
        yield Finding("ok", "ocr", "not installed; scans end as no_text_layer (pip install -e '.[ocr]')")


def _parsing_service(runtime: Runtime) -> Iterator[Finding]:
    """Without the service documents are done by the local parser alone, or not at all."""
    settings = runtime.settings
    service = service_of(settings)
    if service is None:
        return
    try:
        alive, version = service.alive(), service.version()
    except ServiceError as error:
        alive, version = False, error.message
    if alive:
        yield Finding("ok", "parsing service", f"{service.name} {version}, {settings.parse_slots} calls at once")
        return
    left = "documents go on with the local parser alone" if settings.parsing_fallback else "no PDF can be done"
    yield Finding("warning" if settings.parsing_fallback else "error", "parsing service", f"{version}; {left}.")


def _liveness(runtime: Runtime) -> Iterator[Finding]:
    found = survey(runtime)
    yield Finding("warning" if found.needed else "ok", "liveness", found.text())


def _open_tasks(runtime: Runtime) -> Iterator[Finding]:
    def read(connection: Connection) -> list[Finding]:
        findings = []
        for task in tasks.recent(connection, 1_000):
            for reason in holds.open_reasons(connection, task.id):
                findings.append(Finding("warning", "task", f"{task.id} is on hold: {reason}"))
            total = tasks.counts(connection, task.id).total
            if total != task.expected_count:
                findings.append(
                    Finding("error", "task", f"{task.id} has {total} rows instead of {task.expected_count}.")
                )
        findings.extend(
            Finding("warning", "task", f"{task_id} does not get on.")
            for task_id in sweeping.stalled(connection, runtime.settings.stall_seconds)
        )
        return findings

    found = runtime.database.run(read)
    yield from found or [Finding("ok", "tasks", "none on hold, none stalled, all rows there")]


def _llm(runtime: Runtime) -> Iterator[Finding]:
    """Whether the endpoint answers and has the model; and that the sums of budgets are those of their ledgers."""
    settings = runtime.settings
    for task_id in runtime.database.run(budgets.differences):
        yield Finding("error", "budget", f"the sums of task {task_id} are not those of its calls")
    if not settings.llm_model:
        return
    endpoint = endpoint_of(settings)
    try:
        models = endpoint.models()
    except EndpointError as error:
        yield Finding("error", "llm", f"{settings.llm_base_url}: {error.message}")
        return
    finally:
        endpoint.close()
    if settings.llm_model not in models:
        some = ", ".join(models[:5]) or "none"
        yield Finding("warning", "llm", f"{settings.llm_base_url} does not list {settings.llm_model} among: {some}")
        return
    known = "" if prices_of(settings, settings.llm_model).known else "; its price is not known"
    yield Finding("ok", "llm", f"{settings.llm_model}, {settings.llm_slots} calls at once{known}")


CHECKS: tuple[Callable[[Runtime], Iterator[Finding]], ...] = (
    _database, _worker_role, _slots, _connections, _ocr, _parsing_service, _llm, _liveness, _open_tasks,
)  # fmt: skip
