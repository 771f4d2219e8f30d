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
from scatter_pipelines.store.database import KEEPALIVE, connected, libpq_url, resolve_url

Level = Literal["document", "parse", "llm"]

LOCK_CLASS: dict[Level, int] = {"document": 0x5CA7_0001, "parse": 0x5CA7_0002, "llm": 0x5CA7_0003}
"""First key of the advisory locks; the second is the slot's number."""

GATE_CLASS = 0x5CA7_0010
"""First key of the gates; the second is the level's lock class. All who hold a slot share its level's gate."""

TRY_LOCK = """
    -- the first slot that is free, behind a gate that one who is to be alone can shut: -1 shut, -2 none free
    SELECT CASE WHEN pg_try_advisory_lock_shared(%(gate)s, %(level)s) THEN coalesce(
        (SELECT n FROM unnest(%(numbers)s::int[]) AS n WHERE pg_try_advisory_lock(%(level)s, n) LIMIT 1),
        CASE WHEN pg_advisory_unlock_shared(%(gate)s, %(level)s) THEN -2 END) ELSE -1 END
"""
UNLOCK = "SELECT pg_advisory_unlock(%s, %s), pg_advisory_unlock_shared(%s, %s)"
LOCK_GATE = "SELECT pg_advisory_lock(%s, %s)"
UNLOCK_GATE = "SELECT pg_advisory_unlock(%s, %s)"
ALONE_SECONDS = 10
"""How long the gate is waited for in one go. Those who wait keep newcomers out; a longer wait hears of a stop late."""
SESSION = f"""
    SET lock_timeout = '{ALONE_SECONDS}s'; SET client_connection_check_interval = '2s'
"""
ALONE = -1
"""In place of a slot's number: all of them."""

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
    def hold(
        self, level: Level, while_waiting: Callable[[], None] = lambda: None, *, alone: bool = False
    ) -> Iterator[None]:
        """Waits for a slot and frees it at the end. `while_waiting` is called now and then and may raise.

        `alone`: waits until nobody holds a slot of the level anywhere, and keeps everybody out meanwhile.
        """
        slot = self._wait(level, while_waiting, alone)
        try:
            yield
        finally:
            self._release(slot)

    def _wait(self, level: Level, while_waiting: Callable[[], None], alone: bool) -> Slot:
        pause, answered = FIRST_POLL, time.monotonic()
        while True:
            try:
                slot, answered = self.try_take(level, alone=alone), time.monotonic()
            except psycopg.OperationalError:
                if time.monotonic() - answered > AWAY_SECONDS:
                    raise
                slot = None
            if slot is not None:
                return slot
            while_waiting()
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.5, LONGEST_POLL)

    def try_take(self, level: Level, *, alone: bool = False) -> Slot | None:
        """A slot that was free, or None; `alone`: all of them. A session that broke is opened anew once."""
        with self._mutex:
            for last_chance in (False, True):
                try:
                    return self._try_take_all(level) if alone else self._try_take(level)
                except psycopg.OperationalError:
                    self._forget()
                    if last_chance:
                        raise
        return None

    def _try_take(self, level: Level) -> Slot | None:
        session = self._connected()
        limit = self.limits[level]
        start = random.randrange(limit)
        mine = {slot.number for slot in self._mine if slot.level == level}
        numbers = [number for step in range(limit) if (number := (start + step) % limit) not in mine]
        values = {"gate": GATE_CLASS, "level": LOCK_CLASS[level], "numbers": numbers}
        row = session.execute(TRY_LOCK, values).fetchone()
        if row is None or row[0] is None or row[0] < 0:
            return None
        return self._taken(level, row[0])

    def _try_take_all(self, level: Level) -> Slot | None:
        session = self._connected()
        try:
            session.execute(LOCK_GATE, (GATE_CLASS, LOCK_CLASS[level]))
        except psycopg.errors.LockNotAvailable:
            return None
        return self._taken(level, ALONE)

    def _taken(self, level: Level, number: int) -> Slot:
        slot = Slot(level, number, self._session_number)
        self._mine.add(slot)
        return slot

    def _release(self, slot: Slot) -> None:
        """Frees the slot unless it went with its session: its number may be another's by now."""
        with self._mutex:
            if slot not in self._mine:
                return
            self._mine.discard(slot)
            try:
                gate, level = GATE_CLASS, LOCK_CLASS[slot.level]
                if slot.number == ALONE:
                    self._connected().execute(UNLOCK_GATE, (gate, level))
                else:
                    self._connected().execute(UNLOCK, (level, slot.number, gate, level))
            except psycopg.OperationalError:
                self._forget()

    def _connected(self) -> psycopg.Connection:
        if self._session is None or self._session.closed:
            self._mine.clear()
            dsn = libpq_url(resolve_url(self._settings))
            self._session = connected(
                self._settings,
                lambda: psycopg.connect(dsn, autocommit=True, application_name=self._application_name, **KEEPALIVE),
            )
            self._session.execute(SESSION)
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
