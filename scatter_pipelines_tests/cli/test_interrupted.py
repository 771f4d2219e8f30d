"""`scatter run` that is interrupted or killed: no process stays, and going on does each document once."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import counts_of, recent_tasks
from scatter_pipelines_tests.cli.shell import Shell

DOCUMENTS = 300


def _until_under_way(runtime: Runtime, process: "subprocess.Popen[str]", done: int) -> str:
    """Waits until more than `done` documents of the only task are done, and not all of them."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        for task in recent_tasks(runtime, 1):
            if done < task["counts"]["completed"] < DOCUMENTS:
                task_id: str = task["task_id"]
                return task_id
        time.sleep(0.05)
    raise AssertionError(process.communicate(timeout=10))


def _gone(processes: list[psutil.Process], within: float) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=within)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("request_to_end", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_run_that_is_interrupted_then_killed_is_finished_by_the_next(
    request_to_end: signal.Signals, shell: Shell, runtime: Runtime, texts: Callable[..., Path]
) -> None:
    folder = str(texts(DOCUMENTS))
    process = shell.start("run", folder, "--json")
    task_id = _until_under_way(runtime, process, 3)
    workers = psutil.Process(process.pid).children()
    children = psutil.Process(process.pid).children(recursive=True)
    assert workers
    process.send_signal(request_to_end)
    printed, said = process.communicate(timeout=30)
    assert process.returncode == 1
    assert _gone(workers, 0)  # waited for, not left to find out by themselves
    assert _gone(children, 1)
    assert f"`scatter run --task {task_id}` goes on, `scatter cancel {task_id}` ends the task." in said
    assert "Traceback" not in said
    found = json.loads(printed)
    assert (found["task_id"], found["status"], found["counts"]["extracting"]) == (task_id, "processing", 0)

    process = shell.start("run", folder)
    _until_under_way(runtime, process, counts_of(runtime, task_id).completed + 3)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate(timeout=10)
    assert children
    assert _gone(children, 3)

    assert shell.json("run", "--task", task_id)["counts"]["completed"] == DOCUMENTS
    attempts = shell.lines("results", task_id, "--attempts")
    completed = [attempt["filename"] for attempt in attempts if attempt["outcome"] == "completed"]
    assert len(completed) == len(set(completed)) == DOCUMENTS
