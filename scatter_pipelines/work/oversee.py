"""Supervision by the run worker, outside the processes that do the work.

A worker writes its progress on a board of shared memory; the overseer beats for all boards in one statement, says
which workers must be killed, and writes down what the loss of one means for its document. So it holds for work that
hangs in C code, with the interpreter's lock or without.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from scatter_pipelines.errors import CODES
from scatter_pipelines.model.result import Claim
from scatter_pipelines.model.states import STAGES
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import beats, results
from scatter_pipelines.work.progress import Board, Progress, StopWork
from scatter_pipelines.work.runtime import open_runtime, process_name
from scatter_pipelines.work.status import last_words
from scatter_pipelines.work.supervise import Watched

log = logging.getLogger(__name__)

SAVING = STAGES.index("saving")
UNCLAIMED_LOSSES = 3
LOSS_SECONDS = 10.0
"""How long a database that is away is waited for before the sweep is left to find a lost claim."""

Shard = tuple[str, int]


@dataclass(frozen=True, slots=True)
class DocumentLoss:
    """What became of a document's worker: a code of `errors.py`, or None where the document is not to blame."""

    code: str | None
    message: str


class BoardWatched(Watched):
    """A claim whose progress is seen from outside. `tell_waits` gives the worker's place to another meanwhile."""

    def __init__(self, claim: Claim, board: Board, tell_waits: Callable[[bool], None]) -> None:
        super().__init__(claim)
        self._board = board
        self._tell_waits = tell_waits
        self.publish()

    def waits(self, waits: bool) -> None:
        self._tell_waits(waits)

    def publish(self) -> None:
        self._board.write(self.progress_made)


class PoolWatcher:
    """A worker's side: it tells the overseer what it holds. `tell` sends a lease; `lost` is what was known lost."""

    def __init__(
        self, run_id: str, memory: memoryview, tell: Callable[[Shard], None], tell_waits: Callable[[bool], None]
    ) -> None:
        self.run_id = run_id
        self.lost: frozenset[Shard] = frozenset()
        self._board = Board(memory)
        self._tell = tell
        self._tell_waits = tell_waits
        self._told: set[Shard] = set()

    def keep_lease(self, task_id: str, shard: int) -> None:
        if (task_id, shard) not in self._told:
            self._told.add((task_id, shard))
            self._tell((task_id, shard))

    def lost_lease(self, task_id: str, shard: int) -> bool:
        return (task_id, shard) in self.lost

    def under_way(self) -> nullcontext[None]:
        """The overseer proves from the run's first moment that it lives."""
        return nullcontext()

    @contextmanager
    def watch(self, claim: Claim) -> Iterator[Watched]:
        try:
            yield BoardWatched(claim, self._board, self._tell_waits)
        finally:
            self._board.clear()


class Overseer:
    """The run worker's side, for one run. A context manager: it beats from entry to exit.

    `say` is told the run's last words. Calls come from one thread; the beats have a thread of their own.
    """

    def __init__(
        self, settings: Settings, run_id: str, boards: Sequence[memoryview], say: Callable[[str], None]
    ) -> None:
        self.run_id = run_id
        self._settings = settings
        self._boards = [Board(memory) for memory in boards]
        self._say = say
        self._stack = ExitStack()
        self._mutex = threading.Lock()
        self._leases: dict[str, set[int]] = {beats.run_lease(run_id): {0}}
        self._lost_leases: frozenset[Shard] = frozenset()
        self._doomed: dict[tuple[int, int], StopWork] = {}
        self._unclaimed: Counter[int] = Counter()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, name="scatter-overseer", daemon=True)
        self._last_beat = time.monotonic()

    def __enter__(self) -> "Overseer":
        self._runtime = self._stack.enter_context(open_runtime(self._settings))
        self._database = self._runtime.database
        self._database.run(partial(beats.take_run_lease, run_id=self.run_id))
        self._stack.callback(self._let_go)
        self._thread.start()
        self._stack.callback(self._stop_beating)
        return self

    def __exit__(self, *_exc: object) -> None:
        tasks = [name for name in self._leases if name != beats.run_lease(self.run_id)]
        with self._stack, suppress(DBAPIError, PoolTimeout):
            for task_id in tasks:
                self._say(last_words(self._runtime, task_id))

    def _stop_beating(self) -> None:
        self._ended.set()
        self._thread.join(timeout=5)

    def _let_go(self) -> None:
        """Frees what the run holds; where that fails, its leases go stale by themselves."""
        try:
            self._database.run(partial(beats.expire_leases, run_id=self.run_id), "worker", seconds=5)
            self._database.run(partial(beats.release_leases, task_id=beats.run_lease(self.run_id)), seconds=5)
        except (DBAPIError, PoolTimeout) as error:
            log.warning("The shards of run %s could not be freed: %s", self.run_id, error)

    def failed(self) -> int:
        """How many documents have ended in error in this run."""
        return self._database.run(partial(results.failed_in_run, run_id=self.run_id), "worker", seconds=LOSS_SECONDS)

    def lost_leases(self) -> frozenset[Shard]:
        """Shards that another run works on now."""
        return self._lost_leases

    def keep_lease(self, shard: Shard) -> None:
        """A worker works on this shard: it is beaten for from now on."""
        with self._mutex:
            if shard not in self._lost_leases:
                self._leases.setdefault(shard[0], set()).add(shard[1])

    def _keep_beating(self) -> None:
        while not self._ended.wait(self._settings.beat_seconds):
            try:
                self._beat()
                self._last_beat = time.monotonic()
            except Exception as error:  # noqa: BLE001  the boundary of one beat
                silent = time.monotonic() - self._last_beat
                log.warning("Could not write the beats of run %s for %.0f s: %s", self.run_id, silent, error)

    def _beat(self) -> None:
        seen = dict(self._claims())
        with self._mutex:
            leases = {task_id: sorted(shards) for task_id, shards in self._leases.items()}

        def write(connection: Connection) -> tuple[set[int], set[Shard]]:
            owned = beats.beat_claims(connection, [progress.beat() for progress in seen.values()])
            held = {
                (task_id, shard)
                for task_id, shards in leases.items()
                for shard in beats.beat_leases(connection, task_id, shards, self.run_id)
            }
            return owned, held

        owned, held = self._database.run(write, "worker", seconds=self._settings.beat_seconds)
        self._note_lost({(task_id, shard) for task_id, shards in leases.items() for shard in shards} - held)
        for number, progress in seen.items():
            if progress.result_id not in owned:
                self._doom(number, progress)

    def _claims(self) -> Iterator[tuple[int, Progress]]:
        for number, board in enumerate(self._boards):
            if (progress := board.read()) is not None:
                yield number, progress

    def _note_lost(self, lost: set[Shard]) -> None:
        with self._mutex:
            self._lost_leases |= lost
            for task_id, shard in lost:
                self._leases[task_id].discard(shard)

    def _doom(self, number: int, seen: Progress) -> None:
        """A claim that is not ours: taken away, unless the worker has just ended it itself."""
        now = self._boards[number].read()
        if now is None or (now.result_id, now.attempt) != (seen.result_id, seen.attempt) or now.stage == SAVING:
            return
        stop = StopWork("lost", "The claim was taken away: swept, cancelled or ended.")
        self._doomed[number, seen.attempt] = stop

    def to_stop(self) -> Iterator[tuple[int, StopWork]]:
        """Numbers of the workers that must be killed now, and why."""
        silent = time.monotonic() - self._last_beat > self._settings.stale_seconds * 2 / 3
        for number, progress in self._claims():
            stop = self._doomed.pop((number, progress.attempt), None) or progress.overdue(self._settings)
            if stop is None and silent:
                stop = StopWork("lost", "The database could not be reached to prove that this works.")
            if stop is not None:
                yield number, stop

    def lost(self, number: int, result_id: int, step_key: str, pid: int, ending: DocumentLoss) -> float | None:
        """Writes down that a document's worker is gone. Seconds until the step is to look at its row again.

        None: worker after worker was lost before one had claimed the document, so its row says nothing of it.
        """
        self._boards[number].clear()
        holder = (result_id, self.run_id, step_key, process_name(pid))
        try:
            return self._database.run(lambda c: self._write_loss(c, holder, ending), "worker", seconds=LOSS_SECONDS)
        except (DBAPIError, PoolTimeout) as error:
            log.warning("The loss of result %s could not be written; the sweep will find it: %s", result_id, error)
            return self._settings.stale_seconds

    def _write_loss(
        self, connection: Connection, holder: tuple[int, str, str, str], loss: DocumentLoss
    ) -> float | None:
        claim = results.claim_of(connection, *holder)
        if claim is None:
            self._unclaimed[holder[0]] += 1
            return 0.0 if self._unclaimed[holder[0]] <= UNCLAIMED_LOSSES else None
        ended = self._end(connection, claim, loss)
        return ended[1] if ended is not None and ended[0] == "pending" else 0.0

    def _end(self, connection: Connection, claim: Claim, loss: DocumentLoss) -> tuple[str, float] | None:
        settings = self._settings
        if loss.code is None:
            results.give_back(connection, claim, loss.message)
            return None
        entry = CODES[loss.code]
        if loss.code == "upstream_wait":
            return results.wait_later(
                connection, claim, loss.code, entry.stage, loss.message, retry_after=None,
                retry_seconds=settings.retry_seconds, max_waits=settings.max_waits,
            )  # fmt: skip
        if entry.kind == "limit":
            return results.hit_limit(connection, claim, loss.code, entry.stage, loss.message)
        return results.lose(connection, claim, loss.code, entry.stage, loss.message, settings.max_losses)
