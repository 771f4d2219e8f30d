"""The run worker's supervision of documents, on real rows: what must be killed, and what a lost worker means."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import pytest

from scatter_pipelines.defs.oversee import document_loss
from scatter_pipelines.executor.hooks import Loss, make_boards
from scatter_pipelines.model.result import Claim, Holder
from scatter_pipelines.model.states import STAGES
from scatter_pipelines.settings import Settings
from scatter_pipelines.store.database import WORKER_ROLE
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.oversee import BoardWatched, DocumentLoss, Overseer
from scatter_pipelines.work.progress import Board, Progress, StopWork
from scatter_pipelines.work.runtime import Runtime, process_name
from scatter_pipelines_tests.store.rows import attempts_of, claim, ids_of, make_task, row_of, sql, until

PID = 4242
STEP = "extract_document[a_1]"

Start = Callable[..., tuple[Overseer, list[memoryview]]]


@pytest.fixture
def run_id() -> str:
    return str(uuid4())


@contextmanager
def overseeing(settings: Settings, run_id: str, workers: int = 2) -> Iterator[tuple[Overseer, list[memoryview]]]:
    boards = make_boards(workers)
    with Overseer(settings, run_id, boards, lambda words: None) as overseer:
        yield overseer, boards


def claimed_by(runtime: Runtime, run_id: str) -> Claim:
    (result_id,) = ids_of(runtime, make_task(runtime))
    return claim(runtime, result_id, Holder(run_id, STEP, process_name(PID)))


def lose(overseer: Overseer, result_id: int, loss: DocumentLoss) -> float | None:
    return overseer.lost(0, result_id, STEP, PID, loss)


def test_a_run_that_cannot_prove_that_it_works_stops_its_work_before_others_take_it(
    runtime: Runtime, settings: Settings, run_id: str
) -> None:
    claimed = claimed_by(runtime, run_id)
    with overseeing(settings, run_id) as (overseer, boards):
        BoardWatched(claimed, Board(boards[1]), lambda waits: None)
        assert list(overseer.to_stop()) == []
        with runtime.database.transaction() as transaction:
            transaction.exec_driver_sql("LOCK TABLE scatter.claim_beat, scatter.shard_lease IN ACCESS EXCLUSIVE MODE")
            until(lambda: list(overseer.to_stop()), "the overseer gives up", 10)
            ((number, stop),) = overseer.to_stop()
            assert (number, stop.kind) == (1, "lost")
        assert sweep_claims(runtime) == [], "and nobody else had taken it by then"


def test_a_shard_that_another_run_has_taken_is_lost_and_is_not_beaten_for_again(
    runtime: Runtime, settings: Settings, run_id: str
) -> None:
    task_id = make_task(runtime)
    take = (
        "INSERT INTO scatter.shard_lease (task_id, shard, run_id, taken_at, beat_at) VALUES (:t, 0, :run, now(), now())"
    )
    sql(runtime, take, t=task_id, run=run_id)
    with overseeing(settings, run_id) as (overseer, _boards):
        overseer.keep_lease((task_id, 0))
        before = sql(runtime, "SELECT beat_at FROM scatter.shard_lease WHERE task_id = :t", t=task_id)
        until(
            lambda: sql(runtime, "SELECT beat_at FROM scatter.shard_lease WHERE task_id = :t", t=task_id) != before,
            "the lease is beaten for",
        )
        assert overseer.lost_leases() == frozenset()
        sql(runtime, "UPDATE scatter.shard_lease SET run_id = 'another' WHERE task_id = :t", t=task_id)
        until(lambda: overseer.lost_leases() == {(task_id, 0)}, "the loss is noticed")
        overseer.keep_lease((task_id, 0))
        assert task_id not in {name for name, shards in overseer._leases.items() if shards}


def test_a_claim_that_was_taken_away_is_stopped_on_its_worker_alone(
    runtime: Runtime, settings: Settings, run_id: str
) -> None:
    kept, taken = claimed_by(runtime, run_id), claimed_by(runtime, run_id)
    with overseeing(settings, run_id) as (overseer, boards):
        for number, held in enumerate((kept, taken)):
            BoardWatched(held, Board(boards[number]), lambda waits: None)
        sql(
            runtime,
            "UPDATE scatter.extraction_result SET claim_token = gen_random_uuid() WHERE id = :i",
            i=taken.result_id,
        )
        sql(runtime, "DELETE FROM scatter.claim_beat WHERE result_id = :i", i=taken.result_id)
        stopped: list[tuple[int, StopWork]] = []
        until(lambda: stopped.extend(overseer.to_stop()) or stopped, "the claim is missed")
        assert [(number, stop.kind) for number, stop in stopped] == [(1, "lost")]


DURATIONS = {"waited", "stage_waited", "read"}


@pytest.mark.parametrize(
    ("seconds_ago", "stage", "kind"),
    [
        ({"started": 5}, "extracting", "document_timeout"),
        ({"started": 5, "waited": 4.5}, "extracting", None),
        ({"started": 3, "stage_started": 3}, "parsing", "parse_timeout"),
        ({"started": 3, "stage_started": 3}, "extracting", None),
        ({"started": 3, "stage_started": 3, "stage_waited": 2.5}, "parsing", None),
        ({"started": 3, "waiting_since": 2}, "extracting", "upstream_wait"),
        ({"started": 60, "stage_started": 59, "part_started": 2}, "ocr", "ocr_timeout"),
        ({"started": 60, "stage_started": 59, "part_started": 0.5}, "ocr", None),
        ({"started": 60, "read": 58}, "extracting", None),
        ({"started": 60, "read": 50}, "extracting", "document_timeout"),
    ],
)
def test_a_worker_past_a_limit_is_to_be_stopped(
    settings: Settings, run_id: str, seconds_ago: dict[str, float], stage: str, kind: str | None
) -> None:
    limits = {
        "document_seconds": 4,
        "parse_seconds": 1,
        "parse_page_seconds": 0.1,
        "wait_seconds": 1,
        "ocr_page_seconds": 1,
    }
    if seconds_ago.get("waited", 0) > limits["wait_seconds"]:
        limits["wait_seconds"] = 10
    with overseeing(settings.model_copy(update=limits), run_id) as (overseer, boards):
        progress = replace(Progress.begin(1, 1), stage=STAGES.index(stage))
        for name, seconds in seconds_ago.items():
            setattr(progress, name, seconds if name in DURATIONS else time.monotonic() - seconds)
        Board(boards[0]).write(progress)
        assert [(number, stop.kind) for number, stop in overseer.to_stop()] == ([(0, kind)] if kind else [])


def test_worker_after_worker_lost_before_a_claim_is_no_matter_of_the_row(
    settings: Settings, runtime: Runtime, run_id: str
) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    with overseeing(settings, run_id) as (overseer, _boards):
        losses = [lose(overseer, result_id, DocumentLoss("worker_crashed", "It died.")) for _ in range(4)]
    assert losses == [0.0, 0.0, 0.0, None]
    assert row_of(runtime, result_id).status == "pending"


def test_a_loss_that_cannot_be_written_is_left_to_the_sweep(settings: Settings, runtime: Runtime, run_id: str) -> None:
    claimed = claimed_by(runtime, run_id)
    with overseeing(settings, run_id) as (overseer, _boards):
        sql(runtime, f"REVOKE SELECT ON scatter.extraction_result FROM {WORKER_ROLE}")
        assert lose(overseer, claimed.result_id, DocumentLoss("worker_crashed", "It died.")) == settings.stale_seconds
    assert row_of(runtime, claimed.result_id).status == "extracting"


def told(kind: str) -> Loss:
    return Loss("told", PID, "it was told", StopWork(kind, "Enough."))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("loss", "code", "counts"),
    [
        (Loss("interrupted", PID, "the run was terminated"), None, {"losses": 0, "limit_hits": 0}),
        (told("lost"), None, {"losses": 0, "limit_hits": 0}),
        (Loss("died", PID, "signal SIGSEGV"), "worker_crashed", {"losses": 1, "limit_hits": 0}),
        (Loss("stopped", PID, "it was stopped"), "worker_crashed", {"losses": 1, "limit_hits": 0}),
        (Loss("memory_limit", PID, "it used much"), "memory_limit", {"losses": 0, "limit_hits": 1}),
        (Loss("step_timeout", PID, "it took long"), "document_timeout", {"losses": 0, "limit_hits": 1}),
        (told("parse_timeout"), "parse_timeout", {"losses": 0, "limit_hits": 1}),
        (told("ocr_timeout"), "ocr_timeout", {"losses": 0, "limit_hits": 1}),
        (told("document_timeout"), "document_timeout", {"losses": 0, "limit_hits": 1}),
        (told("upstream_wait"), "upstream_wait", {"losses": 0, "limit_hits": 0, "waits": 1}),
    ],
    ids=lambda value: f"{value.kind}-{value.stop.kind if value.stop else ''}" if isinstance(value, Loss) else "",
)
def test_the_row_says_what_became_of_its_worker(
    settings: Settings, runtime: Runtime, run_id: str, loss: Loss, code: str | None, counts: dict[str, int]
) -> None:
    claimed = claimed_by(runtime, run_id)
    with overseeing(settings, run_id) as (overseer, _boards):
        assert lose(overseer, claimed.result_id, document_loss(loss)) is not None
    row = row_of(runtime, claimed.result_id)
    (attempt,) = attempts_of(runtime, claimed.result_id)
    assert (row.status, attempt.code) == ("pending", code)
    assert {name: getattr(row, name) for name in counts} == counts
