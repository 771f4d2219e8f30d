"""What `defs/storage.py` takes from Dagster's PostgreSQL storage that is not public: a change fails here."""

import inspect

from dagster import DagsterEventType
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster_postgres.event_log.event_log import PostgresEventLogStorage
from dagster_postgres.utils import create_pg_engine

from scatter_pipelines.defs.storage import EVENT_COLUMNS, ScatterEventLog, ScatterStorage


def test_a_row_of_the_event_log_still_has_the_columns_that_are_written() -> None:
    columns = {column.name for column in SqlEventLogStorageTable.columns}
    assert columns == {"id", *EVENT_COLUMNS}
    assert SqlEventLogStorageTable.name == "event_logs"


def test_the_event_log_still_makes_rows_and_connections_itself() -> None:
    assert list(inspect.signature(PostgresEventLogStorage._event_to_row).parameters) == ["self", "event"]
    assert "store_event_batch" in vars(ScatterEventLog)
    assert {"events"} <= set(inspect.signature(PostgresEventLogStorage.store_event_batch).parameters)
    assert list(inspect.signature(create_pg_engine).parameters) == ["postgres_url", "token_provider", "engine_kwargs"]


def test_events_about_assets_are_still_named() -> None:
    assert DagsterEventType.ASSET_MATERIALIZATION in ASSET_EVENTS
    assert DagsterEventType.ASSET_CHECK_EVALUATION in ASSET_CHECK_EVENTS


def test_each_storage_still_has_an_engine_that_can_be_put_in_its_place(database_url: str) -> None:
    storage = ScatterStorage(postgres_url=database_url.replace("+psycopg", ""))
    theirs = storage._run_storage._engine
    storage.pool_connections()
    engines = [storage._run_storage._engine, storage._schedule_storage._engine, storage._event_log_storage._engine]
    assert theirs not in engines and engines[0] is engines[1]
    assert isinstance(storage._event_log_storage, ScatterEventLog)
    for engine in engines:
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW lock_timeout").scalar_one() == "15s"
        engine.dispose()
