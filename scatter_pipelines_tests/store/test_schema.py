"""The schema's versions: models and migrations agree, upgrades may come twice, and a wrong database is said so."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from scatter_pipelines.errors import UsageError
from scatter_pipelines.settings import Settings, load_settings
from scatter_pipelines.store.database import Database
from scatter_pipelines.store.embedded import EmbeddedServer
from scatter_pipelines.store.schema import current_revision, ensure_schema, head_revision, upgrade
from scatter_pipelines.store.tables import SCHEMA, metadata
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines_tests.store.rows import at_once, databases, sql


@pytest.fixture
def bare(server: EmbeddedServer, tmp_path: Path) -> Iterator[Settings]:
    """Settings for a database in which there is nothing."""
    name = f"bare_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        yield load_settings(home=tmp_path / "home", database_url=server.url(name))
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_the_migrations_make_the_tables_that_the_models_describe(runtime: Runtime) -> None:
    options = {
        "include_schemas": True,
        "include_name": lambda name, kind, _parents: kind != "schema" or name == SCHEMA,
        "version_table_schema": SCHEMA,
        "compare_type": True,
    }
    with runtime.database.engine().connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_an_upgrade_of_an_upgraded_database_does_nothing(bare: Settings) -> None:
    (database,) = [Database(bare)]
    assert upgrade(database) is True
    assert upgrade(database) is False
    assert database.run(current_revision) == head_revision()
    database.dispose()


def test_two_upgrades_at_once_are_one(bare: Settings) -> None:
    with databases(bare, 3) as made:
        upgraded = at_once([lambda one=one: upgrade(one) for one in made])  # type: ignore[misc]
    assert sorted(upgraded) == [False, False, True]


def test_a_server_of_ones_own_is_never_upgraded_by_itself(bare: Settings) -> None:
    with pytest.raises(UsageError, match="no tables of this program") as caught, open_runtime(bare):
        pytest.fail("there is no schema")
    assert caught.value.code == "database_outdated"
    with databases(bare, 1) as (database,):
        assert database.run(current_revision) is None


def test_a_database_of_another_version_is_said(runtime: Runtime) -> None:
    sql(runtime, "UPDATE scatter.alembic_version SET version_num = '9999'")
    with pytest.raises(UsageError, match="version 9999, not") as caught:
        ensure_schema(runtime.database)
    assert caught.value.code == "database_outdated"


def test_our_version_table_is_not_dagsters(bare: Settings) -> None:
    with databases(bare, 1) as (database,):
        with database.transaction() as connection:
            connection.exec_driver_sql("CREATE TABLE public.alembic_version (version_num varchar(32) PRIMARY KEY)")
            connection.exec_driver_sql("INSERT INTO public.alembic_version VALUES ('dagsters')")
        assert upgrade(database) is True
        with database.transaction() as connection:
            kept = connection.exec_driver_sql("SELECT version_num FROM public.alembic_version").scalar_one()
            made = connection.exec_driver_sql(
                "SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_name = 'extraction_task'"
            )
            assert (kept, list(made.scalars())) == ("dagsters", [SCHEMA])


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("postgresql://user:secret@127.0.0.1:1/x", "database_unreachable", "127.0.0.1"),
        ("postgresql://user:secret@127.0.0.1:1/x?options=a", "database_unreachable", "127.0.0.1"),
        ("postgres://user:secret@no.such.host.invalid/x", "database_unreachable", "cannot be used"),
        ("mysql://user:secret@127.0.0.1/x", "settings_invalid", "only PostgreSQL"),
        ("user:secret@nonsense", "settings_invalid", "not a URL"),
    ],
)
def test_a_wrong_url_is_one_plain_message_without_its_password(tmp_path: Path, url: str, code: str, said: str) -> None:
    settings = load_settings(home=tmp_path, database_url=url)
    with pytest.raises(UsageError, match=said) as caught, open_runtime(settings):
        pytest.fail("there is no such database")
    assert caught.value.code == code
    assert "secret" not in str(caught.value)


def test_a_database_that_does_not_exist_is_named(server: EmbeddedServer, tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, database_url=server.url("not_there"))
    with pytest.raises(UsageError, match='"not_there" does not exist') as caught, open_runtime(settings):
        pytest.fail("there is no such database")
    assert caught.value.code == "database_unreachable"


def test_a_user_without_rights_is_told_so(runtime: Runtime, database_url: str, tmp_path: Path) -> None:
    sql(runtime, "DO $$ BEGIN CREATE ROLE nobody_special LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    settings = load_settings(home=tmp_path, database_url=database_url.replace("postgres@", "nobody_special@"))
    with pytest.raises(UsageError) as caught, open_runtime(settings):
        pytest.fail("this user may not read")
    assert caught.value.code == "database_denied"
