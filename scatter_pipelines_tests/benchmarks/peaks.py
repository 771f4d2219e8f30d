"""The most memory that the processes of one `scatter run` had, by what they are."""

import time
from collections.abc import Iterator
from contextlib import suppress

import psutil

SECONDS = 0.5
"""Between two looks, at first."""

SHARE = 0.02
"""Of a core's time, at most: a look at many processes takes half a second."""

MEGABYTE = 1024 * 1024

ROLES = {0: "the command", 2: "the run process", 4: "a worker"}
"""By generation. Between them are the processes that only fork: of 1 and 3 there is one for each above it."""

ALL = "all processes"


class Peaks:
    """Call it with the command's pid while it runs; `megabytes` has the most that was seen of each role.

    What processes share is counted once, in equal parts (proportional set size), where the system tells.
    """

    def __init__(self) -> None:
        self.megabytes: dict[str, float] = {}
        self._next = 0.0

    def __call__(self, pid: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._look(pid)
            took = time.monotonic() - now
            self._next = now + max(SECONDS, took / SHARE)

    def _look(self, pid: int) -> None:
        seen = [(generation, size) for generation, size in _family(pid) if size]
        for generation, size in seen:
            if generation in ROLES:
                self._keep(ROLES[generation], size)
        self._keep(ALL, sum(size for _generation, size in seen))

    def _keep(self, role: str, size: float) -> None:
        self.megabytes[role] = max(size, self.megabytes.get(role, 0.0))


def _family(pid: int) -> Iterator[tuple[int, float]]:
    """Generation, counted from the command, and megabytes of each process; 0 of one that is just ending."""
    generations = {pid: 0}
    with suppress(psutil.Error):
        command = psutil.Process(pid)
        for process in (command, *command.children(recursive=True)):
            with suppress(psutil.Error):
                generations.setdefault(process.pid, generations.get(process.ppid(), 0) + 1)
                yield generations[process.pid], _memory(process)


def _memory(process: psutil.Process) -> float:
    info = process.memory_full_info()
    return getattr(info, "pss", info.rss) / MEGABYTE
