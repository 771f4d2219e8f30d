"""What the benchmarks look up in the database of their temporary home."""

from typing import Any

import psycopg

from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.database import libpq_url, resolve_url

EVENTS = "SELECT count(*), coalesce(sum(pg_column_size(event_logs.*)), 0) FROM event_logs"


def connect() -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(libpq_url(resolve_url(load_settings()).set(drivername="postgresql")), autocommit=True)


def one_row(statement: str, *values: object) -> tuple[Any, ...]:
    with connect() as connection:
        row = connection.execute(statement, values).fetchone()
    if row is None:
        raise LookupError(f"No row: {statement}")
    return row


def events_of_run(run_id: str) -> dict[str, int]:
    """Rows of Dagster's event log and their bytes, as PostgreSQL stores them."""
    rows, size = one_row(f"{EVENTS} WHERE run_id = %s", run_id)
    return {"rows": int(rows), "bytes": int(size)}


def events_since(event_id: int) -> dict[str, int]:
    rows, size = one_row(f"{EVENTS} WHERE id > %s", event_id)
    return {"rows": int(rows), "bytes": int(size)}


def last_event() -> int:
    """Id of the newest row of the event log; 0 before there is one."""
    (there,) = one_row("SELECT to_regclass('event_logs') IS NOT NULL")
    return int(one_row("SELECT coalesce(max(id), 0) FROM event_logs")[0]) if there else 0


def server_version() -> str:
    return str(one_row("SHOW server_version")[0])
