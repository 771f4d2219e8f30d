"""The schema's version: upgraded by itself on the embedded server, by `scatter db upgrade` on a real one.

Also gives the worker role its rights, on every upgrade, so that they follow the tables.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from scatter_pipelines.errors import UsageError
from scatter_pipelines.store.database import WORKER_ROLE, Database
from scatter_pipelines.store.tables import SCHEMA

UPGRADE_LOCK = 0x5CA7_00DB

CREATE_ROLE = f"""
    DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{WORKER_ROLE}') THEN
            CREATE ROLE {WORKER_ROLE} NOLOGIN;
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END $$
"""
JOIN_ROLE = f"""
    -- since PostgreSQL 16 who made a role is a member of it, but may not take it on without this
    DO $$ BEGIN
        IF NOT pg_has_role(current_user, '{WORKER_ROLE}',
                           CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
        THEN
            GRANT {WORKER_ROLE} TO CURRENT_USER;
        END IF;
    END $$
"""

RESULT_COLUMNS = (
    "status, attempt, tries, losses, waits, limit_hits, not_before, claim_token, claimed_at, run_id, step_key, host, "
    "error_code, error_stage, error_message, fields, missing, usage, timings, pages, media_type, finished_at"
)

WORKER_RIGHTS = (
    f"REVOKE ALL ON ALL TABLES IN SCHEMA {SCHEMA} FROM {WORKER_ROLE}",
    f"GRANT USAGE ON SCHEMA {SCHEMA} TO {WORKER_ROLE}",
    f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {WORKER_ROLE}",
    f"GRANT UPDATE ({RESULT_COLUMNS}) ON {SCHEMA}.extraction_result TO {WORKER_ROLE}",
    f"GRANT INSERT, UPDATE, DELETE ON {SCHEMA}.claim_beat TO {WORKER_ROLE}",
    f"GRANT UPDATE (beat_at) ON {SCHEMA}.shard_lease TO {WORKER_ROLE}",
    f"GRANT INSERT ON {SCHEMA}.extraction_attempt, {SCHEMA}.task_hold, {SCHEMA}.task_event TO {WORKER_ROLE}",
    f"GRANT INSERT ON {SCHEMA}.ocr_page TO {WORKER_ROLE}",
    f"GRANT UPDATE (spent_usd, reserved_usd) ON {SCHEMA}.task_budget TO {WORKER_ROLE}",
    f"GRANT INSERT, UPDATE ON {SCHEMA}.llm_call, {SCHEMA}.llm_pace TO {WORKER_ROLE}",
    f"GRANT INSERT, UPDATE (used_at) ON {SCHEMA}.parsed_document, {SCHEMA}.llm_answer TO {WORKER_ROLE}",
)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def head_revision() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()


def current_revision(connection: Connection) -> str | None:
    """The revision in the database; None where there is no schema."""
    context = MigrationContext.configure(connection, opts={"version_table_schema": SCHEMA})
    return context.get_current_revision()


def upgrade(database: Database) -> bool:
    """Brings the schema to this program's version, one process at a time. False: it was there already."""
    with database.transaction() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": UPGRADE_LOCK})
        outdated = current_revision(connection) != head_revision()
        if outdated:
            connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        _grant(connection)
    return outdated


def _grant(connection: Connection) -> None:
    for statement in (CREATE_ROLE, JOIN_ROLE):
        try:
            connection.exec_driver_sql(statement)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != "42501":
                raise
            raise UsageError(
                "database_denied",
                f"The workers' role cannot be made: {error.orig}. Have an administrator run once: "
                f"CREATE ROLE {WORKER_ROLE} NOLOGIN; GRANT {WORKER_ROLE} TO the user of SCATTER_DATABASE_URL.",
            ) from error
    for statement in WORKER_RIGHTS:
        connection.exec_driver_sql(statement)


def ensure_schema(database: Database) -> None:
    """Upgrades the embedded server's schema; on a real server, where people watch over it, only checks it."""
    with database.engine().connect() as connection:
        current, head = current_revision(connection), head_revision()
    if current == head:
        return
    if database.settings.database_url is None:
        upgrade(database)
        return
    state = "has no tables of this program" if current is None else f"is at version {current}, not {head}"
    raise UsageError("database_outdated", f"The database {state}.")
