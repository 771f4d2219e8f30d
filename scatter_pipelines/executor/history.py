"""Who writes the event log: the run worker, for all its workers, many events in one statement."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dagster import DagsterInstance

from scatter_pipelines.executor.internals import EventLogEntry

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.2
FLUSH_EVENTS = 100
GIVE_UP_SECONDS = 60.0
"""How long events are kept while the event log cannot be written."""


@contextmanager
def diverted(instance: DagsterInstance, take: Callable[..., None]) -> Iterator[None]:
    """Has every new event of the instance go to `take(entry, batch_metadata=...)` instead of to its event log."""
    instance.handle_new_event = take  # type: ignore[method-assign]
    try:
        yield
    finally:
        del instance.handle_new_event


class History:
    """Events on their way to the event log, in the order in which they came."""

    def __init__(self, instance: DagsterInstance, run_id: str) -> None:
        self._instance = instance
        self._run_id = run_id
        self._store: Callable[..., None] = instance.handle_new_event
        self._waiting: list[EventLogEntry] = []
        self._failing_since: float | None = None
        self._due = 0.0

    def take(self, entry: EventLogEntry, *, batch_metadata: Any = None) -> None:
        """In place of `DagsterInstance.handle_new_event`. What is not a step's is written at once."""
        event = entry.dagster_event
        if entry.run_id != self._run_id or (event is not None and event.is_job_event):
            self.flush()
            self._store(entry, batch_metadata=batch_metadata)
            return
        self.add([entry])

    def add(self, entries: list[EventLogEntry]) -> None:
        if entries and not self._waiting:
            self._due = max(self._due, time.monotonic() + FLUSH_SECONDS)
        self._waiting.extend(entries)

    def seconds_left(self) -> float | None:
        """Until the next write is due; None when there is nothing to write."""
        if not self._waiting:
            return None
        return max(0.0, self._due - time.monotonic())

    def flush_if_due(self) -> None:
        """Writes one statement's worth, so that the workers are not kept waiting for the rest."""
        if self._waiting and (time.monotonic() >= self._due or self._full()):
            self.flush(len(self._waiting) - FLUSH_EVENTS)

    def _full(self) -> bool:
        return len(self._waiting) >= FLUSH_EVENTS and self._failing_since is None

    def flush(self, leave: int = 0) -> None:
        """Writes what waits, but for the last `leave`.

        A database that is away is waited for; after GIVE_UP_SECONDS its error is raised.
        """
        try:
            while len(self._waiting) > max(0, leave):
                self._write(self._waiting[:FLUSH_EVENTS])
                del self._waiting[:FLUSH_EVENTS]
            self._failing_since = None
        except Exception as error:
            now = time.monotonic()
            self._failing_since = self._failing_since or now
            if now - self._failing_since > GIVE_UP_SECONDS:
                raise
            self._due = now + 1.0
            log.warning("%d events wait for the event log: %s", len(self._waiting), error)

    def close(self) -> None:
        """Writes the rest, or raises."""
        self.flush()
        while self._waiting:
            time.sleep(1)
            self.flush()

    def _write(self, entries: list[EventLogEntry]) -> None:
        wanted = [entry for entry in entries if self._instance.should_store_event(entry)]
        storage = self._instance.event_log_storage
        if getattr(storage, "batches_any_event", False):
            storage.store_event_batch(wanted)
            return
        for entry in wanted:
            self._store(entry)
