"""Supervision inside the process that works, for executors that have none of their own.

A thread beside the work beats for what the process holds, and stops what it no longer owns or what takes too long.
Code in the work thread calls `Watched.check` at its seams, where a stop arrives as `StopWork`. Work that does not come
to a seam in time is ended with its process: the rows know what was done, and another run goes on with the rest.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from scatter_pipelines.errors import CODES
from scatter_pipelines.model.result import Claim
from scatter_pipelines.model.states import STAGES, Stage
from scatter_pipelines.store import beats, results
from scatter_pipelines.store.database import Database
from scatter_pipelines.work.progress import Progress, StopWork

log = logging.getLogger(__name__)

EXIT_HUNG = 75
"""Exit status (EX_TEMPFAIL) of a process that was ended because its work hung."""

TICK_SECONDS = 0.2


class Watched:
    """One claim under supervision. The work moves it on; a supervisor reads its progress."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.progress_made = Progress.begin(claim.result_id, claim.attempt)
        self.stop: StopWork | None = None
        self.stopped_at = 0.0

    def enter(self, stage: Stage) -> None:
        """Goes on to a stage, which is progress."""
        self.check()
        self.progress_made.enter(STAGES.index(stage))
        self.publish()

    def progress(self, done: int, total: int) -> None:
        self.progress_made.come_to(done, total)
        self.publish()
        self.check()

    def check(self) -> None:
        if self.stop is not None:
            raise self.stop

    def publish(self) -> None:
        """Called after each change."""

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Marks a wait for somebody else: not counted against the limits, but capped, and never progress."""
        self.progress_made.begin_wait()
        self.publish()
        try:
            yield
        finally:
            self.progress_made.end_wait()
            self.publish()
        self.check()

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Marks a call to an LLM: not counted against the document's limit, but with a limit of its own."""
        self.progress_made.begin_call()
        self.publish()
        self.waits(True)
        try:
            yield
        finally:
            self.progress_made.end_call()
            self.publish()
            self.waits(False)

    def waits(self, waits: bool) -> None:
        """Called where the work begins, and where it ends, to do nothing but wait."""

    def stop_with(self, stop: StopWork) -> None:
        if self.stop is None:
            self.stopped_at = time.monotonic()
            self.stop = stop


class Watcher(Protocol):
    """What the work needs of whoever supervises it."""

    run_id: str

    def keep_lease(self, task_id: str, shard: int) -> None:
        """Beats for a shard that this run holds, from now on."""

    def lost_lease(self, task_id: str, shard: int) -> bool:
        """Whether another run works on the shard now."""

    def watch(self, claim: Claim) -> AbstractContextManager[Watched]: ...

    def under_way(self) -> AbstractContextManager[None]:
        """Proves that the run lives while it lists and submits, which may take minutes and holds no shard yet."""


class Supervisor:
    """Supervises one process's part of a run. A context manager: it beats from entry to exit.

    `end_process` is called with a message when work hangs; it must not return.
    """

    def __init__(self, database: Database, run_id: str, end_process: Callable[[str], None] | None = None) -> None:
        self.run_id = run_id
        self._database = database
        self._settings = database.settings
        self._end_process = end_process or _end_process
        self._mutex = threading.Lock()
        self._watched: dict[int, Watched] = {}
        self._leases: dict[str, set[int]] = {}
        self._lost_leases: set[tuple[str, int]] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name="scatter-supervisor", daemon=True)
        self._last_beat = time.monotonic()

    def __enter__(self) -> "Supervisor":
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._ended.set()
        self._thread.join(timeout=5)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        name = beats.run_lease(self.run_id)
        self._database.run(partial(beats.take_run_lease, run_id=self.run_id))
        self.keep_lease(name, 0)
        try:
            yield
        finally:
            self._database.run(partial(beats.release_leases, task_id=name))

    def let_go(self) -> None:
        """Frees the run's shards; where that fails, their leases go stale by themselves."""
        try:
            self._database.run(partial(beats.expire_leases, run_id=self.run_id), "worker", seconds=5)
        except (DBAPIError, PoolTimeout) as error:
            log.warning("The shards of run %s could not be freed: %s", self.run_id, error)

    def keep_lease(self, task_id: str, shard: int) -> None:
        with self._mutex:
            if (task_id, shard) not in self._lost_leases:
                self._leases.setdefault(task_id, set()).add(shard)

    def lost_lease(self, task_id: str, shard: int) -> bool:
        return (task_id, shard) in self._lost_leases

    @contextmanager
    def watch(self, claim: Claim) -> Iterator[Watched]:
        watched = Watched(claim)
        with self._mutex:
            self._watched[claim.result_id] = watched
        try:
            yield watched
        finally:
            with self._mutex:
                del self._watched[claim.result_id]

    def _supervise(self) -> None:
        tick = min(TICK_SECONDS, self._settings.beat_seconds)
        next_beat = 0.0
        while not self._ended.wait(tick):
            if time.monotonic() >= next_beat:
                next_beat = time.monotonic() + self._settings.beat_seconds
                self._beat_or_stop()
            for watched in self._now_watched():
                self._enforce(watched)

    def _now_watched(self) -> list[Watched]:
        with self._mutex:
            return list(self._watched.values())

    def _beat_or_stop(self) -> None:
        """Beats; where that fails for two thirds of the stale time, others may already do this work."""
        try:
            self._beat()
            self._last_beat = time.monotonic()
        except Exception as error:  # noqa: BLE001  the boundary of one beat
            silent = time.monotonic() - self._last_beat
            log.warning("Could not write the beats of run %s for %.0f s: %s", self.run_id, silent, error)
            if silent > self._settings.stale_seconds * 2 / 3:
                for watched in self._now_watched():
                    watched.stop_with(StopWork("lost", "The database could not be reached to prove that this works."))

    def _beat(self) -> None:
        watched = {item.claim.result_id: item for item in self._now_watched()}
        with self._mutex:
            leases = {task_id: sorted(shards) for task_id, shards in self._leases.items()}

        def write(connection: Connection) -> tuple[set[int], dict[str, set[int]]]:
            owned = beats.beat_claims(connection, [item.progress_made.beat() for item in watched.values()])
            held = {task: beats.beat_leases(connection, task, shards, self.run_id) for task, shards in leases.items()}
            return owned, held

        owned, held = self._database.run(write, "worker", seconds=self._settings.beat_seconds)
        for result_id in watched.keys() - owned:
            watched[result_id].stop_with(StopWork("lost", "The claim was taken away: swept, cancelled or ended."))
        self._note_lost(leases, held)

    def _note_lost(self, leases: dict[str, list[int]], held: dict[str, set[int]]) -> None:
        lost = {(task_id, shard) for task_id, shards in leases.items() for shard in set(shards) - held[task_id]}
        with self._mutex:
            self._lost_leases |= lost
            for task_id, shard in lost:
                self._leases[task_id].discard(shard)

    def _enforce(self, watched: Watched) -> None:
        if watched.stop is None:
            if (stop := watched.progress_made.overdue(self._settings)) is not None:
                watched.stop_with(stop)
        elif time.monotonic() - watched.stopped_at > self._settings.hang_seconds and self._still(watched):
            self._give_up(watched, watched.stop)

    def _still(self, watched: Watched) -> bool:
        return self._watched.get(watched.claim.result_id) is watched

    def _give_up(self, watched: Watched, stop: StopWork) -> None:
        """The work does not end, so its process must, also where that cannot be written down."""
        try:
            self._database.run(
                partial(self._write_off, claim=watched.claim, stop=stop), "worker", seconds=self._settings.hang_seconds
            )
        except Exception:
            log.exception("Could not write that %s hit its limit.", watched.claim.filename)
        claim = watched.claim
        self._end_process(f"{claim.filename} (result {claim.result_id}) does not stop. {stop.message}")

    def _write_off(self, connection: Connection, claim: Claim, stop: StopWork) -> None:
        """The limit hit of the document, and the shards for another run to go on with."""
        if stop.kind != "lost":
            results.hit_limit(connection, claim, stop.kind, CODES[stop.kind].stage, stop.message)
        beats.expire_leases(connection, self.run_id)


def _end_process(message: str) -> None:
    log.error("%s This process is ended; the other documents go on in another run.", message)
    logging.shutdown()
    os._exit(EXIT_HUNG)
