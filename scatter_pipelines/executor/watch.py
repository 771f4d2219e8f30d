"""Looking after the workers: limits of time and memory, workers that are stopped, workers that are worn out.

In a thread of its own: the run worker waits for databases now and then, and a worker that grows must not wait with it.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from scatter_pipelines.executor.hooks import Order, Overseer
from scatter_pipelines.executor.pool import Member, Pool

TICK_SECONDS = 0.1
SLOW_TICK_SECONDS = 1.0
DEAF_SECONDS = 1.5
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, memory in bytes; 0 means none, but for `start_seconds` and `grace_seconds`."""

    start_seconds: float
    grace_seconds: float
    step_seconds: float
    memory: int
    recycle_steps: int
    recycle_memory: int


class Timer:
    """Runs out after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def over(self) -> bool:
        return time.monotonic() >= self._end


class Watch:
    """A context manager: it looks after the pool from entry to exit."""

    def __init__(self, pool: Pool, overseer: Overseer, limits: Limits) -> None:
        self.limits = limits
        self._pool = pool
        self._overseer = overseer
        self._slow_tick = Timer(0)
        self._prints_tick = Timer(0)
        self._stopped: dict[int, float] = {}
        self._deaf: dict[int, float] = {}
        self._ended = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._keep_looking, name="warm-pool-watch", daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._ended.set()
        self._thread.join()

    def _keep_looking(self) -> None:
        try:
            while not self._ended.wait(TICK_SECONDS):
                with self._pool.mutex:
                    self._look()
        except Exception as error:  # noqa: BLE001  raised again where the run can give up
            self._error = error

    def raise_error(self) -> None:
        """What an overseer's `tick` raised; nobody looks after the workers since."""
        if self._error is not None:
            raise self._error

    def _look(self) -> None:
        """Kills what is past a limit."""
        for member in self._pool.busy():
            self._enforce(member)
        self._ask_overseer()
        if self._slow_tick.over():
            self._slow_tick = Timer(SLOW_TICK_SECONDS)
            for member in list(self._pool.members.values()):
                self._find_stuck(member)
                self._find_deaf(member)

    def grace(self) -> Timer:
        return Timer(self.limits.grace_seconds)

    def _enforce(self, member: Member) -> None:
        limits = self.limits
        if limits.step_seconds and member.seconds() > limits.step_seconds:
            self._pool.kill(member, "step_timeout", f"it took longer than {limits.step_seconds:g} s")
        elif limits.memory:
            member.look_at_memory()
            if member.rss > limits.memory:
                used, most = member.rss // MEGABYTE, limits.memory // MEGABYTE
                self._pool.kill(member, "memory_limit", f"it used {used} MB of memory, more than {most}")

    def _ask_overseer(self) -> None:
        orders = {member.number: member for member in self._pool.busy()}
        for order, stop in self._overseer.tick([Order(number, one.step_key) for number, one in orders.items()]):
            self._pool.kill(orders[order.number], "told", str(stop), stop)

    def _find_stuck(self, member: Member) -> None:
        """A worker that never got ready or never gets done, and one that a signal has stopped."""
        seconds = self.limits.start_seconds
        if member.state == "starting" and member.seconds() > seconds:
            self._pool.kill(member, "stopped", f"it was not ready after {seconds:g} s")
        elif member.state == "leaving" and member.seconds() > seconds:
            self._pool.kill(member, "stopped", f"it had not taken its resources down after {seconds:g} s")
        elif member.is_stopped():
            since = self._stopped.setdefault(member.pid, time.monotonic())
            if time.monotonic() - since > seconds:
                self._pool.kill(member, "stopped", f"it was stopped by a signal for {seconds:g} s")
        else:
            self._stopped.pop(member.pid, None)

    def _find_deaf(self, member: Member) -> None:
        """A worker that has closed its line, as a step does that closes all files: it could never say it is done."""
        if not member.channel.broken:
            self._deaf.pop(member.pid, None)
        elif time.monotonic() - self._deaf.setdefault(member.pid, time.monotonic()) > DEAF_SECONDS:
            self._pool.kill(member, "died", "it closed its line to the run worker")

    def is_worn(self, member: Member) -> bool:
        """Whether the worker is to be replaced before its next step."""
        if self.limits.recycle_steps and member.steps >= self.limits.recycle_steps:
            return True
        return bool(self.limits.recycle_memory and member.rss > self.limits.recycle_memory)

    def may_have_printed(self) -> Iterator[Member]:
        """Now and then: workers that have been at a step for a while and whose output nobody was shown yet."""
        if not self._prints_tick.over():
            return
        self._prints_tick = Timer(SLOW_TICK_SECONDS)
        for member in self._pool.busy():
            if member.seconds() > SLOW_TICK_SECONDS and member.file_key and member.shown_key != member.file_key:
                yield member
