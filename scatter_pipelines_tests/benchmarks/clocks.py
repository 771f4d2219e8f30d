"""What a stretch of work costs: wall and CPU of this process with all it started, and CPU of the database server."""

import ctypes
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import psutil

from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.embedded import server_status

PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Cost:
    """Seconds. `cpu` is user and system time of the process and all its descendants."""

    wall: float
    cpu: float
    database_cpu: float


def adopt_orphans(*, yes: bool = True) -> None:
    """Keeps processes whose parents have ended among this one's descendants, so that their CPU time is seen."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(yes))


def cpu_of_orphans() -> float:
    """CPU seconds of the adopted that have ended since the last call."""
    seconds = 0.0
    with suppress(ChildProcessError):
        while (ended := os.wait4(-1, os.WNOHANG))[0]:
            seconds += ended[2].ru_utime + ended[2].ru_stime
    return seconds


def cost_of(work: Callable[[], object], postmaster: int | None = None) -> Cost:
    """`postmaster` is the pid of the database server, where its CPU time is wanted too."""
    cpu, database, start = cpu_seconds(), tree_seconds(postmaster), time.perf_counter()
    work()
    wall = time.perf_counter() - start
    return Cost(wall, cpu_seconds() - cpu, tree_seconds(postmaster) - database)


def cpu_seconds() -> float:
    """CPU seconds of this process and its descendants so far: those waited for, and those that are still there."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    waited_for = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return waited_for + sum(_with_children(child) for child in psutil.Process().children(recursive=True))


def tree_seconds(pid: int | None) -> float:
    """CPU seconds of a process and its descendants; 0 without a pid."""
    if pid is None:
        return 0.0
    process = psutil.Process(pid)
    return sum(_with_children(one) for one in (process, *process.children(recursive=True)))


def _with_children(process: psutil.Process) -> float:
    with suppress(psutil.NoSuchProcess):
        return sum(process.cpu_times()[:4])
    return 0.0


def postmaster_pid() -> int | None:
    """The embedded server of this environment."""
    return server_status(load_settings().home_path()).pid


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
