"""Dispatch: each shard once a round, fairly, and only where there is something to do and nobody at it."""

from collections.abc import Iterator

import pytest

from scatter_pipelines.model.result import ShardRef
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import beats
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.dispatch import START_SECONDS, dispatch, free_shards
from scatter_pipelines.work.runs import UnfinishedRun
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.scatter import RunRequest, begin_run
from scatter_pipelines.work.status import counts_of
from scatter_pipelines_tests.store.rows import (
    at_once,
    claim,
    complete,
    events_of,
    ids_of,
    make_task,
    sql,
    task_of,
)
from scatter_pipelines_tests.work.fake_runs import FakeRuns


@pytest.fixture
def roomy(settings: Settings) -> Iterator[Runtime]:
    """Room for a hundred runs."""
    with open_runtime(settings.model_copy(update={"dispatch_ahead": 100})) as opened:
        yield opened


def _opened(runtime: Runtime, runs: FakeRuns | None = None) -> list[tuple[str, int, int]]:
    return [(ref.task_id, ref.shard, ref.round) for ref in dispatch(runtime, runs or FakeRuns())]


def _begin(runtime: Runtime, task_id: str, shard: int, run_id: str) -> int:
    """How many documents the run got."""
    request = RunRequest(run_id, run_id, task_id=task_id, shard=shard)
    return len(begin_run(runtime, request).documents)


def _silence(runtime: Runtime, seconds: float) -> None:
    sql(runtime, "UPDATE scatter.shard_lease SET beat_at = beat_at - make_interval(secs => :s)", s=seconds)


def test_each_shard_is_opened_once(roomy: Runtime) -> None:
    task_id = make_task(roomy, 6, shard_size=2)
    assert _opened(roomy) == [(task_id, shard, 1) for shard in range(3)]
    assert _opened(roomy) == []


def test_tasks_take_turns(roomy: Runtime) -> None:
    long, short = make_task(roomy, 4, shard_size=1), make_task(roomy, 2, shard_size=1)
    assert [(task, shard) for task, shard, _round in _opened(roomy)] == [
        (long, 0), (short, 0), (long, 1), (short, 1), (long, 2), (long, 3),
    ]  # fmt: skip


def test_two_dispatchers_at_once_open_a_shard_once(roomy: Runtime, settings: Settings) -> None:
    task_id = make_task(roomy, 20, shard_size=1)
    with open_runtime(settings.model_copy(update={"dispatch_ahead": 100})) as other:
        first, second = at_once([lambda: _opened(roomy), lambda: _opened(other)])
    assert sorted(first + second) == [(task_id, shard, 1) for shard in range(20)]


def test_no_more_is_opened_than_there_is_room_for(runtime: Runtime) -> None:
    task_id = make_task(runtime, 10, shard_size=1)
    assert runtime.settings.dispatch_ahead == 4
    busy = [UnfinishedRun("a", "active"), UnfinishedRun("b", "queued", task_id, 0)]
    assert [shard for _task, shard, _round in _opened(runtime, FakeRuns(unfinished=busy))] == [1, 2]
    assert _opened(runtime, FakeRuns(unfinished=[*busy, *busy])) == []


def test_a_shard_whose_run_is_queued_is_not_opened_again_however_long_it_waits(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    assert len(_opened(roomy)) == 1
    sql(roomy, "UPDATE scatter.extraction_shard SET dispatched_at = dispatched_at - interval '1 day'")
    assert _opened(roomy, FakeRuns(unfinished=[UnfinishedRun("a", "queued", task_id, 0)])) == []


def test_a_dispatch_that_never_starts_is_made_anew_in_a_higher_round(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    assert _opened(roomy) == [(task_id, 0, 1)]
    sql(roomy, "UPDATE scatter.extraction_shard SET dispatched_at = dispatched_at - interval '59 seconds'")
    assert _opened(roomy) == []
    sql(roomy, "UPDATE scatter.extraction_shard SET dispatched_at = dispatched_at - interval '2 seconds'")
    assert _opened(roomy) == [(task_id, 0, 2)]


def test_a_held_or_closed_task_is_not_dispatched_until_it_is_resumed(roomy: Runtime) -> None:
    held, cancelled = make_task(roomy), make_task(roomy)
    operate.hold(roomy, held, "quota")
    operate.cancel(roomy, cancelled)
    assert _opened(roomy) == []
    operate.resume(roomy, held)
    assert _opened(roomy) == [(held, 0, 1)]


def test_a_resume_lets_a_shard_go_on_at_once_though_its_run_holds_the_lease(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    assert _begin(roomy, task_id, 0, "run-1") == 1
    operate.hold(roomy, task_id, "quota")
    operate.resume(roomy, task_id)
    assert _opened(roomy) == [(task_id, 0, 1)]


def test_a_shard_with_a_fresh_lease_or_nothing_due_is_left_alone(roomy: Runtime) -> None:
    task_id = make_task(roomy, 4, shard_size=1)
    leased, waiting, working, _free = ids_of(roomy, task_id)
    assert _begin(roomy, task_id, 0, "run-1") == 1
    later = "UPDATE scatter.extraction_result SET not_before = clock_timestamp() + interval '1 hour' WHERE id = :id"
    sql(roomy, later, id=waiting)
    claim(roomy, working)
    assert _opened(roomy, FakeRuns({"run-1": "active"})) == [(task_id, 3, 1)]
    sql(roomy, "UPDATE scatter.extraction_result SET not_before = NULL WHERE id = :id", id=waiting)
    assert _opened(roomy, FakeRuns({"run-1": "active"})) == [(task_id, 1, 1)]
    assert leased


def test_a_shard_whose_lease_went_stale_is_dispatched_whatever_dagster_says(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    _begin(roomy, task_id, 0, "run-1")
    _silence(roomy, roomy.settings.stale_seconds + 1)
    assert _opened(roomy, FakeRuns({"run-1": "active"})) == [(task_id, 0, 1)]


@pytest.mark.parametrize("state", ["succeeded", "failed"])
def test_a_finished_run_frees_its_shard_before_its_lease_is_stale(roomy: Runtime, state: str) -> None:
    task_id = make_task(roomy)
    _begin(roomy, task_id, 0, "run-1")
    _silence(roomy, roomy.settings.beat_seconds * 3)
    assert _opened(roomy, FakeRuns({"run-1": "active"})) == []
    assert _opened(roomy, FakeRuns({"run-1": state})) == [(task_id, 0, 1)]  # type: ignore[dict-item]
    assert counts_of(roomy, task_id).pending == 1


@pytest.mark.parametrize("state", ["succeeded", "failed", "cancelled", "unknown"])
def test_a_run_that_still_beats_keeps_its_shard_whatever_dagster_calls_it(roomy: Runtime, state: str) -> None:
    task_id = make_task(roomy)
    _begin(roomy, task_id, 0, "run-1")
    for _ in range(2):
        assert roomy.database.run(lambda c: beats.beat_leases(c, task_id, [0], "run-1")) == {0}
        assert _opened(roomy, FakeRuns({"run-1": state})) == []  # type: ignore[dict-item]
    assert counts_of(roomy, task_id).pending == 1


def test_a_run_terminated_by_an_operator_cancels_what_its_shard_left_undone(roomy: Runtime) -> None:
    task_id = make_task(roomy, 4, shard_size=2)
    done, working, *others = ids_of(roomy, task_id)
    _begin(roomy, task_id, 0, "run-1")
    assert complete(roomy, claim(roomy, done))
    claimed = claim(roomy, working)
    _silence(roomy, roomy.settings.beat_seconds * 3)
    assert _opened(roomy, FakeRuns({"run-1": "cancelled"})) == [(task_id, 1, 1)]
    counts = counts_of(roomy, task_id)
    assert (counts.completed, counts.cancelled, counts.pending) == (1, 1, 2)
    assert events_of(roomy, task_id, "cancelled") == 1
    assert complete(roomy, claimed) is False
    for result_id in others:
        assert complete(roomy, claim(roomy, result_id))
    aggregate(roomy)
    assert task_of(roomy, task_id).status == "cancelled"


def test_a_terminated_run_that_left_nothing_undone_cancels_nothing(roomy: Runtime) -> None:
    task_id = make_task(roomy, 2, shard_size=1)
    first, second = ids_of(roomy, task_id)
    _begin(roomy, task_id, 0, "run-1")
    assert complete(roomy, claim(roomy, first))
    _silence(roomy, 10)
    assert [shard for _t, shard, _r in _opened(roomy, FakeRuns({"run-1": "cancelled"}))] == [1]
    assert complete(roomy, claim(roomy, second))
    aggregate(roomy)
    assert task_of(roomy, task_id).status == "completed"


def test_free_shards_are_those_nobody_is_at(roomy: Runtime) -> None:
    task_id = make_task(roomy, 3, shard_size=1)
    _begin(roomy, task_id, 1, "run-1")
    assert len(dispatch(roomy, FakeRuns({"run-1": "active"}))) == 2
    assert free_shards(roomy, task_id) == [0, 2]
    assert free_shards(roomy, make_task(roomy)) == [0]


def test_the_first_shard_of_a_launched_run_is_its_own_and_the_rest_is_dispatched(roomy: Runtime) -> None:
    task_id = make_task(roomy, 3, shard_size=1)
    work = begin_run(roomy, RunRequest("run-1", "run-1", task_id=task_id))
    assert (work.shards, work.shards_left, len(work.documents)) == ((0,), 2, 1)
    runs = FakeRuns({"run-1": "active"})
    assert [ref.shard for ref in dispatch(roomy, runs)] == [1, 2]


def test_a_run_that_starts_ends_its_dispatch_and_another_gets_nothing(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    assert dispatch(roomy, FakeRuns()) == [ShardRef(task_id, 0, 1)]
    assert _begin(roomy, task_id, 0, "run-1") == 1
    assert sql(roomy, "SELECT dispatched_at FROM scatter.extraction_shard")[0].dispatched_at is None
    assert _begin(roomy, task_id, 0, "run-2") == 0


def test_a_run_reads_its_work_from_the_table_on_every_execution(roomy: Runtime) -> None:
    task_id = make_task(roomy, 3)
    assert _begin(roomy, task_id, 0, "run-1") == 3
    assert complete(roomy, claim(roomy, ids_of(roomy, task_id)[0]))
    assert _begin(roomy, task_id, 0, "run-1") == 2


def test_a_run_that_has_started_but_not_yet_taken_its_shard_is_waited_for(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    assert _opened(roomy) == [(task_id, 0, 1)]
    sql(roomy, "UPDATE scatter.extraction_shard SET dispatched_at = dispatched_at - interval '1 hour'")
    starting = UnfinishedRun("new", "active", task_id, 0, seconds=START_SECONDS - 1)
    assert _opened(roomy, FakeRuns(unfinished=[starting])) == []
    late = UnfinishedRun("new", "active", task_id, 0, seconds=START_SECONDS + 1)
    assert _opened(roomy, FakeRuns(unfinished=[late])) == [(task_id, 0, 2)]


def test_a_run_that_let_its_shard_go_stale_is_not_waited_for(roomy: Runtime) -> None:
    task_id = make_task(roomy)
    assert _opened(roomy) == [(task_id, 0, 1)]
    assert _begin(roomy, task_id, 0, "dead") == 1
    _silence(roomy, 100)
    dead = UnfinishedRun("dead", "active", task_id, 0, seconds=10)
    assert _opened(roomy, FakeRuns({"dead": "active"}, [dead])) == [(task_id, 0, 2)]


def test_a_run_terminated_before_it_took_its_shard_cancels_the_shard_until_a_retry(roomy: Runtime) -> None:
    task_id = make_task(roomy, 2)
    assert _opened(roomy) == [(task_id, 0, 1)]
    sql(roomy, "UPDATE scatter.extraction_shard SET dispatched_at = dispatched_at - interval '1 hour'")
    runs = FakeRuns()
    runs.called_off[task_id, 0, 1] = "terminated"
    assert _opened(roomy, runs) == []
    assert counts_of(roomy, task_id).cancelled == 2
    operate.retry(roomy, task_id)
    assert [shard for _task, shard, _round in _opened(roomy, runs)] == [0]
