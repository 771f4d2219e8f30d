"""The one door from the shell to Dagster: work on a task in processes of our own, tell of closings, start the UI.

`python -m scatter_pipelines.launch TASK PARENT` is one such process: it works through the task's free shards, one
Dagster run each, until none is left. It ends with the process that started it.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NoReturn

from dagster import DagsterInstance, execute_job
from dagster._core.definitions.reconstruct import ReconstructableRepository

from scatter_pipelines.defs.announce import announce, export_closings, register_task
from scatter_pipelines.defs.runs import TASK_TAG, DagsterRuns
from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import Counts, Task
from scatter_pipelines.store import reading
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.dispatch import free_shards
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime, open_runtime, process_name
from scatter_pipelines.work.status import counts_of, open_holds
from scatter_pipelines.work.sweep import Sweep, sweep

POLL_SECONDS = 0.25
TICK_SECONDS = 1.0
SWEEP_SECONDS = 60.0
CRASHES_ALLOWED = 3
START_SECONDS = 15.0
PROJECT = Path(__file__).resolve().parent.parent

Progress = Callable[[Counts], None]


def dagster_home() -> Path:
    """The folder with `dagster.yaml`: DAGSTER_HOME, the current folder, or the project itself."""
    named = os.environ.get("DAGSTER_HOME")
    for folder in [Path(named)] if named else [Path.cwd(), PROJECT]:
        if (folder / "dagster.yaml").is_file():
            return folder.absolute()
    raise UsageError(
        "settings_invalid",
        f"There is no dagster.yaml in {named or Path.cwd()}: work in the project's folder or set DAGSTER_HOME to it.",
    )


def environment(runtime: Runtime) -> dict[str, str]:
    """What a child process needs to find the same instance and the same home."""
    return {
        **os.environ,
        "DAGSTER_HOME": str(dagster_home()),
        "SCATTER_HOME": str(runtime.settings.home_path()),
    }


@contextmanager
def open_instance(runtime: Runtime) -> Iterator[DagsterInstance]:
    """The Dagster instance of this project."""
    os.environ.update(environment(runtime))
    with DagsterInstance.get() as instance:
        yield instance


def announce_closings(runtime: Runtime) -> int:
    """Records in Dagster what was closed, and writes its exports; how many tasks."""
    with open_instance(runtime) as instance:
        announced = announce(runtime, instance)
        for event in export_closings(runtime, announced):
            instance.report_runless_asset_event(event)
        return len(announced)


def sweep_with_dagster(runtime: Runtime) -> Sweep:
    """One sweep that also reports dead runs failed."""
    with open_instance(runtime) as instance:
        return sweep(runtime, DagsterRuns(instance))


@dataclass
class Crew:
    """The processes that work on one task for `scatter run`."""

    runtime: Runtime
    task: Task
    size: int
    log_path: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    started: dict[int, float] = field(default_factory=dict)
    crashes: int = 0
    last_status: int = 0

    def fill(self) -> None:
        """Starts a process for each shard with due work that nobody is at, up to the crew's size."""
        self._collect()
        free = len(free_shards(self.runtime, self.task.id))
        for _ in range(min(self.size - len(self.processes), free - self._starting())):
            self.processes.append(self._start())

    def _starting(self) -> int:
        """Processes that have not had the time to take a shard yet."""
        now = time.monotonic()
        return sum(1 for process in self.processes if now - self.started[process.pid] < START_SECONDS)

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log_path.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "scatter_pipelines.launch", self.task.id, str(os.getpid())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(self.runtime), start_new_session=True,
            )  # fmt: skip
        self.started[process.pid] = time.monotonic()
        return process

    def _collect(self) -> None:
        for process in [process for process in self.processes if process.poll() is not None]:
            self.processes.remove(process)
            if process.returncode != 0:
                self.crashes += 1
                self.last_status = process.returncode

    def end_lost(self) -> None:
        """Ends processes whose claims were swept: stopped or hung, they would hold their place for ever."""
        names = {process_name(process.pid): process for process in self.processes}
        lost = self.runtime.database.run(partial(reading.lost_holders, task_id=self.task.id, names=list(names)))
        for name in lost:
            names[name].kill()

    def wait(self) -> None:
        """Lets the processes write their runs' ends, which they do by themselves once the task is closed."""
        deadline = time.monotonic() + self.runtime.settings.hang_seconds
        while any(process.poll() is None for process in self.processes) and time.monotonic() < deadline:
            time.sleep(0.05)

    def stop(self) -> None:
        """Asks the processes to end, and ends them if they do not within a grace time."""
        for process in self.processes:
            process.terminate()
        deadline = time.monotonic() + self.runtime.settings.hang_seconds
        for process in self.processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def run_task(
    runtime: Runtime, task: Task, processes: int, progress: Progress, say: Callable[[str], None] = lambda message: None
) -> None:
    """Works on the task here until it is closed, and tells of the closing. Ticks sweep and aggregate meanwhile.

    `say` is told what a person should know before the end.
    """
    crew = Crew(runtime, task, processes, _log_path(runtime, task.id))
    with ExitStack() as stack:
        stack.callback(crew.stop)
        _until_closed(runtime, crew, progress, say)
        crew.wait()
    announce_closings(runtime)


def _until_closed(runtime: Runtime, crew: Crew, progress: Progress, say: Callable[[str], None]) -> None:
    next_tick = next_sweep = 0.0
    before = -1
    while True:
        counts = counts_of(runtime, crew.task.id)
        progress(counts)
        if time.monotonic() >= next_tick or not counts.open:
            next_tick = time.monotonic() + TICK_SECONDS
            aggregate(runtime, crew.task.id)
            if find_task(runtime, crew.task.id).status != "processing":
                return
            begun = _attempts_begun(runtime, crew.task.id)
            before, crew.crashes = begun, 0 if begun != before else crew.crashes
            _refuse_hold(runtime, crew)
            crew.end_lost()
            crew.fill()
            _refuse_crashes(crew)
        if time.monotonic() >= next_sweep:
            next_sweep = time.monotonic() + SWEEP_SECONDS
            _sweep(runtime, crew, say)
        time.sleep(POLL_SECONDS)


def _attempts_begun(runtime: Runtime, task_id: str) -> int:
    """Grows with every claim: a crew that begins documents gets on, even where each of them ends its process."""
    return runtime.database.run(partial(reading.attempts_begun, task_id=task_id))


def _sweep(runtime: Runtime, crew: Crew, say: Callable[[str], None]) -> None:
    if crew.task.id in sweep_with_dagster(runtime).stalled:
        say(f"Task {crew.task.id} does not get on. The log of its processes is {crew.log_path}.")


def _refuse_hold(runtime: Runtime, crew: Crew) -> None:
    reasons = open_holds(runtime, crew.task.id)
    if reasons and not crew.processes:
        raise UsageError(
            "task_state", f"Task {crew.task.id} is on hold: {'; '.join(reasons)}. `scatter resume` releases it."
        )


def _refuse_crashes(crew: Crew) -> None:
    if crew.crashes > CRASHES_ALLOWED:
        raise UsageError(
            "workers_failing",
            f"The processes that work on task {crew.task.id} end (status {crew.last_status}) before they begin a "
            f"document. Their log is {crew.log_path}.",
        )


def _log_path(runtime: Runtime, task_id: str) -> Path:
    folder = runtime.settings.home_path() / "logs"
    folder.mkdir(exist_ok=True)
    return folder / f"run-{task_id}.log"


def work_through(task_id: str) -> None:
    """Runs `extract_documents` on the task's free shards, one after the other, until none is free."""
    job = ReconstructableRepository.for_module("scatter_pipelines.definitions", "defs", None).get_reconstructable_job(
        "extract_documents"
    )
    with open_runtime() as runtime, open_instance(runtime) as instance:
        register_task(instance, task_id)
        while free_shards(runtime, task_id):
            before = _attempts_begun(runtime, task_id)
            result = execute_job(
                job, instance=instance, run_config={"task_id": task_id}, tags={TASK_TAG: task_id}, raise_on_error=False
            )
            if not result.success and _attempts_begun(runtime, task_id) == before:
                sys.exit(f"The run {result.run_id} could not begin a document.")


def end_with_parent(parent: int) -> None:
    """Ends this process soon after the one that started it, however that one ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, name="scatter-parent-watch", daemon=True).start()


def check_port(host: str, port: int) -> None:
    """Raises UsageError `port_in_use` where nothing could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UsageError("port_in_use", f"Nothing can listen on {host}:{port}: {error.strerror}.") from error


def become_ui(runtime: Runtime, host: str, port: int) -> NoReturn:
    """Turns this process into Dagster's web server and daemon, which end with it."""
    check_port(host, port)
    home = dagster_home()
    # A shell's background job inherits an ignored SIGINT, and Dagster would ignore SIGTERM with it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = [sys.executable, "-m", "dagster", "dev", "-h", host, "-p", str(port), "-w", str(home / "workspace.yaml")]
    os.chdir(home)
    # Dagster's own notices about its commands and parameters are of no use here.
    os.execve(sys.executable, command, {"PYTHONWARNINGS": "ignore", **environment(runtime)})


if __name__ == "__main__":
    end_with_parent(int(sys.argv[2]))
    work_through(sys.argv[1])
