"""The sweeper: dead runs are reported and their shards freed, claims swept, alerts raised once."""

import json
from pathlib import Path

import pytest

from scatter_pipelines.model.result import Holder
from scatter_pipelines.settings import Settings
from scatter_pipelines.work.dispatch import START_SECONDS
from scatter_pipelines.work.runs import RunState, UnfinishedRun
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import counts_of
from scatter_pipelines.work.supervise import Supervisor
from scatter_pipelines.work.sweep import survey, sweep
from scatter_pipelines_tests.store.rows import age, claim, events_of, ids_of, make_task, row_of, sql, until
from scatter_pipelines_tests.work.fake_runs import FakeRuns


def _lease(runtime: Runtime, task_id: str, shard: int, run_id: str, age_seconds: float) -> None:
    sql(
        runtime,
        "INSERT INTO scatter.shard_lease VALUES "
        "(:t, :s, :r, clock_timestamp(), clock_timestamp() - make_interval(secs => :a))",
        t=task_id, s=shard, r=run_id, a=age_seconds,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "reported", "pending"),
    [("active", ["run-1"], 2), ("failed", [], 2), ("succeeded", [], 2), ("unknown", [], 2), ("cancelled", [], 0)],
)
def test_a_silent_run_loses_its_shards_and_is_reported_if_it_counts_as_running(
    runtime: Runtime, state: RunState, reported: list[str], pending: int
) -> None:
    task_id = make_task(runtime, 2, shard_size=1)
    for shard in range(2):
        _lease(runtime, task_id, shard, "run-1", 100)
    runs = FakeRuns({"run-1": state})
    done = sweep(runtime, runs)
    assert [(lease.shard, lease.run_id) for lease in done.leases] == [(0, "run-1"), (1, "run-1")]
    assert (runs.reported, list(done.failed_runs)) == (reported, reported)
    assert sql(runtime, "SELECT * FROM scatter.shard_lease") == []
    assert counts_of(runtime, task_id).pending == pending


def test_a_run_that_beats_is_left_alone(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    _lease(runtime, task_id, 0, "run-1", runtime.settings.stale_seconds - 1)
    runs = FakeRuns({"run-1": "active"})
    assert sweep(runtime, runs).leases == ()
    assert (runs.reported, len(sql(runtime, "SELECT * FROM scatter.shard_lease"))) == ([], 1)


def test_without_dagster_at_hand_leases_are_freed_and_claims_swept(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    (result_id,) = ids_of(runtime, task_id)
    claim(runtime, result_id)
    age(runtime, result_id, beat_at=100)
    _lease(runtime, task_id, 0, "run-1", 100)
    before = survey(runtime)
    assert (before.stale_claims, before.stale_leases, before.needed) == (1, 1, True)
    done = sweep(runtime, None)
    assert (len(done.claims), len(done.leases)) == (1, 1)
    assert row_of(runtime, result_id).status == "pending"
    assert survey(runtime).needed is False


def test_a_sweep_that_fails_midway_is_made_good_by_the_next(runtime: Runtime) -> None:
    task_id = make_task(runtime, 3, shard_size=1)
    for shard in range(3):
        _lease(runtime, task_id, shard, f"run-{shard}", 100 + shard)

    class Failing(FakeRuns):
        def report_failed(self, run_id: str, message: str) -> None:
            if run_id == "run-1":
                raise ConnectionError("Dagster is away")
            super().report_failed(run_id, message)

    states: dict[str, RunState] = {f"run-{n}": "active" for n in range(3)}
    with pytest.raises(ConnectionError):
        sweep(runtime, Failing(states))
    assert len(sql(runtime, "SELECT * FROM scatter.shard_lease")) == 2
    runs = FakeRuns(states)
    sweep(runtime, runs)
    assert sorted(runs.reported) == ["run-0", "run-1"]
    assert sql(runtime, "SELECT * FROM scatter.shard_lease") == []


def test_a_task_that_stands_still_raises_one_alert(settings: Settings, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"
    with open_runtime(settings.model_copy(update={"notify_command": f"cat >> '{told}'; echo >> '{told}'"})) as runtime:
        task_id = make_task(runtime)
        sql(runtime, "UPDATE scatter.extraction_task SET started_at = started_at - interval '16 minutes'")
        assert sweep(runtime, None).stalled == (task_id,)
        assert sweep(runtime, None).stalled == ()
        assert events_of(runtime, task_id, "stalled") == 1
    assert [json.loads(line) for line in told.read_text().splitlines()] == [{"event": "stalled", "task_id": task_id}]


def test_a_notification_that_fails_stops_nothing(settings: Settings) -> None:
    with open_runtime(settings.model_copy(update={"notify_command": "exit 3"})) as runtime:
        task_id = make_task(runtime)
        sql(runtime, "UPDATE scatter.extraction_task SET started_at = started_at - interval '16 minutes'")
        assert sweep(runtime, None).stalled == (task_id,)


def test_a_run_that_died_before_it_held_anything_is_reported(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2, shard_size=1)
    claim(runtime, ids_of(runtime, task_id)[0], Holder("claiming", "step", "host"))
    _lease(runtime, task_id, 1, "leasing", 0)
    long_ago = START_SECONDS + 1
    runs = FakeRuns(
        unfinished=[
            UnfinishedRun("silent", "active", seconds=long_ago),
            UnfinishedRun("young", "active", seconds=START_SECONDS - 1),
            UnfinishedRun("queued", "queued", seconds=long_ago),
            UnfinishedRun("claiming", "active", seconds=long_ago),
            UnfinishedRun("leasing", "active", seconds=long_ago),
        ]
    )
    assert (survey(runtime, runs).silent_runs, survey(runtime, runs).needed) == (1, True)
    assert sweep(runtime, runs).failed_runs == ("silent",)
    assert runs.reported == ["silent"]


def test_a_run_that_still_submits_is_known_to_live(runtime: Runtime) -> None:
    runs = FakeRuns(unfinished=[UnfinishedRun("listing", "active", seconds=START_SECONDS + 1)])
    with Supervisor(runtime.database, "listing") as supervisor, supervisor.under_way():
        assert sweep(runtime, runs).failed_runs == ()
        sql(runtime, "UPDATE scatter.shard_lease SET beat_at = beat_at - interval '1 minute'")
        until(lambda: not survey(runtime).stale_leases, "the supervisor to beat for it")
    assert sql(runtime, "SELECT * FROM scatter.shard_lease") == []
