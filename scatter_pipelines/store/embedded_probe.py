"""Asks one home's server whether it is there. Changes nothing but to create the database that is missing."""

import fcntl
import os
from collections.abc import Callable
from typing import Any, TypeVar

import psycopg

from scatter_pipelines.store.embedded_files import PORT, Owner, Place, is_private, locked, socket_folder

USER = "postgres"
DATABASE = "scatter"

_Connection = psycopg.Connection[tuple[Any, ...]]
_Answer = TypeVar("_Answer")


def serves(place: Place, owner: Owner) -> bool:
    """Whether the server answers and has the database, made here if it is missing."""
    return _asked(place, owner, _ensure_database) is not None


def running_version(place: Place, owner: Owner) -> str | None:
    """The version of the server that answers now; None where none does, also when this user may not reach it."""
    return _asked(place, owner, _version)


def is_alive(place: Place) -> bool:
    """Whether any process of the server is there, answering or not."""
    if not place.lock("server").exists():
        return False
    lock = locked(place.lock("server"), fcntl.LOCK_SH, 0)
    if lock is not None:
        os.close(lock)
    return lock is None


def _asked(place: Place, owner: Owner, question: Callable[[_Connection], _Answer]) -> _Answer | None:
    """The answer of this home's own server; None when it does not answer or goes away meanwhile."""
    if not is_alive(place) or not (place.data / "PG_VERSION").exists():
        return None
    try:
        with _connect(place, owner) as connection:
            return question(connection)
    except psycopg.OperationalError as problem:
        if _is_absence(problem.sqlstate):
            return None
        raise


def _is_absence(state: str | None) -> bool:
    """Starting, stopping, no socket and a broken connection; also one too many, which passes."""
    return state is None or state.startswith("57") or state == "53300"


def _connect(place: Place, owner: Owner) -> _Connection:
    """Connect as the superuser; a socket that another OS user could have made is refused."""
    folder = socket_folder(place, owner)
    if not is_private(folder, owner):
        raise psycopg.OperationalError(f"{folder} is not the server's own folder")
    return psycopg.connect(
        host=str(folder), port=PORT, user=USER, dbname="postgres", connect_timeout=10, autocommit=True
    )


def _version(connection: _Connection) -> str:
    return str(connection.execute("SELECT current_setting('server_version')").fetchall()[0][0])


def _ensure_database(connection: _Connection) -> bool:
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
        connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0")
    return True
