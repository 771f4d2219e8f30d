"""What operators do: each action in one transaction, refused with a plain message where it makes no sense."""

from collections.abc import Callable

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import Closing, aggregate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import counts_of, open_holds
from scatter_pipelines_tests.store.rows import (
    attempts_of,
    beat,
    beat_of,
    claim,
    complete,
    events_of,
    fail,
    finish_all,
    ids_of,
    make_task,
    row_of,
    sql,
    task_of,
    try_claim,
)

ACTIONS: dict[str, Callable[[Runtime, str], object]] = {
    "cancel": operate.cancel,
    "hold": lambda runtime, task_id: operate.hold(runtime, task_id, "looking"),
    "resume": operate.resume,
    "retry": operate.retry,
    "force_finalize": lambda runtime, task_id: operate.force_finalize(runtime, task_id, "now"),
}


def test_cancel_ends_what_is_open_and_leaves_what_is_done(runtime: Runtime) -> None:
    task_id = make_task(runtime, 4)
    done, failed, working, waiting = ids_of(runtime, task_id)
    assert complete(runtime, claim(runtime, done))
    assert fail(runtime, claim(runtime, failed))
    claimed = claim(runtime, working)
    before = row_of(runtime, done), row_of(runtime, failed)
    assert operate.cancel(runtime, task_id) == 2
    assert (row_of(runtime, done), row_of(runtime, failed)) == before
    assert [row_of(runtime, i).status for i in (working, waiting)] == ["cancelled", "cancelled"]
    assert beat_of(runtime, working) is None
    assert beat(runtime, claimed, 1, 1) is False
    assert [(a.attempt, a.outcome, a.code) for a in attempts_of(runtime, working)] == [(1, "cancelled", "cancelled")]
    assert attempts_of(runtime, waiting) == []
    assert events_of(runtime, task_id, "cancelled") == 1


def test_cancel_reaches_no_other_task(runtime: Runtime) -> None:
    mine, other = make_task(runtime), make_task(runtime)
    operate.cancel(runtime, mine)
    assert counts_of(runtime, other).pending == 1


def test_under_a_hold_nothing_starts_and_after_it_everything_goes_on(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    first, second = ids_of(runtime, task_id)
    claimed = claim(runtime, first)
    assert operate.hold(runtime, task_id, "quota") is True
    assert operate.hold(runtime, task_id, "quota") is False
    assert operate.hold(runtime, task_id, "looking at it") is True
    assert open_holds(runtime, task_id) == ["quota", "looking at it"]
    assert try_claim(runtime, second) is None
    assert complete(runtime, claimed), "what is at work ends"
    assert operate.resume(runtime, task_id) == 2
    assert open_holds(runtime, task_id) == []
    assert try_claim(runtime, second) is not None
    assert operate.hold(runtime, task_id, "quota") is True, "the same reason may come again"


def test_force_finalize_ends_a_task_with_a_live_claim_now(runtime: Runtime) -> None:
    task_id = make_task(runtime, 3)
    done, working, waiting = ids_of(runtime, task_id)
    assert complete(runtime, claim(runtime, done))
    claimed = claim(runtime, working)
    operate.hold(runtime, task_id, "stuck")
    closing = Closing(task_id, "completed_with_errors", 1)
    assert operate.force_finalize(runtime, task_id, "enough of it") == (2, closing)
    for result_id in (working, waiting):
        row = row_of(runtime, result_id)
        assert (row.status, row.error_code) == ("error", "force_finalized")
        assert "enough of it" in row.error_message
    assert complete(runtime, claimed) is False
    assert row_of(runtime, working).status == "error"
    assert [a.code for a in attempts_of(runtime, working)] == ["force_finalized"]
    assert task_of(runtime, task_id).status == "completed_with_errors"


def test_force_finalize_ends_a_row_that_is_not_due_for_long(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    sql(runtime, "UPDATE scatter.extraction_result SET not_before = clock_timestamp() + interval '1 year'")
    ended, closing = operate.force_finalize(runtime, task_id, "now")
    assert (ended, closing) == (1, Closing(task_id, "failed", 1))


def test_force_finalize_needs_a_reason(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    with pytest.raises(UsageError, match="reason") as caught:
        operate.force_finalize(runtime, task_id, "  ")
    assert caught.value.code == "config_invalid"
    assert counts_of(runtime, task_id).pending == 1


def test_a_retry_by_code_gives_those_rows_alone_a_new_life(runtime: Runtime) -> None:
    task_id = make_task(runtime, 4)
    corrupt, crashed, done, cancelled = ids_of(runtime, task_id)
    assert fail(runtime, claim(runtime, corrupt), "corrupt")
    assert fail(runtime, claim(runtime, crashed), "worker_crashed")
    assert complete(runtime, claim(runtime, done))
    operate.cancel(runtime, task_id)
    aggregate(runtime)
    sql(
        runtime,
        "UPDATE scatter.extraction_result SET tries = 4, losses = 3, limit_hits = 2, waits = 9 WHERE id = :id",
        id=crashed,
    )
    before = [row_of(runtime, i) for i in (corrupt, done, cancelled)]
    assert operate.retry(runtime, task_id, "worker_crashed") == 1
    row = row_of(runtime, crashed)
    assert (row.status, row.error_code, row.error_message, row.finished_at) == ("pending", None, None, None)
    assert (row.tries, row.losses, row.limit_hits, row.waits, row.attempt) == (0, 0, 0, 0, 1)
    assert [row_of(runtime, i) for i in (corrupt, done, cancelled)] == before
    assert operate.retry(runtime, task_id, "cancelled") == 1
    assert operate.retry(runtime, task_id) == 1
    assert counts_of(runtime, task_id).as_dict() == {
        "pending": 3, "extracting": 0, "completed": 1, "error": 0, "cancelled": 0,
    }  # fmt: skip


def test_a_retry_lets_its_shards_be_dispatched_at_once(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2, shard_size=1)
    finish_all(runtime, task_id, failing=(1,))
    sql(runtime, "UPDATE scatter.extraction_shard SET dispatched_at = clock_timestamp()")
    operate.retry(runtime, task_id)
    found = sql(runtime, "SELECT shard FROM scatter.extraction_shard WHERE dispatched_at IS NULL")
    assert [row.shard for row in found] == [1]


@pytest.mark.parametrize("action", ACTIONS)
def test_an_unknown_task_is_said(runtime: Runtime, action: str) -> None:
    with pytest.raises(UsageError, match="no task 'nothing'") as caught:
        ACTIONS[action](runtime, "nothing")
    assert caught.value.code == "task_unknown"


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_on_a_closed_task_with_nothing_to_do_is_refused(runtime: Runtime, action: str) -> None:
    task_id = make_task(runtime)
    finish_all(runtime, task_id)
    aggregate(runtime)
    before = task_of(runtime, task_id), row_of(runtime, ids_of(runtime, task_id)[0])
    with pytest.raises(UsageError) as caught:
        ACTIONS[action](runtime, task_id)
    assert caught.value.code == "task_state"
    assert (task_of(runtime, task_id), row_of(runtime, ids_of(runtime, task_id)[0])) == before


def test_a_retry_with_a_code_nobody_knows_or_has_is_refused(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    finish_all(runtime, task_id, failing=(0,))
    with pytest.raises(UsageError, match="no error code 'nonsense'"):
        operate.retry(runtime, task_id, "nonsense")
    with pytest.raises(UsageError, match="with the code encrypted") as caught:
        operate.retry(runtime, task_id, "encrypted")
    assert caught.value.code == "task_state"
    assert counts_of(runtime, task_id).error == 1


def test_a_task_is_found_by_id_by_its_beginning_and_as_the_last(runtime: Runtime) -> None:
    made = [make_task(runtime) for _ in range(3)]
    for task_id, name in zip(made, ("abc000000001", "abd000000001", "xyz000000001"), strict=True):
        sql(runtime, "DELETE FROM scatter.extraction_shard WHERE task_id = :t", t=task_id)
        sql(runtime, "DELETE FROM scatter.extraction_result WHERE task_id = :t", t=task_id)
        sql(runtime, "UPDATE scatter.extraction_task SET id = :n WHERE id = :t", n=name, t=task_id)
    assert operate.find_task(runtime, "abc000000001").id == "abc000000001"
    assert operate.find_task(runtime, "abd").id == "abd000000001"
    assert operate.find_task(runtime, " x ").id == "xyz000000001"
    assert operate.find_task(runtime, "last").id == "xyz000000001"
    with pytest.raises(UsageError, match="Several tasks start with 'ab'") as caught:
        operate.find_task(runtime, "ab")
    assert caught.value.code == "task_unknown"
    for unknown in ("q", "", "  ", "%", "_", "abc000000001x"):
        with pytest.raises(UsageError, match="There is no task"):
            operate.find_task(runtime, unknown)


def test_there_is_no_last_task_where_there_is_none(runtime: Runtime) -> None:
    with pytest.raises(UsageError, match="There is no task 'last'"):
        operate.find_task(runtime, "last")


def test_a_task_with_cancelled_rows_left_stays_cancelled_after_a_retry_of_others(runtime: Runtime) -> None:
    task = make_task(runtime, 2)
    first = ids_of(runtime, task)[0]
    sql(runtime, f"UPDATE scatter.extraction_result SET status = 'error', error_code = 'corrupt' WHERE id = {first}")
    operate.cancel(runtime, task)
    aggregate(runtime)
    operate.retry(runtime, task, "corrupt")
    sql(runtime, f"UPDATE scatter.extraction_result SET status = 'completed' WHERE id = {first}")
    assert [closing.status for closing in aggregate(runtime).closed] == ["cancelled"]
