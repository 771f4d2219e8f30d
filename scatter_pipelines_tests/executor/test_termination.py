"""The end of the run worker, asked for or not, is the end of everything it has begun."""

import os
import signal
from pathlib import Path

import psutil
import pytest

from scatter_pipelines_tests.executor.place import wait_for
from scatter_pipelines_tests.executor.runner import RunWorker, Start, is_alive

pytestmark = [pytest.mark.xdist_group("executor_termination"), pytest.mark.timeout(90)]

HOLDING = {"a": "hold:go", "b": "hold:go", "c": "ok", "d": "ok"}


def until_holding(folder: Path, *keys: str) -> None:
    wait_for(lambda: all((folder / f"holding-{key}").exists() for key in keys), f"{keys} to be at work")


def gone(processes: list[psutil.Process], seconds: float) -> None:
    wait_for(lambda: not any(map(is_alive, processes)), f"{processes} to be gone", seconds)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_in_flight_may_finish_and_nothing_else_begins(start: Start, tmp_path: Path, number: int) -> None:
    worker = start("once", tmp_path, HOLDING, max_concurrent=2, grace_seconds=30)
    until_holding(tmp_path, "a", "b")
    worker.terminate(number)
    worker.wait_for_word("terminated")
    (tmp_path / "go").touch()
    run = worker.wait()
    assert run.status == "CANCELED"
    assert run.kinds_of("do[a]") == run.kinds_of("do[b]") == ["STEP_START", "STEP_SUCCESS"]
    for step in ("after[a]", "after[b]", "do[c]", "do[d]"):
        assert run.kinds_of(step) == []


def test_a_signal_to_all_processes_of_a_shell_is_heard_by_the_run_worker_alone(start: Start, tmp_path: Path) -> None:
    worker = start("once", tmp_path, HOLDING, max_concurrent=2, grace_seconds=30)
    until_holding(tmp_path, "a", "b")
    os.killpg(worker.process.pid, signal.SIGINT)
    worker.wait_for_word("terminated")
    (tmp_path / "go").touch()
    run = worker.wait()
    assert run.kinds_of("do[a]") == run.kinds_of("do[b]") == ["STEP_START", "STEP_SUCCESS"]
    assert run.status == "FAILURE", "nobody has asked for a cancellation"


def test_what_does_not_finish_within_the_grace_time_is_killed(start: Start, tmp_path: Path) -> None:
    steps = {"a": "fork_and_hang", "b": "hold:never"}
    worker = start("again", tmp_path, steps, max_concurrent=2, grace_seconds=0.5)
    until_holding(tmp_path, "a", "b")
    family = worker.family()
    worker.terminate()
    run = worker.wait(15)
    assert run.status == "CANCELED"
    for key in steps:
        assert run.kinds_of(f"do_again[{key}]") == ["STEP_START", "STEP_FAILURE"], "not tried again"
    gone(family, 2)


def test_a_second_signal_ends_the_grace_time(start: Start, tmp_path: Path) -> None:
    worker = start("once", tmp_path, {"a": "fork_and_hang"}, max_concurrent=1, grace_seconds=600)
    until_holding(tmp_path, "a")
    family = worker.family()
    worker.terminate()
    worker.wait_for_word("terminated")
    worker.process.send_signal(signal.SIGTERM)
    run = worker.wait(15)
    assert run.status == "CANCELED"
    assert run.kinds_of("do[a]") == ["STEP_START", "STEP_FAILURE"]
    gone(family, 2)


def test_a_stopped_worker_does_not_hold_up_a_termination(start: Start, tmp_path: Path) -> None:
    worker = start("once", tmp_path, {"a": "stop"}, max_concurrent=1, grace_seconds=0.5)
    until_stopped(worker, 1)
    worker.terminate()
    assert worker.wait(15).status == "CANCELED"


def until_stopped(worker: RunWorker, count: int) -> list[psutil.Process]:
    def stopped() -> list[psutil.Process]:
        found = [process for process in worker.family() if process.status() == psutil.STATUS_STOPPED]
        return found if len(found) >= count else []

    return list(wait_for(stopped, f"{count} stopped workers"))


def test_a_run_that_waits_for_a_retry_ends_at_once(start: Start, tmp_path: Path) -> None:
    worker = start("once", tmp_path, {"a": "retry_in:600"}, max_concurrent=1, grace_seconds=600)
    wait_for(lambda: worker.outcome().kinds_of("do[a]")[-1:] == ["STEP_UP_FOR_RETRY"], "the retry to be asked for")
    worker.terminate()
    assert worker.wait(15).status == "CANCELED"


def test_when_the_run_worker_is_killed_nobody_is_left_after_two_seconds(start: Start, tmp_path: Path) -> None:
    steps = {"hanging": "fork_and_hang", "held": "hold:never", "stopped": "stop"}
    worker = start("once", tmp_path, steps, max_concurrent=3)
    until_holding(tmp_path, "hanging", "held")
    until_stopped(worker, 1)
    family = worker.family()
    assert len(family) >= 5, "the nursery, three workers and a child of one"
    worker.process.kill()
    gone([*family, worker.process], 2)


def test_when_the_nursery_is_killed_the_run_fails_and_nobody_is_left(start: Start, tmp_path: Path) -> None:
    worker = start("once", tmp_path, {"held": "fork_and_hang", "other": "hold:never"}, max_concurrent=2)
    until_holding(tmp_path, "held", "other")
    family = worker.family()
    assert len(family) >= 4, "the nursery, two workers and a child of one"
    (nursery,) = worker.process.children()
    nursery.kill()
    run = worker.wait(15)
    assert run.status == "FAILURE"
    for key in ("held", "other"):
        assert run.kinds_of(f"do[{key}]") == ["STEP_START", "STEP_FAILURE"], "what began has an end"
    gone(family, 2)
