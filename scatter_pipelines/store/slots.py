"""Slots: how many may do a thing at once over all processes and machines.

A slot is a PostgreSQL session advisory lock on a connection kept for nothing else, so a process that dies
frees its slots without anybody's help. The number of slots is a setting; the locks are numbered.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import psycopg

from scatter_pipelines.settings import Settings
from scatter_pipelines.store.database import KEEPALIVE, resolve_url

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

FIRST_POLL, LONGEST_POLL = 0.02, 0.5


class Slots:
    """The slots of one process. Safe to share between threads, not across a fork."""

    def __init__(self, settings: Settings) -> None:
        self.limits: dict[Level, int] = {
            "document": settings.document_slots,
            "parse": settings.parse_slots,
            "llm": settings.llm_slots,
        }
        self._settings = settings
        self._mutex = threading.Lock()
        self._session: psycopg.Connection | None = None
        self._mine: set[tuple[Level, int]] = set()

    @contextmanager
    def hold(self, level: Level, while_waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Waits for a slot and frees it at the end. `while_waiting` is called now and then and may raise."""
        number = self._wait(level, while_waiting)
        try:
            yield
        finally:
            self._release(level, number)

    def _wait(self, level: Level, while_waiting: Callable[[], None]) -> int:
        pause = FIRST_POLL
        while True:
            number = self.try_take(level)
            if number is not None:
                return number
            while_waiting()
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.5, LONGEST_POLL)

    def try_take(self, level: Level) -> int | None:
        """The number of a slot that was free, or None. A session that broke is opened anew once."""
        with self._mutex:
            for last_chance in (False, True):
                try:
                    return self._try_take(level)
                except psycopg.OperationalError:
                    self._forget()
                    if last_chance:
                        raise
        return None

    def _try_take(self, level: Level) -> int | None:
        session = self._connected()
        limit = self.limits[level]
        start = random.randrange(limit)
        for number in ((start + step) % limit for step in range(limit)):
            if (level, number) in self._mine:
                continue
            row = session.execute(TRY_LOCK, (LOCK_CLASS[level], number)).fetchone()
            if row is not None and row[0]:
                self._mine.add((level, number))
                return number
        return None

    def _release(self, level: Level, number: int) -> None:
        with self._mutex:
            if (level, number) not in self._mine:
                return
            self._mine.discard((level, number))
            try:
                self._connected().execute(UNLOCK, (LOCK_CLASS[level], number))
            except psycopg.OperationalError:
                self._forget()

    def _connected(self) -> psycopg.Connection:
        if self._session is None or self._session.closed:
            self._mine.clear()
            url = resolve_url(self._settings).set(drivername="postgresql")
            dsn = url.render_as_string(hide_password=False)
            self._session = psycopg.connect(dsn, autocommit=True, application_name="scatter_slots", **KEEPALIVE)
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
            rows = self._connected().execute(HELD, (list(LOCK_CLASS.values()),)).fetchall()
        by_class = {int(row[0]): int(row[1]) for row in rows}
        return {level: by_class.get(key, 0) for level, key in LOCK_CLASS.items()}

    def close(self) -> None:
        with self._mutex:
            self._forget()
