"""Connections: which server, in which role, and what is retried when the server goes away.

Two roles, enforced by the server: the owner (submit, aggregate, sweep, operators) and the worker, who may
read everything but writes only result rows, beats, leases, attempts and holds. Statements are not here.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlencode

import psycopg
import sqlalchemy
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from scatter_pipelines.errors import UsageError
from scatter_pipelines.settings import Settings
from scatter_pipelines.store.embedded import ensure_server, known_server

Role = Literal["owner", "worker"]
WORKER_ROLE = "scatter_worker"
EMBEDDED_DATABASE = "scatter"

T = TypeVar("T")

TRANSIENT_STATES = frozenset({"40P01", "40001", "55P03", "57P01", "57P02", "57P03", "53300", "57014"})
"""Deadlock, serialization, lock timeout, server going down or coming up, too many clients, statement timeout."""

SESSION = (
    "SET TIME ZONE 'UTC'",
    "SET lock_timeout = '15s'",
    "SET statement_timeout = '120s'",
    "SET idle_in_transaction_session_timeout = '120s'",
)
KEEPALIVE: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


def parse_url(raw: str) -> URL:
    """A PostgreSQL URL of any spelling, as SQLAlchemy's; what is none is a UsageError."""
    try:
        url = make_url(raw.replace("postgres://", "postgresql://", 1))
    except (ArgumentError, ValueError) as error:
        raise UsageError("settings_invalid", f"The database URL {_hide(raw)!r} is not a URL: {error}.") from error
    if url.get_backend_name() != "postgresql":
        raise UsageError(
            "settings_invalid",
            f"The database URL names {url.get_backend_name()!r}; only PostgreSQL is supported, as in "
            "postgresql://user:password@host:5432/database.",
        )
    return url


def _hide(raw: str) -> str:
    head, at, tail = raw.rpartition("@")
    return f"...@{tail}" if at and head else raw


def resolve_url(settings: Settings, driver: str = "psycopg") -> URL:
    """The URL in force; starts the embedded server where no other one is named. `connected` is how to go on."""
    if settings.database_url:
        url = parse_url(settings.database_url)
    else:
        server = known_server(settings.home_path())
        url = make_url(server.url(EMBEDDED_DATABASE))
    return url.set(drivername=f"postgresql+{driver}")


def libpq_url(url: URL) -> str:
    """The URL as libpq and its programs read it. SQLAlchemy writes a space as `+` or as it is, which libpq refuses."""
    user = ":".join(quote(str(part), safe="") for part in (url.username, url.password) if part is not None)
    host = f"[{url.host}]" if ":" in (url.host or "") else quote(url.host or "", safe="")
    port = f":{url.port}" if url.port else ""
    pairs = [(name, value) for name, values in url.normalized_query.items() for value in values]
    query = f"?{urlencode(pairs, quote_via=quote)}" if pairs else ""
    return f"postgresql://{user}{'@' if user else ''}{host}{port}/{quote(url.database or '', safe='')}{query}"


def is_transient(error: BaseException) -> bool:
    """Whether the same statement may well succeed a little later."""
    if isinstance(error, sqlalchemy.exc.TimeoutError):
        return True
    if not isinstance(error, DBAPIError):
        return False
    state = getattr(error.orig, "sqlstate", None)
    return (
        error.connection_invalidated
        or state in TRANSIENT_STATES
        or (state is None and isinstance(error.orig, psycopg.OperationalError))
    )


class Database:
    """Engines of both roles, made when first used. Safe to share between threads, not across a fork."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._engines: dict[Role, Engine] = {}
        self._mutex = threading.Lock()

    def engine(self, role: Role = "owner") -> Engine:
        with self._mutex:
            if role not in self._engines:
                self._engines[role] = self._make_engine(role)
            return self._engines[role]

    def _make_engine(self, role: Role) -> Engine:
        own_url = self.settings.worker_database_url if role == "worker" else None
        url = parse_url(own_url).set(drivername="postgresql+psycopg") if own_url else resolve_url(self.settings)
        engine = create_engine(
            url,
            pool_size=1,
            max_overflow=1,
            pool_timeout=30,
            # `run` tries again where a connection turns out to be dead; workers spare the question.
            pool_pre_ping=role == "owner",
            connect_args=KEEPALIVE | {"application_name": f"scatter_{role}"},
        )
        statements = SESSION if role == "owner" or own_url else (*SESSION, f"SET ROLE {WORKER_ROLE}")
        keep_server(engine, self.settings)
        event.listen(engine, "connect", lambda connection, _record: prepare_session(connection, statements))
        return engine

    @contextmanager
    def transaction(self, role: Role = "owner") -> Iterator[Connection]:
        """One transaction, committed at the end of the block."""
        with self.engine(role).begin() as connection:
            yield connection

    @contextmanager
    def statements(self, role: Role = "owner") -> Iterator[Connection]:
        """A connection on which each statement is a transaction of its own: one round trip instead of three."""
        with self.engine(role).connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def run(
        self, work: Callable[[Connection], T], role: Role = "owner", *, seconds: float = 60, one_by_one: bool = False
    ) -> T:
        """Runs `work` in one transaction, again after a passing fault, for up to `seconds`.

        After a lost commit `work` may have taken effect already: it must find that out itself. `one_by_one`: each
        statement is a transaction of its own, for work that is one statement or does not depend on more.
        """
        scope = self.statements if one_by_one else self.transaction
        deadline = time.monotonic() + seconds
        delay = 0.05
        while True:
            try:
                with scope(role) as connection:
                    return work(connection)
            except (DBAPIError, sqlalchemy.exc.TimeoutError) as error:
                if not is_transient(error) or time.monotonic() + delay > deadline:
                    raise
            time.sleep(delay * random.uniform(0.5, 1.5))
            delay = min(delay * 2, 2.0)

    def dispose(self) -> None:
        """Closes every connection of this process."""
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()


def prepare_session(connection: Any, statements: tuple[str, ...]) -> None:
    """Runs the session's settings outside a transaction, so that a rollback does not undo them."""
    before = connection.autocommit
    connection.autocommit = True
    try:
        for statement in statements:
            connection.execute(statement)
    finally:
        connection.autocommit = before


def keep_server(engine: Engine, settings: Settings) -> None:
    """Has the engine bring the embedded server back up where it does not answer."""

    def connect(dialect: Any, _record: Any, arguments: Any, named: Any) -> Any:
        refused = dialect.loaded_dbapi.OperationalError
        return connected(settings, lambda: dialect.connect(*arguments, **named), refused)

    event.listen(engine, "do_connect", connect)


def connected(settings: Settings, connect: Callable[[], T], refused: type[Exception] = psycopg.OperationalError) -> T:
    """A new connection. An embedded server that does not answer is brought up first."""
    try:
        return connect()
    except refused:
        if settings.database_url is not None:
            raise
        ensure_server(settings.home_path())
        return connect()


def as_usage_error(error: Exception, url: str) -> UsageError:
    """What a person is told when the database refuses."""
    original = getattr(error, "orig", error)
    state = getattr(original, "sqlstate", None)
    first_line = next((line for line in str(original).splitlines() if line.strip()), type(original).__name__)
    if isinstance(error, NoSuchModuleError):
        return UsageError("settings_invalid", f"The database URL names an unknown driver: {error}.")
    if state in {"42P01", "3F000", "42703"}:
        return UsageError("database_outdated", f"The database at {url} lacks the tables of this version.")
    if state == "42501" or (state is None and "permission denied" in first_line):
        return UsageError("database_denied", f"The database at {url} refused: {first_line}.")
    return UsageError("database_unreachable", f"The database at {url} cannot be used: {first_line}.")
