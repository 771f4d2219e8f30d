"""Two roles, enforced by the server: what a worker may not write, it cannot."""

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from scatter_pipelines.store import schema
from scatter_pipelines.store.database import WORKER_ROLE
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import claim, complete, ids_of, make_task, sql

FORBIDDEN = [
    "UPDATE scatter.extraction_task SET status = 'failed', closed_at = now()",
    "UPDATE scatter.extraction_task SET expected_count = expected_count",
    "DELETE FROM scatter.extraction_task",
    "INSERT INTO scatter.extraction_task SELECT * FROM scatter.extraction_task",
    "SELECT * FROM scatter.extraction_task FOR UPDATE",
    "UPDATE scatter.extraction_result SET uri = 'file:///else'",
    "UPDATE scatter.extraction_result SET sha256 = 'ff'",
    "UPDATE scatter.extraction_result SET size = 1",
    "UPDATE scatter.extraction_result SET task_id = task_id",
    "UPDATE scatter.extraction_result SET shard = 7",
    "UPDATE scatter.extraction_result SET columns = '{}'",
    "DELETE FROM scatter.extraction_result",
    "INSERT INTO scatter.extraction_result (task_id, shard, ordinal, uri, filename) SELECT id, 0, 9, 'x', 'x' "
    "FROM scatter.extraction_task",
    "UPDATE scatter.extraction_attempt SET outcome = 'completed'",
    "DELETE FROM scatter.extraction_attempt",
    "UPDATE scatter.extraction_shard SET round = 9",
    "INSERT INTO scatter.shard_lease SELECT id, 0, 'x', now(), now() FROM scatter.extraction_task",
    "UPDATE scatter.shard_lease SET run_id = 'x'",
    "DELETE FROM scatter.shard_lease",
    "DELETE FROM scatter.task_hold",
    "INSERT INTO scatter.task_hold_release SELECT 1, 'x'",
    "DELETE FROM scatter.task_event",
    "UPDATE scatter.alembic_version SET version_num = 'x'",
    "UPDATE scatter.inbox_file SET task_id = 'x'",
    "DROP TABLE scatter.claim_beat",
    "TRUNCATE scatter.claim_beat",
    "CREATE TABLE scatter.mine (id int)",
]


def test_a_worker_may_do_none_of_this(runtime: Runtime) -> None:
    make_task(runtime)
    for statement in FORBIDDEN:
        with pytest.raises(ProgrammingError) as caught:
            runtime.database.run(lambda c, one=statement: c.execute(text(one)), "worker")  # type: ignore[misc]
        assert getattr(caught.value.orig, "sqlstate", None) == "42501", statement


def test_a_worker_can_do_its_work_and_read_the_task(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert complete(runtime, claim(runtime, ids_of(runtime, task_id)[0]))
    read = text("SELECT expected_count FROM scatter.extraction_task")
    assert runtime.database.run(lambda c: c.execute(read).scalar_one(), "worker") == 1


def test_a_rollback_does_not_give_a_worker_the_owners_rights(runtime: Runtime) -> None:
    with pytest.raises(ProgrammingError):
        runtime.database.run(lambda c: c.execute(text("SELECT nonsense")), "worker")
    with runtime.database.engine("worker").connect() as connection:
        connection.execute(text("SELECT 1"))
        connection.rollback()
        assert connection.execute(text("SELECT current_user")).scalar_one() == WORKER_ROLE


def test_an_upgrade_gives_the_workers_their_rights_back(runtime: Runtime) -> None:
    """After a dump was restored on another server, say, where roles do not travel along."""
    sql(runtime, f"REVOKE ALL ON ALL TABLES IN SCHEMA scatter FROM {WORKER_ROLE}")
    sql(runtime, f"REVOKE UPDATE ({schema.RESULT_COLUMNS}) ON scatter.extraction_result FROM {WORKER_ROLE}")
    schema.upgrade(runtime.database)
    assert complete(runtime, claim(runtime, ids_of(runtime, make_task(runtime))[0]))


@pytest.fixture
def ordinary_user(database_url: str) -> Iterator[psycopg.Connection]:
    """A session of a user who may make roles but is no superuser, as on most servers."""
    user = f"user_{uuid.uuid4().hex[:8]}"
    url = database_url.replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {user} LOGIN CREATEROLE")
        with psycopg.connect(url, user=user, autocommit=True) as connection:
            yield connection
            connection.execute("RESET ROLE")
            connection.execute(f"DROP ROLE IF EXISTS {WORKER_ROLE}_{user}")
        admin.execute(f"DROP ROLE {user}")


def test_a_user_who_made_the_worker_role_may_take_it_on(ordinary_user: psycopg.Connection) -> None:
    """Since PostgreSQL 16 who makes a role is its administrator, but may not take it on without being told so."""
    role = f"{WORKER_ROLE}_{ordinary_user.info.user}"
    for statement in (schema.CREATE_ROLE, schema.JOIN_ROLE, schema.CREATE_ROLE, schema.JOIN_ROLE):
        ordinary_user.execute(statement.replace(WORKER_ROLE, role))  # type: ignore[arg-type]
    ordinary_user.execute(f"SET ROLE {role}")  # type: ignore[arg-type]
