"""`scatter run`: works on a task here until it is closed, with sweep and aggregator ticking in between."""

import time
from collections.abc import Callable
from pathlib import Path

from scatter_pipelines.errors import UsageError
from scatter_pipelines.launch.crew import Crew
from scatter_pipelines.launch.instance import announce_closings, sweep_with_dagster
from scatter_pipelines.model.result import Counts, Task
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import counts_of, open_holds

POLL_SECONDS = 0.25
COUNT_SHARE = 20
"""Counting a large task takes a while; so many times as long passes until it is counted again."""

TICK_SECONDS = 1.0
SWEEP_SECONDS = 60.0
CRASHES_ALLOWED = 3

Progress = Callable[[Counts], None]


def run_task(
    runtime: Runtime, task: Task, progress: Progress, say: Callable[[str], None] = lambda message: None
) -> None:
    """Works on the task here until it is closed, and tells of the closing.

    `progress` gets the counts a few times a second; `say` is told what a person should know before the end.
    """
    with Crew(runtime, task, _log_path(runtime, task.id)) as crew:
        Foreground(runtime, crew, progress, say).until_closed()
        crew.wait()
    announce_closings(runtime)


class Foreground:
    """The loop around a crew."""

    def __init__(self, runtime: Runtime, crew: Crew, progress: Progress, say: Callable[[str], None]) -> None:
        self._runtime = runtime
        self._crew = crew
        self._progress = progress
        self._say = say
        self._done = -1

    def until_closed(self) -> None:
        next_tick = next_sweep = 0.0
        while True:
            asked = time.monotonic()
            counts = counts_of(self._runtime, self._crew.task.id)
            took = time.monotonic() - asked
            self._progress(counts)
            self._crew.fill(counts.total - counts.open)
            if time.monotonic() >= next_tick or not counts.open:
                next_tick = time.monotonic() + TICK_SECONDS
                if self._tick(counts):
                    return
            if time.monotonic() >= next_sweep:
                next_sweep = time.monotonic() + SWEEP_SECONDS
                self._sweep()
            time.sleep(max(POLL_SECONDS, COUNT_SHARE * took))

    def _tick(self, counts: Counts) -> bool:
        """Closes the task if it is through; otherwise sees to it that the crew gets on."""
        aggregate(self._runtime, self._crew.task.id)
        if find_task(self._runtime, self._crew.task.id).status != "processing":
            return True
        done = counts.total - counts.open
        if done != self._done or counts.extracting:
            self._done, self._crew.crashes = done, 0
        self._refuse_hold()
        self._crew.end_lost()
        self._refuse_crashes()
        return False

    def _sweep(self) -> None:
        if self._crew.task.id in sweep_with_dagster(self._runtime).stalled:
            self._say(f"Task {self._crew.task.id} does not get on. The log of its runs is {self._crew.log_path}.")

    def _refuse_hold(self) -> None:
        reasons = open_holds(self._runtime, self._crew.task.id)
        if reasons and self._crew.is_idle():
            raise UsageError(
                "task_state",
                f"Task {self._crew.task.id} is on hold: {'; '.join(reasons)}. `scatter resume` releases it.",
            )

    def _refuse_crashes(self) -> None:
        if self._crew.crashes > CRASHES_ALLOWED:
            raise UsageError(
                "workers_failing",
                f"The runs that work on task {self._crew.task.id} end (status {self._crew.last_status}) before they "
                f"begin a document. Their log is {self._crew.log_path}.",
            )


def _log_path(runtime: Runtime, task_id: str) -> Path:
    folder = runtime.settings.home_path() / "logs"
    folder.mkdir(exist_ok=True)
    return folder / f"run-{task_id}.log"
