"""Run workers in processes of their own, for tests that signal or kill them.

A process that has imported everything is forked for each run, which saves the seconds that importing takes. As a
program: requests as JSON lines on its input, the pids of the run workers on its output.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from dagster import RunsFilter

from scatter_pipelines_tests.executor.place import wait_for
from scatter_pipelines_tests.executor.reference import Arena, Outcome

TOKEN = "executor_tests/token"


@dataclass(frozen=True)
class RunWorker:
    """A run that goes on in another process."""

    arena: Arena
    process: psutil.Process
    token: str

    @property
    def run_id(self) -> str:
        find = RunsFilter(tags={TOKEN: self.token})
        (run,) = wait_for(lambda: self.arena.instance.get_runs(find), "the run to be made")
        return str(run.run_id)

    def outcome(self) -> Outcome:
        """The run as far as it is known now."""
        run_id = self.run_id
        events = [entry.dagster_event for entry in self.arena.instance.all_logs(run_id) if entry.dagster_event]
        return Outcome(self.arena.instance, run_id, events)

    def wait(self, seconds: float = 30) -> Outcome:
        wait_for(lambda: not is_alive(self.process), "the run worker to end", seconds)
        return self.outcome()

    def terminate(self, number: int = signal.SIGINT) -> None:
        """As the button in the UI does it: the wish is written down, then the process is signalled."""
        run = self.arena.instance.get_run_by_id(self.run_id)
        assert run is not None
        self.arena.instance.report_run_canceling(run)
        self.process.send_signal(number)

    def wait_for_word(self, words: str) -> None:
        """Until the executor has written something with these words."""
        wait_for(lambda: any(words in said for said in self.outcome().engine_messages()), f"{words!r} in the log")

    def family(self) -> list[psutil.Process]:
        return self.process.children(recursive=True)

    def kill(self) -> None:
        """With everything it has begun; for the end of a test."""
        for process in [*self.family(), self.process] if is_alive(self.process) else []:
            if is_alive(process):
                process.kill()


Start = Callable[..., RunWorker]
"""Takes an acting graph, the folder of its steps, what they do, and the executor's config."""


def is_alive(process: psutil.Process) -> bool:
    """What nobody has waited for yet is dead all the same."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Runners:
    """The parent's side of the process that forks run workers."""

    def __init__(self, arena: Arena, folder: Path) -> None:
        self._arena = arena
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, job: str, config: Mapping[str, Any], executor: Mapping[str, Any], **environment: str) -> RunWorker:
        token = uuid.uuid4().hex
        request = {
            "job": job,
            "config": {"execution": {"config": dict(executor)}, **config},
            "tags": {TOKEN: token},
            "environment": {**os.environ, **self._arena.environment, **environment},
            "log": str(self._folder / f"{token}.log"),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return RunWorker(self._arena, psutil.Process(int(self._process.stdout.readline())), token)

    def close(self) -> None:
        self._process.communicate(timeout=30)


def _become_run_worker(request: dict[str, Any]) -> None:
    """In the child, which leads a session of its own."""
    from dagster import DagsterInstance, execute_job
    from dagster._utils.interrupts import capture_interrupts

    from scatter_pipelines_tests.executor.graphs import job_named

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, name in ((0, os.devnull), (1, request["log"]), (2, request["log"])):
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(request["environment"])
    with capture_interrupts(), DagsterInstance.get() as instance:
        execute_job(
            job_named(request["job"]),
            instance,
            run_config=request["config"],
            tags=request["tags"],
            raise_on_error=False,
        )


def serve() -> None:
    from scatter_pipelines_tests.executor.graphs import job_named

    job_named("once_warm").get_definition()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            try:
                _become_run_worker(json.loads(line))
            finally:
                os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    serve()
