"""`scatter run` as a user runs it, with what it cost."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scatter_pipelines_tests.benchmarks.clocks import adopt_orphans, cpu_of_orphans
from scatter_pipelines_tests.benchmarks.place import PROJECT

PATIENCE = 0.05
"""Seconds between two looks at whether a command has ended."""

DONE = (0, 3)
"""Exit statuses of a task that was closed: without errors, and with some."""


@dataclass(frozen=True)
class Command:
    """Seconds. `wall` and `cpu` are of the whole command with all its processes, `task` of the task itself."""

    wall: float
    cpu: float
    task: float
    summary: dict[str, Any]


def scatter_run(
    folder: Path, source: Path, look: Callable[[int], None] = lambda pid: None, options: Sequence[str] = ()
) -> Command:
    """A new task each time. `look` is called with the command's pid, again and again while it runs."""
    output, errors = folder / "scatter.out", folder / "scatter.err"
    command = [sys.executable, "-m", "scatter_pipelines.cli.main", "run", str(source), "--again", "--json", *options]
    wall, cpu, status = timed(command, output, errors, look)
    if status not in DONE:
        raise RuntimeError(f"scatter run ended with {status}:\n{errors.read_text(errors='replace')[-3000:]}")
    summary = json.loads(output.read_text(encoding="utf-8").strip().splitlines()[-1])
    return Command(wall, cpu, summary["elapsed_seconds"], summary)


def timed(command: list[str], output: Path, errors: Path, look: Callable[[int], None]) -> tuple[float, float, int]:
    """Wall and CPU seconds of a command with all its processes, and its exit status."""
    adopt_orphans()
    try:
        with output.open("wb") as out, errors.open("wb") as err:
            start = time.perf_counter()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=PROJECT)
        cpu = _wait(process, look)
        return time.perf_counter() - start, cpu + cpu_of_orphans(), process.returncode
    finally:
        adopt_orphans(yes=False)


def _wait(process: "subprocess.Popen[bytes]", look: Callable[[int], None]) -> float:
    """CPU seconds of the process and all that were waited for below it, once it has ended."""
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return usage.ru_utime + usage.ru_stime
            look(process.pid)
            time.sleep(PATIENCE)
    finally:
        if process.returncode is None:
            process.terminate()
            process.wait()
