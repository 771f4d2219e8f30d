"""The parsing service with warm workers: its slots over all processes, its death, and a stop while it hangs."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts, recent_tasks, result_rows
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.grobid.running import StandIn
from scatter_pipelines_tests.store.rows import until


class Run:
    """`scatter run` on warm workers, in a process of its own."""

    def __init__(self, environment: dict[str, str], grobid: StandIn, source: Path, **more: str) -> None:
        chosen = {"SCATTER_PARSING_SERVICE": "grobid", "SCATTER_GROBID_URL": grobid.url, "SCATTER_WORKERS": "3"}
        command = [sys.executable, "-m", "scatter_pipelines.cli.main", "run", str(source), "--json"]
        self._process = subprocess.Popen(
            command, env=environment | chosen | more, cwd=PROJECT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._timer = threading.Timer(120, self._process.kill)
        self._timer.start()

    def end(self) -> int:
        self._process.communicate()
        self._timer.cancel()
        return self._process.returncode


def only_task(runtime: Runtime) -> str:
    (task,) = recent_tasks(runtime, 10)
    return str(task["task_id"])


def test_never_more_calls_at_once_than_slots_over_all_workers(
    runtime: Runtime, environment: dict[str, str], grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("tei:0.5")
    assert Run(environment, grobid, folder(6), SCATTER_PARSE_SLOTS="2").end() == 0
    seen = grobid.seen()
    assert (sum(seen["calls"].values()), seen["most"]) == (6, 2)
    messages = [attempt["message"] for attempt in attempts(runtime, only_task(runtime))]
    assert len(messages) == 6 and all("+ grobid 0.8.2" in message for message in messages)


def test_a_service_that_dies_in_the_middle_of_a_task_costs_no_document(
    runtime: Runtime, environment: dict[str, str], grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("tei:1")
    run = Run(environment, grobid, folder(6))
    until(lambda: grobid.calls() > 2, "some documents to be through", seconds=60)
    grobid.kill()
    assert run.end() == 0
    messages = [attempt["message"] for attempt in attempts(runtime, only_task(runtime))]
    helped = ["+ grobid" in message for message in messages]
    assert True in helped and False in helped
    assert all("+ grobid" in message or "alone, without grobid" in message for message in messages)


def test_a_cancelled_task_ends_although_the_service_hangs(
    runtime: Runtime, environment: dict[str, str], grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("hang")
    run = Run(environment, grobid, folder(2), SCATTER_GROBID_SECONDS="300")
    until(lambda: grobid.calls() == 2, "the calls to be under way", seconds=60)
    operate.cancel(runtime, only_task(runtime))
    run.end()
    assert {row["status"] for row in result_rows(runtime, only_task(runtime))} == {"cancelled"}
    assert grobid.seen()["now"] == 2, "nobody waited for the service"
