"""Crashes under `scatter run`: a poison document is given up after three losses, a run that dies is made up for."""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.store.rows import sql, until


def test_documents_that_kill_every_worker_end_after_three_losses(
    scatter: Callable[..., "subprocess.CompletedProcess[str]"], runtime: Runtime, texts: Callable[..., Path]
) -> None:
    done = scatter("run", str(texts(3)), "--shard-size", "1", "--json", SCATTER_CRASH_POINT="claimed", timeout=200)
    assert done.returncode == 1, done.stderr
    printed = json.loads(done.stdout)
    assert printed["status"] == "failed"
    assert {error["code"] for error in printed["errors"]} == {"worker_crashed"}
    assert [row["outcome"] for row in attempts(runtime, printed["task_id"])] == ["lost"] * 9


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_run_that_is_killed_or_stopped_costs_no_document(
    environment: dict[str, str], runtime: Runtime, texts: Callable[..., Path], number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "scatter_pipelines.cli.main", "run", str(texts(120)), "--json"]
    with subprocess.Popen(command, env=environment, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as shell:
        until(lambda: _completed(runtime) >= 10, "some documents", 60)
        (nursery,) = psutil.Process(shell.pid).children()
        run = nursery.children()[0]
        run.send_signal(number)
        assert _completed(runtime) < 120, "the signal came too late to prove anything"
        output, _ = shell.communicate(timeout=120)
    printed = json.loads(output)
    assert (shell.returncode, printed["counts"]["completed"]) == (0, 120)
    until(lambda: not run.is_running(), "the run's process to be gone")
    outcomes = Counter(row["outcome"] for row in attempts(runtime, printed["task_id"]))
    assert outcomes["completed"] == 120, "each document was done once"


def _completed(runtime: Runtime) -> int:
    (row,) = sql(runtime, "SELECT count(*) FILTER (WHERE status = 'completed') AS n FROM scatter.extraction_result")
    return int(row.n)
