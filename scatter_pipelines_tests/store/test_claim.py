"""Claiming: one guarded statement, won by one."""

from uuid import uuid4

from scatter_pipelines.model.result import Holder
from scatter_pipelines.store import holds, results
from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import (
    HOLDER,
    at_once,
    attempts_of,
    beat_of,
    claim,
    complete,
    databases,
    fail,
    ids_of,
    make_task,
    row_of,
    sql,
    try_claim,
)


def test_a_claim_takes_the_row_and_beats_in_the_same_statement(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claimed = claim(runtime, result_id)
    row, beat = row_of(runtime, result_id), beat_of(runtime, result_id)
    assert (row.status, row.attempt, row.run_id, row.host) == ("extracting", 1, HOLDER.run_id, HOLDER.host)
    assert (claimed.attempt, beat.attempt) == (1, 1)
    assert abs((beat.beat_at - row.claimed_at).total_seconds()) < 1


def test_of_sixteen_claimers_one_gets_each_row(runtime: Runtime) -> None:
    ids = ids_of(runtime, make_task(runtime, 50))
    with databases(runtime.settings, 16) as made:

        def claim_all(number: int) -> list[int]:
            holder, won = Holder(f"run-{number}", "step", "host"), []
            for result_id in ids:
                token = uuid4()
                if made[number].run(lambda c, i=result_id, t=token: results.claim(c, i, holder, t), "worker"):  # type: ignore[misc]
                    won.append(result_id)
            return won

        won = at_once([lambda n=n: claim_all(n) for n in range(16)])  # type: ignore[misc]
    assert sorted(result_id for part in won for result_id in part) == sorted(ids)
    for number, part in enumerate(won):
        assert all(row_of(runtime, result_id).run_id == f"run-{number}" for result_id in part)
    assert {(row_of(runtime, i).attempt, beat_of(runtime, i).attempt) for i in ids} == {(1, 1)}


def test_a_row_that_is_not_due_cannot_be_claimed_until_it_is(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    move = "UPDATE scatter.extraction_result SET not_before = clock_timestamp() + make_interval(secs => :s)"
    sql(runtime, move, s=60)
    assert try_claim(runtime, result_id) is None
    state = runtime.database.run(lambda c: results.state(c, result_id))
    assert state is not None
    assert 50 < state.due_in <= 60
    sql(runtime, move, s=-1)
    assert try_claim(runtime, result_id) is not None


def test_a_row_of_a_held_task_cannot_be_claimed_and_its_neighbour_can(runtime: Runtime) -> None:
    held, free = make_task(runtime), make_task(runtime)
    runtime.database.run(lambda c: holds.place(c, held, "quota", "test"))
    assert try_claim(runtime, ids_of(runtime, held)[0]) is None
    assert try_claim(runtime, ids_of(runtime, free)[0]) is not None
    runtime.database.run(lambda c: holds.release(c, held, "test"))
    assert try_claim(runtime, ids_of(runtime, held)[0]) is not None


def test_one_of_two_holds_released_still_holds(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    runtime.database.run(lambda c: (holds.place(c, task_id, "a", "test"), holds.place(c, task_id, "b", "test")))
    sql(
        runtime,
        "INSERT INTO scatter.task_hold_release (hold_id, released_by) SELECT min(id), 'x' FROM scatter.task_hold",
    )
    assert try_claim(runtime, ids_of(runtime, task_id)[0]) is None


def test_a_finished_or_taken_row_cannot_be_claimed(runtime: Runtime) -> None:
    task_id = make_task(runtime, 4)
    taken, completed, failed, cancelled = ids_of(runtime, task_id)
    claim(runtime, taken)
    assert complete(runtime, claim(runtime, completed))
    assert fail(runtime, claim(runtime, failed))
    sql(runtime, "UPDATE scatter.extraction_result SET status = 'cancelled' WHERE id = :id", id=cancelled)
    assert [try_claim(runtime, i) for i in (taken, completed, failed, cancelled)] == [None] * 4
    assert [row_of(runtime, i).attempt for i in (taken, completed, failed, cancelled)] == [1, 1, 1, 0]


def test_a_claim_whose_commit_was_confirmed_to_nobody_is_found_again(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    token = uuid4()
    first = try_claim(runtime, result_id, token)
    assert first is not None
    assert try_claim(runtime, result_id, token) == first
    assert try_claim(runtime, result_id) is None
    assert row_of(runtime, result_id).attempt == 1


def test_the_token_of_an_attempt_that_is_over_finds_nothing(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    token = uuid4()
    claimed = try_claim(runtime, result_id, token)
    assert claimed is not None
    assert complete(runtime, claimed)
    assert try_claim(runtime, result_id, token) is None


def test_the_attempt_number_only_grows_also_over_a_retry(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    (result_id,) = ids_of(runtime, task_id)
    for expected in (1, 2, 3):
        claimed = claim(runtime, result_id)
        assert claimed.attempt == expected
        assert fail(runtime, claimed)
        assert operate.retry(runtime, task_id) == 1
        assert row_of(runtime, result_id).attempt == expected
    assert [(a.attempt, a.outcome, a.code) for a in attempts_of(runtime, result_id)] == [
        (n, "error", "corrupt") for n in (1, 2, 3)
    ]
