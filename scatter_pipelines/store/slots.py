"""Slots: how many may do a thing at once over all processes and machines.

A slot is a PostgreSQL session advisory lock on a connection kept for nothing else, so a process that dies
frees its slots without anybody's help. The number of slots is a setting; the locks are numbered.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import psycopg
from sqlalchemy import Connection, text

from scatter_pipelines.settings import Settings
from scatter_pipelines.store.database import KEEPALIVE, libpq_url, resolve_url

Level = Literal["document", "parse", "llm"]

LOCK_CLASS: dict[Level, int] = {"document": 0x5CA7_0001, "parse": 0x5CA7_0002, "llm": 0x5CA7_0003}
"""First key of the advisory locks; the second is the slot's number."""

TRY_LOCK = "SELECT pg_try_advisory_lock(%s, %s)"
UNLOCK = "SELECT pg_advisory_unlock(%s, %s)"
HELD = """
    SELECT classid::bigint, count(*) FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND classid::bigint = ANY(%s)
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     GROUP BY classid
"""

END_SESSIONS = text("""
    -- a process that lost its claims for silence may be stopped and hold its slots for ever
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ANY(:names)
""")


def session_name(process_name: str) -> str:
    return f"scatter_slots {process_name}"[:63]


def end_sessions(connection: Connection, process_names: Sequence[str]) -> None:
    """Frees the slots of processes that were found lost. One that lives after all takes new ones."""
    connection.execute(END_SESSIONS, {"names": [session_name(name) for name in process_names]})


FIRST_POLL, LONGEST_POLL = 0.02, 0.5
AWAY_SECONDS = 60.0
"""How long a database that is away is waited for."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that was taken. It is lost with the session it was taken in, counted by `session`."""

    level: Level
    number: int
    session: int


class Slots:
    """The slots of one process. Safe to share between threads, not across a fork."""

    def __init__(self, settings: Settings, process_name: str = "") -> None:
        self._application_name = session_name(process_name)
        self.limits: dict[Level, int] = {
            "document": settings.document_slots,
            "parse": settings.parse_slots,
            "llm": settings.llm_slots,
        }
        self._settings = settings
        self._mutex = threading.Lock()
        self._session: psycopg.Connection | None = None
        self._session_number = 0
        self._mine: set[Slot] = set()

    @contextmanager
    def hold(self, level: Level, while_waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Waits for a slot and frees it at the end. `while_waiting` is called now and then and may raise."""
        slot = self._wait(level, while_waiting)
        try:
            yield
        finally:
            self._release(slot)

    def _wait(self, level: Level, while_waiting: Callable[[], None]) -> Slot:
        pause, answered = FIRST_POLL, time.monotonic()
        while True:
            try:
                slot, answered = self.try_take(level), time.monotonic()
            except psycopg.OperationalError:
                if time.monotonic() - answered > AWAY_SECONDS:
                    raise
                slot = None
            if slot is not None:
                return slot
            while_waiting()
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.5, LONGEST_POLL)

    def try_take(self, level: Level) -> Slot | None:
        """A slot that was free, or None. A session that broke is opened anew once."""
        with self._mutex:
            for last_chance in (False, True):
                try:
                    return self._try_take(level)
                except psycopg.OperationalError:
                    self._forget()
                    if last_chance:
                        raise
        return None

    def _try_take(self, level: Level) -> Slot | None:
        session = self._connected()
        limit = self.limits[level]
        start = random.randrange(limit)
        for number in ((start + step) % limit for step in range(limit)):
            slot = Slot(level, number, self._session_number)
            if slot in self._mine:
                continue
            row = session.execute(TRY_LOCK, (LOCK_CLASS[level], number)).fetchone()
            if row is not None and row[0]:
                self._mine.add(slot)
                return slot
        return None

    def _release(self, slot: Slot) -> None:
        """Frees the slot unless it went with its session: its number may be another's by now."""
        with self._mutex:
            if slot not in self._mine:
                return
            self._mine.discard(slot)
            try:
                self._connected().execute(UNLOCK, (LOCK_CLASS[slot.level], slot.number))
            except psycopg.OperationalError:
                self._forget()

    def _connected(self) -> psycopg.Connection:
        if self._session is None or self._session.closed:
            self._mine.clear()
            dsn = libpq_url(resolve_url(self._settings))
            self._session = psycopg.connect(dsn, autocommit=True, application_name=self._application_name, **KEEPALIVE)
            self._session_number += 1
        return self._session

    def _forget(self) -> None:
        """The session is gone, and with it every slot of this process."""
        self._mine.clear()
        if self._session is not None:
            self._session.close()
        self._session = None

    def used(self) -> dict[Level, int]:
        """How many slots of each level are taken now, by anybody."""
        with self._mutex:
            try:
                rows = self._connected().execute(HELD, (list(LOCK_CLASS.values()),)).fetchall()
            except psycopg.OperationalError:
                self._forget()
                raise
        by_class = {int(row[0]): int(row[1]) for row in rows}
        return {level: by_class.get(key, 0) for level, key in LOCK_CLASS.items()}

    def close(self) -> None:
        with self._mutex:
            self._forget()
