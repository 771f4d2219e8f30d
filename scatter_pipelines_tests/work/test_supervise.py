"""Supervision of real work: what lost its claim or hangs is stopped, and crashes leave rows that can be trusted."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from scatter_pipelines.settings import Settings
from scatter_pipelines.store.database import Database
from scatter_pipelines.work import extraction as module
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.progress import StopWork
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.supervise import Supervisor
from scatter_pipelines_tests.store.rows import (
    age,
    attempts_of,
    beat_of,
    claim,
    ids_of,
    make_task,
    row_of,
    sql,
    until,
)
from scatter_pipelines_tests.work.server import Answers, serving
from scatter_pipelines_tests.work.workers import HOLDER, process, submitted, working

Texts = Callable[..., Path]

CHILD = """
import sys
from scatter_pipelines.work.runtime import open_runtime
from scatter_pipelines_tests.work.workers import process
with open_runtime() as runtime:
    print(process(runtime, sys.argv[1], int(sys.argv[2]))[0].kind)
"""


def _child(
    environment: dict[str, str], task_id: str, result_id: int, **more: str
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", CHILD, task_id, str(result_id)]
    return subprocess.run(command, env=environment | more, capture_output=True, text=True, timeout=60, check=False)


def test_a_crash_after_the_save_leaves_a_completed_row_that_is_not_done_again(
    runtime: Runtime, texts: Texts, environment: dict[str, str]
) -> None:
    task_id = submitted(runtime, texts(1))
    (result_id,) = ids_of(runtime, task_id)
    crashed = _child(environment, task_id, result_id, SCATTER_CRASH_POINT="after_save")
    assert crashed.returncode == -signal.SIGKILL
    before = row_of(runtime, result_id)
    assert before.status == "completed"
    sql(runtime, "DELETE FROM scatter.shard_lease")
    again = _child(environment, task_id, result_id)
    assert again.stdout == "completed\n", again.stderr
    assert row_of(runtime, result_id) == before
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["completed"]


@pytest.mark.parametrize("point", ["claimed", "before_save"])
def test_a_crash_before_the_save_leaves_a_row_that_the_sweep_gives_back(
    runtime: Runtime, texts: Texts, environment: dict[str, str], point: str
) -> None:
    task_id = submitted(runtime, texts(1))
    (result_id,) = ids_of(runtime, task_id)
    crashed = _child(environment, task_id, result_id, SCATTER_CRASH_POINT=point)
    assert crashed.returncode == -signal.SIGKILL
    assert row_of(runtime, result_id).status == "extracting"
    age(runtime, result_id, beat_at=100)
    assert [swept.code for swept in sweep_claims(runtime)] == ["worker_crashed"]
    sql(runtime, "DELETE FROM scatter.shard_lease")
    assert process(runtime, task_id, result_id)[0].kind == "completed"
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["lost", "completed"]
    assert (row_of(runtime, result_id).losses, runtime.slots.used()["document"]) == (1, 0)


def test_a_dribbling_download_is_left_when_its_task_is_cancelled(runtime: Runtime) -> None:
    answers = Answers()
    answers.dribble = True
    with serving(answers) as url:
        task_id = submitted(runtime, url)
        (result_id,) = ids_of(runtime, task_id)

        def cancel_when_reading() -> None:
            until(lambda: (found := beat_of(runtime, result_id)) and found.stage == 1, "the download began")
            operate.cancel(runtime, task_id)

        canceller = threading.Thread(target=cancel_when_reading)
        canceller.start()
        (outcome,) = process(runtime, task_id, result_id)
        canceller.join()
        assert outcome.kind == "skipped"
        assert answers.left.wait(timeout=20), "the connection was closed"
    assert row_of(runtime, result_id).status == "cancelled"
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["cancelled"]


def _hang(released: threading.Event) -> Callable[..., None]:
    def hang(*_arguments: object, **_values: object) -> None:
        assert released.wait(timeout=30)
        raise RuntimeError("the process goes on in this test alone")

    return hang


def test_work_that_hangs_over_its_limit_is_ended_with_its_process(
    settings: Settings, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, messages = threading.Event(), []

    def end_process(message: str) -> None:
        messages.append(message)
        ended.set()

    monkeypatch.setattr(module, "parse_document", _hang(ended))
    quick = settings.model_copy(update={"parse_seconds": 0.2, "parse_page_seconds": 0.1, "hang_seconds": 0.2})
    with open_runtime(quick) as runtime:
        task_id = submitted(runtime, texts(1))
        (result_id,) = ids_of(runtime, task_id)
        with working(runtime, task_id, end_process=end_process) as worker:
            assert worker.process(result_id, HOLDER).kind == "skipped"
        row = row_of(runtime, result_id)
        assert (row.status, row.limit_hits, row.tries, row.losses) == ("pending", 1, 0, 0)
        assert [(a.outcome, a.code) for a in attempts_of(runtime, result_id)] == [("limit", "parse_timeout")]
    assert "does not stop" in messages[0]


def test_hung_work_is_ended_with_its_process_although_the_database_refuses(
    settings: Settings, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(module, "parse_document", _hang(ended))
    monkeypatch.setattr("scatter_pipelines.store.results.hit_limit", _refuse)
    quick = settings.model_copy(update={"parse_seconds": 0.2, "parse_page_seconds": 0.1, "hang_seconds": 0.2})
    with open_runtime(quick) as runtime:
        task_id = submitted(runtime, texts(1))
        (result_id,) = ids_of(runtime, task_id)
        with working(runtime, task_id, end_process=lambda _message: ended.set()) as worker:
            worker.process(result_id, HOLDER)
    assert ended.is_set()


def _refuse(*_arguments: object) -> None:
    raise ConnectionError("the database is away")


def test_work_that_comes_to_a_seam_ends_by_itself_and_the_process_lives(
    settings: Settings, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_content: bytes, *, progress: Callable[[int, int], None], **_more: object) -> None:
        until(lambda: progress(0, 1), "the limit stops this")

    monkeypatch.setattr(module, "parse_document", slow)
    ended: list[str] = []
    quick = settings.model_copy(update={"parse_seconds": 0.2, "parse_page_seconds": 0.1})
    with open_runtime(quick) as runtime:
        task_id = submitted(runtime, texts(1))
        with working(runtime, task_id, end_process=ended.append) as worker:
            outcomes = [worker.process(i, HOLDER) for i in ids_of(runtime, task_id) * 2]
    assert [(o.kind, o.code) for o in outcomes] == [("retry", "parse_timeout"), ("error", "parse_timeout")]
    assert ended == []


def test_a_supervisor_that_cannot_write_stops_its_work_before_others_take_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_runtime(settings) as runtime:
        claimed = claim(runtime, ids_of(runtime, make_task(runtime))[0])
        cut_off = Database(settings)
        monkeypatch.setattr(cut_off, "run", _refuse_all)
        with Supervisor(cut_off, "run-1") as supervisor, supervisor.watch(claimed) as watched:
            until(lambda: watched.stop is not None, "the supervisor gives up")
            assert sweep_claims(runtime) == [], "and nobody else had taken it by then"
            with pytest.raises(StopWork) as stopped:
                watched.check()
    assert stopped.value.kind == "lost"


def _refuse_all(*_arguments: object, **_values: object) -> None:
    raise ConnectionError("cut off")


def test_a_supervisor_survives_a_fault_that_passes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_runtime(settings) as runtime:
        (result_id,) = ids_of(runtime, make_task(runtime))
        claimed = claim(runtime, result_id)
        with Supervisor(runtime.database, "run-1") as supervisor, supervisor.watch(claimed) as watched:
            with monkeypatch.context() as broken:
                failed = threading.Event()
                broken.setattr(supervisor, "_beat", lambda: failed.set() or _refuse_all())
                assert failed.wait(timeout=10)
            before = beat_of(runtime, result_id).beat_at
            until(lambda: beat_of(runtime, result_id).beat_at > before, "it beats again")
            assert watched.stop is None


def test_a_run_that_lost_its_shard_starts_no_more_documents(runtime: Runtime, texts: Texts) -> None:
    task_id = submitted(runtime, texts(2))
    first, second = ids_of(runtime, task_id)
    with working(runtime, task_id) as worker:
        assert worker.process(first, HOLDER).kind == "completed"
        sql(runtime, "UPDATE scatter.shard_lease SET run_id = 'run-2'")
        until(lambda: worker.supervisor.lost_lease(task_id, 0), "the next beat tells")
        assert worker.process(second, HOLDER).kind == "skipped"
    assert row_of(runtime, second).attempt == 0


def test_who_waits_for_a_slot_holds_no_claim_and_leaves_when_the_shard_is_lost(
    settings: Settings, texts: Texts
) -> None:
    with open_runtime(settings.model_copy(update={"document_slots": 1})) as runtime:
        task_id = submitted(runtime, texts(1))
        (result_id,) = ids_of(runtime, task_id)
        with open_runtime(runtime.settings) as other, other.slots.hold("document"), working(runtime, task_id) as worker:
            sql(other, "UPDATE scatter.shard_lease SET run_id = 'run-2'")
            outcome = worker.process(result_id, HOLDER)
        assert (outcome.kind, row_of(runtime, result_id).attempt) == ("skipped", 0)


def test_a_beat_waits_for_nobody_elses_row(runtime: Runtime) -> None:
    """A long transaction on the result row, as an operator's cancel is, does not stop the proof of life."""
    (result_id,) = ids_of(runtime, make_task(runtime))
    claimed = claim(runtime, result_id)
    with open_runtime(runtime.settings) as other, other.database.transaction() as connection:
        connection.exec_driver_sql("SELECT * FROM scatter.extraction_result FOR UPDATE")
        with Supervisor(runtime.database, "run-1") as supervisor, supervisor.watch(claimed):
            before = beat_of(runtime, result_id).beat_at
            until(lambda: beat_of(runtime, result_id).beat_at > before, "a beat")
