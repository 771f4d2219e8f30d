"""Dagster's own storage and folders, as `dagster.yaml` names them: on our server and under SCATTER_HOME.

The embedded server is started by whichever process loads its instance first.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import groupby
from pathlib import Path
from typing import Any

from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager
from dagster._core.storage.root import LocalArtifactStorage
from dagster._serdes import ConfigurableClassData
from dagster_postgres.event_log.event_log import PostgresEventLogStorage
from dagster_postgres.storage import DagsterPostgresStorage
from dagster_postgres.utils import create_pg_engine
from psycopg2.extras import execute_values
from sqlalchemy import Engine, text

from scatter_pipelines.settings import Settings, load_settings
from scatter_pipelines.store.database import KEEPALIVE, Database, keep_server, resolve_url
from scatter_pipelines.work.runtime import database_errors

NO_CONFIG: dict[str, Any] = {}

LOCK_SECONDS = 15
CREATION_LOCK = 0x5CA7_00DC
CREATION_SECONDS = 60
EVENT_COLUMNS = ("run_id", "event", "dagster_event_type", "timestamp", "step_key", "asset_key", "partition")
_with_tables: set[str] = set()
"""URLs of databases in which this process, or one it was forked from, has seen Dagster's tables."""
INSERT_EVENTS = f"INSERT INTO event_logs ({', '.join(EVENT_COLUMNS)}) VALUES %s"


def dagster_folder() -> Path:
    """Where Dagster keeps what it writes to disk."""
    return load_settings().home_path() / "dagster"


class ScatterStorage(DagsterPostgresStorage):
    """Runs, events and schedules in PostgreSQL, through pooled connections instead of one a statement."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return NO_CONFIG

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> "ScatterStorage":
        settings = load_settings()
        with database_errors(settings):
            url = resolve_url(settings, "psycopg2").render_as_string(hide_password=False)
            with nullcontext() if url in _with_tables else _alone(settings):
                storage = ScatterStorage(url, url not in _with_tables, inst_data)
            _with_tables.add(url)
        storage.pool_connections()
        return storage

    def pool_connections(self) -> None:
        """One engine for runs and schedules, one for the event log, whose commits need not reach the disk."""
        shared = _engine(self.postgres_url)
        self._event_log_storage = ScatterEventLog(self.postgres_url, should_autocreate_tables=False)
        self._run_storage._engine = shared
        self._schedule_storage._engine = shared
        self._event_log_storage._engine = _engine(self.postgres_url, "-c synchronous_commit=off")


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """One process at a time: two that make Dagster's tables at once can fail on each other's half-made ones."""
    database = Database(settings)
    try:
        with database.transaction() as connection:
            connection.execute(text(f"SET LOCAL lock_timeout = '{CREATION_SECONDS}s'"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": CREATION_LOCK})
            yield
    finally:
        database.dispose()


class ScatterEventLog(PostgresEventLogStorage):
    """The event log, which takes events of any kind many at a time."""

    batches_any_event = True

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """In one statement, but for events about assets, which have tables of their own. The order is kept."""
        for about_asset, group in groupby(events, _is_about_asset):
            if about_asset:
                for event in group:
                    self.store_event(event)
            else:
                self._insert([self._event_to_row(event) for event in group])

    def _insert(self, rows: Sequence[Mapping[str, Any]]) -> None:
        values = [tuple(row[column] for column in EVENT_COLUMNS) for row in rows]
        with self._connect() as connection:
            cursor = connection.connection.cursor()
            execute_values(cursor, INSERT_EVENTS, values, page_size=len(values))


def _is_about_asset(entry: EventLogEntry) -> bool:
    kind = entry.dagster_event_type
    return kind in ASSET_EVENTS or kind in ASSET_CHECK_EVENTS


def _engine(url: str, options: str = "") -> Engine:
    """A server that is half dead, and a lock that somebody holds, are errors after a while and no wait without end."""
    engine: Engine = create_pg_engine(
        url,
        None,
        isolation_level="AUTOCOMMIT",
        pool_size=1,
        max_overflow=8,
        pool_pre_ping=True,
        connect_args=KEEPALIVE
        | {"options": f"-c lock_timeout={LOCK_SECONDS}s {options}", "application_name": "scatter_dagster"},
    )
    keep_server(engine, load_settings())
    return engine


class ScatterArtifactStorage(LocalArtifactStorage):
    """Dagster's files under SCATTER_HOME, also where DAGSTER_HOME is not set."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return NO_CONFIG

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> "ScatterArtifactStorage":
        return ScatterArtifactStorage(str(dagster_folder()), inst_data)


class ScatterComputeLogManager(LocalComputeLogManager):
    """What steps print, under SCATTER_HOME."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return NO_CONFIG

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Any
    ) -> "ScatterComputeLogManager":
        return ScatterComputeLogManager(str(dagster_folder() / "storage"), inst_data=inst_data)
