"""The supervisor: beats for what this process holds, and stops what it no longer owns or what takes too long.

It is a thread beside the work. Code in the work thread calls `Watched.check` at its seams, where a stop arrives
as `StopWork`. Work that does not come to a seam in time is ended with its process: the rows know what was
done, and another run goes on with the rest.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from scatter_pipelines.errors import CODES
from scatter_pipelines.model.result import Beat, Claim
from scatter_pipelines.model.states import STAGES, Stage
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import beats, results
from scatter_pipelines.store.database import Database

log = logging.getLogger(__name__)

EXIT_HUNG = 75
"""Exit status (EX_TEMPFAIL) of a process that was ended because its work hung."""

TICK_SECONDS = 0.2

StopKind = Literal["lost", "parse_timeout", "document_timeout", "upstream_wait"]


class StopWork(Exception):
    """Raised inside the work when it must end. `lost`: the row is no longer ours and nothing may be written."""

    def __init__(self, kind: StopKind, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(message)


class Watched:
    """One claim under supervision. The work moves it on; the supervisor reads it. All durations are monotonic."""

    def __init__(self, claim: Claim, settings: Settings) -> None:
        self.claim = claim
        self.done = 0
        self.total = 0
        self.stop: StopWork | None = None
        self.stopped_at = 0.0
        self._settings = settings
        self._stage = 0
        self._started = self._stage_started = time.monotonic()
        self._waited = self._stage_waited = 0.0
        self._waiting_since: float | None = None

    def enter(self, stage: Stage) -> None:
        """Goes on to a stage, which is progress."""
        self.check()
        self._stage, self.done, self.total = STAGES.index(stage), 0, 0
        self._stage_started, self._stage_waited = time.monotonic(), 0.0

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        self.check()

    def check(self) -> None:
        if self.stop is not None:
            raise self.stop

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Marks a wait for somebody else: not counted against the limits, but capped, and never progress."""
        self._waiting_since = time.monotonic()
        try:
            yield
        finally:
            waited = time.monotonic() - self._waiting_since
            self._waited += waited
            self._stage_waited += waited
            self._waiting_since = None
        self.check()

    def waited_seconds(self) -> float:
        since = self._waiting_since
        return self._waited + (time.monotonic() - since if since is not None else 0.0)

    def beat(self) -> Beat:
        waited = int(self.waited_seconds() * 1000)
        return Beat(self.claim.result_id, self.claim.attempt, self._stage, self.done, self.total, waited)

    def overdue(self) -> StopWork | None:
        """The limit that was passed, if one was."""
        now, settings = time.monotonic(), self._settings
        if self.waited_seconds() > settings.wait_seconds:
            return StopWork("upstream_wait", f"Waited longer than {settings.wait_seconds:g} s in all.")
        if now - self._started - self.waited_seconds() > settings.document_seconds:
            return StopWork("document_timeout", f"Took longer than {settings.document_seconds:g} s in all.")
        limit = settings.parse_seconds + settings.parse_page_seconds * self.total
        if STAGES[self._stage] == "parsing" and now - self._stage_started - self._stage_waited > limit:
            return StopWork(
                "parse_timeout", f"Parsing took longer than {limit:g} s (page {self.done} of {self.total})."
            )
        return None

    def stop_with(self, stop: StopWork) -> None:
        if self.stop is None:
            self.stopped_at = time.monotonic()
            self.stop = stop


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

    def let_go(self) -> None:
        """Frees the run's shards; where that fails, their leases go stale by themselves."""
        try:
            self._database.run(partial(beats.expire_leases, run_id=self.run_id), "worker", seconds=5)
        except (DBAPIError, PoolTimeout) as error:
            log.warning("The shards of run %s could not be freed: %s", self.run_id, error)

    def keep_lease(self, task_id: str, shard: int) -> None:
        """Beats for a shard that this run holds, from now on."""
        with self._mutex:
            if (task_id, shard) not in self._lost_leases:
                self._leases.setdefault(task_id, set()).add(shard)

    def lost_lease(self, task_id: str, shard: int) -> bool:
        """Whether another run works on the shard now."""
        return (task_id, shard) in self._lost_leases

    @contextmanager
    def watch(self, claim: Claim) -> Iterator[Watched]:
        watched = Watched(claim, self._settings)
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
            owned = beats.beat_claims(connection, [item.beat() for item in watched.values()])
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
            if (stop := watched.overdue()) is not None:
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
