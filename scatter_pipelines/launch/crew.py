"""The processes that work on one task for `scatter run`: Dagster runs, one shard each, without a daemon.

A process that has the code location loaded forks one process a run, so that a run starts in a moment and whatever it
did to its memory ends with it. The next run starts shortly before the one at work has nothing left to hand out.
"""

import os
import signal
import socket
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil
from dagster import DagsterEvent, execute_job
from dagster._core.definitions.reconstruct import ReconstructableJob, ReconstructableRepository

from scatter_pipelines.defs.announce import register_task
from scatter_pipelines.defs.configs import EXTRACT_OP
from scatter_pipelines.defs.runs import TASK_TAG
from scatter_pipelines.executor.nursery import Nursery
from scatter_pipelines.launch.instance import environment, open_instance
from scatter_pipelines.model.result import Task
from scatter_pipelines.store import reading
from scatter_pipelines.work.dispatch import free_shards
from scatter_pipelines.work.runtime import Runtime, open_runtime, process_name

RUNS = 2
"""Runs at once: one at work, and one that takes over while the last documents of the first are done."""

START_SECONDS = 15.0
"""How long a run may take from its start until it holds a shard."""

AHEAD_SECONDS = 1.0
"""A run is started when the ones at work have about so much left to do."""


@dataclass
class RunProcess:
    """One run's process. `since` is its start, by the monotonic clock."""

    pid: int
    since: float


class Crew:
    """A context manager; at its end no run is left."""

    def __init__(self, runtime: Runtime, task: Task, log_path: Path) -> None:
        self.runtime = runtime
        self.task = task
        self.log_path = log_path
        self.crashes = 0
        self.last_status = 0
        self._runs: dict[int, RunProcess] = {}
        self._asked = 0
        self._done_before = (time.monotonic(), 0)
        self._rate = 0.0
        os.environ.update(environment(runtime))
        main = RunMain(task.id, log_path)
        self._nursery = Nursery(main, main.prepare)

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()
        self._nursery.close()

    def is_idle(self) -> bool:
        return not self._runs and not self._asked

    def fill(self, done: int) -> None:
        """Starts a run if a shard has due work that nobody is at, and those at work will soon be through.

        `done` is how many of the task's documents have ended.
        """
        self._collect()
        self._measure(done)
        if len(self._runs) + self._asked >= RUNS or self._is_starting() or self._is_busy():
            return
        if free_shards(self.runtime, self.task.id):
            self._asked += 1
            self._nursery.spawn(0, None)

    def _measure(self, done: int) -> None:
        since, before = self._done_before
        if (seconds := time.monotonic() - since) >= AHEAD_SECONDS:
            self._rate = (done - before) / seconds
            self._done_before = (time.monotonic(), done)

    def _is_starting(self) -> bool:
        """Whether a run has not had the time to take a shard yet."""
        leased = self.runtime.database.run(
            lambda c: reading.runs_of(c, self.task.id, self.runtime.settings.stale_seconds)
        )
        young = [run for run in self._runs.values() if time.monotonic() - run.since < START_SECONDS]
        return bool(self._asked) or len(young) > leased

    def _is_busy(self) -> bool:
        """Whether the shards at work keep all workers busy for a while yet."""
        if not self._runs:
            return False
        left = self.runtime.database.run(
            lambda c: reading.open_in_leased(c, self.task.id, self.runtime.settings.stale_seconds)
        )
        workers = self.runtime.settings.worker_count() + self.runtime.settings.waiting_count()
        return left > max(workers, self._rate * AHEAD_SECONDS)

    def _collect(self) -> None:
        for news in self._nursery.news():
            if "born" in news:
                self._asked -= 1
                self._runs[news["pid"]] = RunProcess(news["pid"], time.monotonic())
            elif self._runs.pop(news["ended"], None) and news["status"] != 0:
                self.crashes += 1
                self.last_status = news["status"]

    def end_lost(self) -> None:
        """Ends runs whose claims were swept: stopped or hung, they would hold their place for ever."""
        names = {process_name(pid): run for run in self._runs for pid in _family(run)}
        lost = self.runtime.database.run(lambda c: reading.lost_holders(c, self.task.id, list(names)))
        for run in {names[name] for name in lost}:
            self._nursery.kill(run)

    def wait(self) -> None:
        """Lets the runs write their ends, which they do by themselves once the task is closed."""
        self._wait_until_gone(self.runtime.settings.hang_seconds)

    def stop(self) -> None:
        """Asks the runs to end, and ends them if they do not within a grace time."""
        self._collect()
        for run in self._runs:
            self._nursery.kill(run, signal.SIGTERM)
        # The run itself gives its documents as long, so it gets a little longer.
        self._wait_until_gone(self.runtime.settings.hang_seconds + 5)
        for run in self._runs:
            self._nursery.kill(run)
        self._wait_until_gone(5)

    def _wait_until_gone(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self.is_idle() and time.monotonic() < deadline:
            time.sleep(0.05)
            self._collect()


def _family(pid: int) -> list[int]:
    try:
        return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    except psutil.Error:
        return [pid]


@cache
def load_job() -> ReconstructableJob:
    """Loads the code location."""
    repository = ReconstructableRepository.for_module("scatter_pipelines.definitions", "defs", None)
    job = repository.get_reconstructable_job("extract_documents")
    job.get_definition()
    return job


@dataclass(frozen=True)
class RunMain:
    """The whole life of a run's process, and what the process that forks the runs does before the first."""

    task_id: str
    log_path: Path

    def prepare(self) -> None:
        self._speak_to_log()
        load_job()

    def __call__(self, _end: socket.socket | None, _number: int) -> None:
        with open_runtime() as runtime, open_instance(runtime) as instance:
            register_task(instance, self.task_id)
            result = execute_job(
                load_job(),
                instance=instance,
                run_config={"task_id": self.task_id},
                tags={TASK_TAG: self.task_id},
                raise_on_error=False,
            )
            if not result.success and not any(map(_begins_document, result.all_events)):
                sys.exit(f"The run {result.run_id} could not begin a document.")

    def _speak_to_log(self) -> None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        log = os.open(self.log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.dup2(nothing, 0)
        os.dup2(log, 1)
        os.dup2(log, 2)


def _begins_document(event: DagsterEvent) -> bool:
    return event.is_step_start and str(event.step_key).startswith(f"{EXTRACT_OP}[")
