"""Dagster's own storage and folders, as `dagster.yaml` names them: on our server and under SCATTER_HOME.

The embedded server is started by whichever process loads its instance first.
"""

from pathlib import Path
from typing import Any

from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager
from dagster._core.storage.root import LocalArtifactStorage
from dagster._serdes import ConfigurableClassData
from dagster_postgres.storage import DagsterPostgresStorage
from dagster_postgres.utils import create_pg_engine
from sqlalchemy import Engine

from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.database import keep_server, resolve_url
from scatter_pipelines.work.runtime import database_errors

NO_CONFIG: dict[str, Any] = {}


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
            storage = ScatterStorage(postgres_url=url, inst_data=inst_data)
        storage.pool_connections()
        return storage

    def pool_connections(self) -> None:
        """One engine for runs and schedules, one for the event log, whose commits need not reach the disk."""
        shared = _engine(self.postgres_url)
        self._run_storage._engine = shared
        self._schedule_storage._engine = shared
        self._event_log_storage._engine = _engine(self.postgres_url, "-c synchronous_commit=off")


def _engine(url: str, options: str = "") -> Engine:
    engine: Engine = create_pg_engine(
        url,
        None,
        isolation_level="AUTOCOMMIT",
        pool_size=1,
        max_overflow=8,
        pool_pre_ping=True,
        connect_args={"options": options, "application_name": "scatter_dagster"},
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
