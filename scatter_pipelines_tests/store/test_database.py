"""Connections: few, shared, and bounded patience with a server that goes away."""

from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from scatter_pipelines.settings import Settings
from scatter_pipelines.store.database import Database, is_transient, libpq_url
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import at_once, sql

OWNERS = """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'scatter_owner'
"""


def test_threads_that_start_together_share_one_engine(settings: Settings) -> None:
    database = Database(settings)
    assert len({id(engine) for engine in at_once([lambda: database.engine("worker")] * 8)}) == 1
    database.dispose()


def test_a_process_has_at_most_two_connections_a_role_however_many_threads(runtime: Runtime) -> None:
    def look(connection: Connection) -> int:
        connection.execute(text("SELECT pg_sleep(0.02)"))
        return int(connection.execute(text(OWNERS)).scalar_one())

    assert max(at_once([lambda: runtime.database.run(look)] * 8)) <= 2


def _kill_own_session(connection: Connection) -> None:
    pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    url = libpq_url(connection.engine.url)
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_work_whose_session_was_ended_is_done_again(runtime: Runtime) -> None:
    calls = []

    def work(connection: Connection) -> int:
        calls.append(1)
        if len(calls) < 3:
            _kill_own_session(connection)
        return int(connection.execute(text("SELECT 42")).scalar_one())

    assert (runtime.database.run(work), len(calls)) == (42, 3)


@pytest.mark.parametrize("state", ["40P01", "40001", "55P03", "53300"])
def test_a_passing_fault_is_tried_again(runtime: Runtime, state: str) -> None:
    calls = []

    def work(connection: Connection) -> int:
        calls.append(1)
        if len(calls) < 3:
            connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'passing' USING ERRCODE = '{state}'; END $$"))
        return len(calls)

    assert runtime.database.run(work) == 3


@pytest.mark.parametrize("statement", ["SELECT nonsense", "SELECT 1/0"])
def test_a_fault_that_stays_is_not(runtime: Runtime, statement: str) -> None:
    calls = []

    def work(connection: Connection) -> None:
        calls.append(1)
        connection.execute(text(statement))

    with pytest.raises(DBAPIError) as caught:
        runtime.database.run(work)
    assert (len(calls), is_transient(caught.value)) == (1, False)


def test_patience_is_bounded(runtime: Runtime) -> None:
    calls = []

    def work(connection: Connection) -> None:
        calls.append(1)
        connection.execute(text("DO $$ BEGIN RAISE EXCEPTION 'passing' USING ERRCODE = '40001'; END $$"))

    with pytest.raises(DBAPIError):
        runtime.database.run(work, seconds=0.3)
    assert 1 < len(calls) < 10


def test_nothing_of_a_failed_transaction_stays(runtime: Runtime) -> None:
    def work(connection: Connection) -> None:
        connection.execute(
            text("INSERT INTO scatter.task_event (task_id, level, kind, message) VALUES ('t','info','k','m')")
        )
        raise KeyError("bug")

    with pytest.raises(KeyError):
        runtime.database.run(work)
    assert sql(runtime, "SELECT * FROM scatter.task_event") == []


Crossing = Callable[[Connection], None]


def test_two_writers_in_opposite_order_both_come_through(runtime: Runtime, settings: Settings) -> None:
    """A deadlock: the server ends one of them, and that one is tried again."""
    sql(runtime, "CREATE TABLE pair (id int PRIMARY KEY, n int DEFAULT 0)")
    sql(runtime, "INSERT INTO pair VALUES (1), (2)")
    other = Database(settings)

    def write(first: int, second: int) -> Crossing:
        def work(connection: Connection) -> None:
            connection.execute(text("SET LOCAL deadlock_timeout = '50ms'"))
            connection.execute(text("UPDATE pair SET n = n + 1 WHERE id = :id"), {"id": first})
            connection.execute(text("SELECT pg_sleep(0.1)"))
            connection.execute(text("UPDATE pair SET n = n + 1 WHERE id = :id"), {"id": second})

        return work

    at_once([lambda: runtime.database.run(write(1, 2)), lambda: other.run(write(2, 1))])
    assert {row.n for row in sql(runtime, "SELECT n FROM pair")} == {2}
    other.dispose()
