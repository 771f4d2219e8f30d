"""Leases of shards: one holder at a time, kept by beating, lost by silence."""

from scatter_pipelines.store import beats, shards
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import at_once, databases, make_task, sql

STALE = 30.0


def _take(runtime: Runtime, task_id: str, run_id: str, shard: int = 0) -> bool:
    return runtime.database.run(lambda c: beats.take_lease(c, task_id, shard, run_id, STALE))


def _beat(runtime: Runtime, task_id: str, run_id: str, *held: int) -> set[int]:
    return runtime.database.run(lambda c: beats.beat_leases(c, task_id, held or (0,), run_id), "worker")


def _age(runtime: Runtime, seconds: float) -> None:
    sql(runtime, "UPDATE scatter.shard_lease SET beat_at = beat_at - make_interval(secs => :s)", s=seconds)


def _holder(runtime: Runtime, task_id: str) -> str | None:
    rows = sql(runtime, "SELECT run_id FROM scatter.shard_lease WHERE task_id = :t AND shard = 0", t=task_id)
    return rows[0].run_id if rows else None


def test_of_eight_runs_one_takes_the_lease(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    with databases(runtime.settings, 8) as made:
        works = [
            lambda n=n: made[n].run(lambda c: beats.take_lease(c, task_id, 0, f"run-{n}", STALE))  # type: ignore[misc]
            for n in range(8)
        ]
        taken = at_once(works)
    assert taken.count(True) == 1
    assert _holder(runtime, task_id) == f"run-{taken.index(True)}"


def test_of_eight_runs_one_takes_over_a_stale_lease(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert _take(runtime, task_id, "dead")
    _age(runtime, STALE + 1)
    with databases(runtime.settings, 8) as made:
        works = [
            lambda n=n: made[n].run(lambda c: beats.take_lease(c, task_id, 0, f"run-{n}", STALE))  # type: ignore[misc]
            for n in range(8)
        ]
        taken = at_once(works)
    assert taken.count(True) == 1
    assert _holder(runtime, task_id) == f"run-{taken.index(True)}"


def test_the_holder_may_take_its_lease_again(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert _take(runtime, task_id, "a")
    assert _take(runtime, task_id, "a")
    assert not _take(runtime, task_id, "b")


def test_a_lease_is_kept_while_it_is_beaten_for(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert _take(runtime, task_id, "a")
    _age(runtime, STALE + 1)
    assert _beat(runtime, task_id, "a") == {0}
    assert not _take(runtime, task_id, "b")
    _age(runtime, STALE - 1)
    assert not _take(runtime, task_id, "b")


def test_a_ghost_run_learns_that_it_lost_its_lease_and_changes_nothing(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert _take(runtime, task_id, "ghost")
    _age(runtime, STALE + 1)
    assert _take(runtime, task_id, "heir")
    before = sql(runtime, "SELECT * FROM scatter.shard_lease")
    assert _beat(runtime, task_id, "ghost") == set()
    assert sql(runtime, "SELECT * FROM scatter.shard_lease") == before
    assert not _take(runtime, task_id, "ghost")


def test_a_run_hears_which_of_its_shards_it_still_holds(runtime: Runtime) -> None:
    task_id = make_task(runtime, 3, shard_size=1)
    for shard in range(3):
        assert _take(runtime, task_id, "a", shard)
    sql(runtime, "UPDATE scatter.shard_lease SET run_id = 'b' WHERE shard = 1")
    assert _beat(runtime, task_id, "a", 0, 1, 2, 7) == {0, 2}


def test_a_run_that_lets_go_of_its_shards_has_them_taken_over_at_once(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert _take(runtime, task_id, "a")
    runtime.database.run(lambda c: beats.expire_leases(c, "a"), "worker")
    assert _take(runtime, task_id, "b")


def test_a_shard_that_is_not_there_has_no_lease(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert not _take(runtime, task_id, "a", shard=1)
    assert not _take(runtime, "nothing", "a")


def test_a_lease_is_dropped_only_while_it_is_silent_and_still_that_runs(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    assert _take(runtime, task_id, "a")
    _age(runtime, 10)
    (lease,) = runtime.database.run(lambda c: beats.stale_leases(c, 5))
    assert _beat(runtime, task_id, "a") == {0}
    runtime.database.run(lambda c: beats.drop_lease(c, lease, 5))
    assert _holder(runtime, task_id) == "a"
    _age(runtime, STALE + 1)
    assert _take(runtime, task_id, "b")
    _age(runtime, 10)
    runtime.database.run(lambda c: beats.drop_lease(c, lease, 5))
    assert _holder(runtime, task_id) == "b"


def test_a_shard_is_opened_once_a_round_by_eight_dispatchers(runtime: Runtime) -> None:
    make_task(runtime)
    (shard,) = runtime.database.run(lambda c: shards.dispatchable(c, stale_seconds=STALE, dispatch_seconds=60, most=10))
    with databases(runtime.settings, 8) as made:
        opened = at_once([lambda n=n: made[n].run(lambda c: shards.mark_dispatched(c, shard)) for n in range(8)])  # type: ignore[misc]
    assert sorted(opened, key=str) == [1, *[None] * 7]
