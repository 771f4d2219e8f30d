"""Looking after the workers: limits of time and memory, workers that are stopped, workers that are worn out."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from scatter_pipelines.executor.hooks import Order, Overseer
from scatter_pipelines.executor.pool import Member, Pool

TICK_SECONDS = 0.1
SLOW_TICK_SECONDS = 1.0
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
    """What the run worker looks at between messages."""

    def __init__(self, pool: Pool, overseer: Overseer, limits: Limits) -> None:
        self.limits = limits
        self._pool = pool
        self._overseer = overseer
        self._tick = Timer(0)
        self._slow_tick = Timer(0)
        self._prints_tick = Timer(0)
        self._stopped: dict[int, float] = {}

    def look(self) -> None:
        """Kills what is past a limit. Cheap to call often: it acts a few times a second."""
        if not self._tick.over():
            return
        self._tick = Timer(TICK_SECONDS)
        for member in self._pool.busy():
            self._enforce(member)
        self._ask_overseer()
        if self._slow_tick.over():
            self._slow_tick = Timer(SLOW_TICK_SECONDS)
            for member in list(self._pool.members.values()):
                self._find_stuck(member)

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
        """A worker that never got ready, and one that a signal has stopped."""
        if member.state == "starting" and member.seconds() > self.limits.start_seconds:
            self._pool.kill(member, "stopped", f"it was not ready after {self.limits.start_seconds:g} s")
        elif member.is_stopped():
            since = self._stopped.setdefault(member.pid, time.monotonic())
            if time.monotonic() - since > self.limits.start_seconds:
                self._pool.kill(member, "stopped", f"it was stopped by a signal for {self.limits.start_seconds:g} s")
        else:
            self._stopped.pop(member.pid, None)

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
