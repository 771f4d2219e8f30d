"""Documents that crash, stop, hang or fill the memory of their worker: each ends by its own code, and alone."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from dagster import DagsterEventType, DagsterInstance

from scatter_pipelines.defs.runs import FAILED_TAG
from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts, counts_of
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.store.rows import sql, until

RUN = [sys.executable, "-m", "scatter_pipelines_tests.e2e.unruly"]
LIMITS = {"SCATTER_PARSE_SECONDS": "1.5", "SCATTER_PARSE_PAGE_SECONDS": "0.1"}


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    def make(*mischief: str, good: int = 0) -> Path:
        home = tmp_path / "documents"
        home.mkdir()
        for number, kind in enumerate(mischief):
            (home / f"{number}-{kind.lower()}.txt").write_text(kind)
        for number in range(good):
            (home / f"good-{number}.txt").write_text(f"Number {number}: we enrolled 12 patients.")
        return home

    return make


def _rows(runtime: Runtime) -> dict[str, Any]:
    return {row.filename: row for row in sql(runtime, "SELECT * FROM scatter.extraction_result")}


@pytest.fixture
def run(environment: dict[str, str]) -> Callable[..., str]:
    """Runs the job on a folder; gives the run's id, and sees that no process is left over."""

    def execute(folder: Path, **more: str) -> str:
        with subprocess.Popen(
            [*RUN, str(folder)], env=environment | LIMITS | more, cwd=PROJECT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        ) as process:  # fmt: skip
            output, errors = process.communicate(timeout=200)
        assert output, errors
        left = [one.pid for one in psutil.process_iter(["cmdline"]) if str(folder) in (one.info["cmdline"] or [])]
        assert not left
        return output.split()[-1]

    return execute


def _history(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, run_id: str) -> Iterator[tuple[str, str]]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with DagsterInstance.get() as instance:
        for entry in instance.all_logs(run_id):
            if entry.dagster_event is not None and entry.dagster_event.step_key:
                yield entry.dagster_event.step_key, entry.dagster_event.event_type_value


def test_each_ends_by_its_own_code_and_nobody_else_notices(
    run: Callable[..., str], folder: Callable[..., Path], runtime: Runtime,
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    codes = {
        "KILL": "worker_crashed", "SEGV": "worker_crashed", "STOP": "parse_timeout", "LOCK": "parse_timeout",
        "HANG": "parse_timeout", "FILL": "memory_limit",
    }  # fmt: skip
    run_id = run(folder(*codes, good=12), SCATTER_WORKER_MEMORY=str(400 * 1024**2))
    rows = _rows(runtime)
    bad = {row.filename.split("-")[1].split(".")[0].upper(): row.error_code for row in rows.values() if row.error_code}
    assert bad == codes
    good = [row for name, row in rows.items() if name.startswith("good")]
    assert [(row.status, row.attempt) for row in good] == [("completed", 1)] * 12
    assert (rows["0-kill.txt"].losses, rows["0-kill.txt"].attempt) == (3, 3)
    assert "SIGSEGV" in rows["1-segv.txt"].error_message
    steps: dict[str, list[str]] = {}
    for key, kind in _history(environment, monkeypatch, run_id):
        steps.setdefault(key, []).append(kind)
    (killed,) = [kinds for key, kinds in steps.items() if "kill" in key]
    assert killed.count(DagsterEventType.STEP_UP_FOR_RETRY.value) == 3
    assert killed.count(DagsterEventType.STEP_START.value) + killed.count(DagsterEventType.STEP_RESTARTED.value) >= 3
    with DagsterInstance.get() as instance:
        assert instance.get_run_by_id(run_id).tags[FAILED_TAG] == "6"
    assert killed[-1] == DagsterEventType.STEP_SUCCESS.value, "the outcome is told by a step that ends"


def test_the_last_try_of_a_suspect_has_nothing_beside_it(
    run: Callable[..., str], folder: Callable[..., Path], runtime: Runtime
) -> None:
    run(folder("KILL", "KILL", good=60), SCATTER_WORKERS="3")
    (task_id,) = [row.id for row in sql(runtime, "SELECT id FROM scatter.extraction_task")]
    spans = [(row["filename"], row["attempt"], *_span(row)) for row in attempts(runtime, task_id)]
    last = [(name, begun, ended) for name, attempt, begun, ended in spans if "kill" in name and attempt == 3]
    assert len(last) == 2
    for suspect, start, end in last:
        assert [name for name, _, begun, ended in spans if begun < end and ended > start] == [suspect]


def _span(row: dict[str, Any]) -> tuple[datetime, datetime]:
    """When an attempt was in flight. One that kills its worker ends 0.4 s after its begin and is noted a bit later."""
    begun, noted = (datetime.fromisoformat(row[name]) for name in ("started_at", "ended_at"))
    return begun, min(noted, begun + timedelta(seconds=0.35)) if row["outcome"] == "lost" else noted


def test_limits_hold_while_the_event_log_cannot_be_written(
    folder: Callable[..., Path], runtime: Runtime, environment: dict[str, str]
) -> None:
    command = [*RUN, str(folder("LOCK", "HANG"))]
    with subprocess.Popen(command, env=environment | LIMITS, cwd=PROJECT, stdout=subprocess.DEVNULL) as process:
        until(lambda: len(list(sql(runtime, "SELECT FROM scatter.claim_beat WHERE stage = 2"))) == 2, "both hang", 60)
        workers = [row.host.rpartition(":")[2] for row in _rows(runtime).values()]
        with runtime.database.transaction() as transaction:
            transaction.exec_driver_sql("LOCK TABLE public.event_logs IN ACCESS EXCLUSIVE MODE")
            until(lambda: not any(map(_is_at_work, workers)), "both are killed", 14)
        process.wait(timeout=60)
    assert {row.error_code for row in _rows(runtime).values()} == {"parse_timeout"}


def _is_at_work(pid: str) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE)
    return False


def test_a_cancelled_document_that_hangs_in_c_code_is_stopped(
    folder: Callable[..., Path], runtime: Runtime, environment: dict[str, str]
) -> None:
    home = folder("HANG", "LOCK")
    with subprocess.Popen([*RUN, str(home)], env=environment, cwd=PROJECT, stdout=subprocess.DEVNULL) as process:
        until(lambda: len(list(sql(runtime, "SELECT FROM scatter.claim_beat WHERE stage = 2"))) == 2, "both hang", 60)
        (task_id,) = [row.id for row in sql(runtime, "SELECT id FROM scatter.extraction_task")]
        operate.cancel(runtime, task_id)
        process.wait(timeout=60)
    assert counts_of(runtime, task_id).cancelled == 2
