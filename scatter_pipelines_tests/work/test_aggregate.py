"""Closing: by the rows, once per closing number, and never over rows that are open or missing."""

import pytest

from scatter_pipelines.store import operations, tasks
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import Closing, aggregate, close_task
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import counts_of, open_holds
from scatter_pipelines_tests.store.rows import (
    age,
    at_once,
    claim,
    complete,
    databases,
    events_of,
    fail,
    finish_all,
    ids_of,
    in_background,
    make_task,
    sql,
    task_of,
)


@pytest.mark.parametrize(
    ("failing", "status"),
    [((), "completed"), ((1,), "completed_with_errors"), ((0, 1, 2), "failed")],
)
def test_a_task_closes_as_its_rows_say(runtime: Runtime, failing: tuple[int, ...], status: str) -> None:
    task_id = make_task(runtime, 3)
    finish_all(runtime, task_id, failing)
    assert aggregate(runtime).closed == (Closing(task_id, status, 1),)
    task = task_of(runtime, task_id)
    assert (task.status, task.closed_at is not None) == (status, True)


def test_a_cancelled_task_with_something_left_undone_is_cancelled(runtime: Runtime) -> None:
    task_id = make_task(runtime, 3)
    assert complete(runtime, claim(runtime, ids_of(runtime, task_id)[0]))
    assert operate.cancel(runtime, task_id) == 2
    assert aggregate(runtime).closed == (Closing(task_id, "cancelled", 1),)


def test_a_task_cancelled_when_all_was_done_is_what_its_rows_are(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    finish_all(runtime, task_id)
    assert operate.cancel(runtime, task_id) == 0
    assert [closing.status for closing in aggregate(runtime).closed] == ["completed"]


def test_eight_aggregators_close_a_task_once(runtime: Runtime) -> None:
    made = [make_task(runtime, 2) for _ in range(5)]
    for task_id in made:
        finish_all(runtime, task_id)
    with databases(runtime.settings, 8) as several:

        def tick(number: int) -> list[Closing | None]:
            return [several[number].run(lambda c, t=t: close_task(c, t)) for t in made]  # type: ignore[misc]

        closed = at_once([lambda n=n: tick(n) for n in range(8)])  # type: ignore[misc]
    assert sorted(c.task_id for part in closed for c in part if c) == sorted(made)
    assert [events_of(runtime, task_id, "closed") for task_id in made] == [1] * 5
    assert aggregate(runtime).closed == ()


def test_a_task_stays_open_while_a_row_is_pending_or_extracting(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    first, second = ids_of(runtime, task_id)
    assert complete(runtime, claim(runtime, first))
    assert aggregate(runtime).closed == ()
    claimed = claim(runtime, second)
    assert aggregate(runtime).closed == ()
    assert runtime.database.run(lambda c: tasks.lock(c, task_id) and tasks.close(c, task_id)) is None
    assert complete(runtime, claimed)
    assert [closing.status for closing in aggregate(runtime).closed] == ["completed"]


def test_one_tick_ends_the_last_lost_claim_and_closes(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    (result_id,) = ids_of(runtime, task_id)
    claim(runtime, result_id)
    sql(runtime, "UPDATE scatter.extraction_result SET losses = 2")
    age(runtime, result_id, beat_at=100)
    tick = aggregate(runtime)
    assert ([s.code for s in tick.swept], [c.status for c in tick.closed]) == (["worker_crashed"], ["failed"])


@pytest.mark.parametrize("missing", ["DELETE FROM scatter.extraction_result WHERE id = :id", None])
def test_rows_that_do_not_add_up_are_never_closed_over(runtime: Runtime, missing: str | None) -> None:
    task_id = make_task(runtime, 3)
    finish_all(runtime, task_id)
    if missing:
        sql(runtime, missing, id=ids_of(runtime, task_id)[1])
    else:
        sql(runtime, "DELETE FROM scatter.extraction_result")
    for _ in range(3):
        assert aggregate(runtime).closed == ()
    assert task_of(runtime, task_id).status == "processing"
    (reason,) = open_holds(runtime, task_id)
    assert reason.startswith("counts_differ")
    assert events_of(runtime, task_id, "counts_differ") == 1


def test_a_forced_end_does_not_close_over_missing_rows_either(runtime: Runtime) -> None:
    task_id = make_task(runtime, 3)
    sql(runtime, "DELETE FROM scatter.extraction_result WHERE id = :id", id=ids_of(runtime, task_id)[0])
    assert operate.force_finalize(runtime, task_id, "now") == (2, None)
    assert task_of(runtime, task_id).status == "processing"
    assert len(open_holds(runtime, task_id)) == 1


def test_a_retry_before_the_closing_keeps_the_task_open(runtime: Runtime) -> None:
    """The retry has the lock; the aggregator, which thought the task closable, counts only after it."""
    task_id = make_task(runtime, 2)
    finish_all(runtime, task_id, failing=(1,))
    with databases(runtime.settings, 1) as (other,), other.engine().connect() as connection:
        assert tasks.lock(connection, task_id) == "processing"
        assert operations.retry_rows(connection, task_id, None) == 1
        operations.reopen(connection, task_id)
        with in_background(runtime, lambda: aggregate(runtime).closed) as result:
            connection.commit()
            assert result() == ()
    assert task_of(runtime, task_id).status == "processing"
    assert counts_of(runtime, task_id).pending == 1
    assert open_holds(runtime, task_id) == []


def test_a_retry_that_comes_after_the_closing_reopens_the_task(runtime: Runtime) -> None:
    """The aggregator has the lock; the retry waits, finds the task closed and reopens it for closing 2."""
    task_id = make_task(runtime, 2)
    finish_all(runtime, task_id, failing=(1,))
    with databases(runtime.settings, 1) as (other,), other.engine().connect() as connection:
        assert close_task(connection, task_id) == Closing(task_id, "completed_with_errors", 1)
        with in_background(runtime, lambda: operate.retry(runtime, task_id)) as result:
            connection.commit()
            assert result() == 1
    task = task_of(runtime, task_id)
    assert (task.status, task.closing, task.closed_at) == ("processing", 2, None)


def test_retries_and_aggregators_at_once_never_leave_a_closed_task_with_open_rows(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    finish_all(runtime, task_id, failing=(0, 1))
    with databases(runtime.settings, 2) as (one, two):
        for _ in range(10):

            def retry() -> int:
                def write(connection: object) -> int:
                    tasks.lock(connection, task_id)  # type: ignore[arg-type]
                    rows = operations.retry_rows(connection, task_id, None)  # type: ignore[arg-type]
                    operations.reopen(connection, task_id)  # type: ignore[arg-type]
                    return rows

                return one.run(write)

            at_once([retry, lambda: two.run(lambda c: close_task(c, task_id)) is not None])
            assert task_of(runtime, task_id).status == "processing"
            assert counts_of(runtime, task_id).pending == 2
            for result_id in ids_of(runtime, task_id):
                assert fail(runtime, claim(runtime, result_id))
    number = task_of(runtime, task_id).closing
    assert [closing.closing for closing in aggregate(runtime).closed] == [number]
    assert events_of(runtime, task_id, "closed") == number


def test_the_closing_number_grows_with_each_retry(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    finish_all(runtime, task_id, failing=(1,))
    assert [c.closing for c in aggregate(runtime).closed] == [1]
    for number in (2, 3):
        assert operate.retry(runtime, task_id) == 1
        assert task_of(runtime, task_id).closed_at is None
        assert fail(runtime, claim(runtime, ids_of(runtime, task_id)[1]))
        assert [c.closing for c in aggregate(runtime).closed] == [number]
    assert events_of(runtime, task_id, "closed") == 3


def test_a_retry_of_an_open_task_keeps_its_closing_number(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    assert fail(runtime, claim(runtime, ids_of(runtime, task_id)[0]))
    assert operate.retry(runtime, task_id) == 1
    assert task_of(runtime, task_id).closing == 1


def test_a_closing_frees_every_lease_of_its_task_alone(runtime: Runtime) -> None:
    mine, other = make_task(runtime, 4, shard_size=2), make_task(runtime)
    for task_id, shard in [(mine, 0), (mine, 1), (other, 0)]:
        sql(
            runtime,
            "INSERT INTO scatter.shard_lease VALUES (:t, :s, 'run', clock_timestamp(), clock_timestamp())",
            t=task_id, s=shard,
        )  # fmt: skip
    finish_all(runtime, mine)
    assert len(aggregate(runtime).closed) == 1
    assert [row.task_id for row in sql(runtime, "SELECT task_id FROM scatter.shard_lease")] == [other]


def test_a_closing_is_announced_once_and_the_next_one_again(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    finish_all(runtime, task_id, failing=(0,))
    for number in (1, 2):
        aggregate(runtime)
        assert [task.id for task in runtime.database.run(tasks.unannounced)] == [task_id]
        assert runtime.database.run(lambda c, n=number: tasks.mark_announced(c, task_id, n)) is True  # type: ignore[misc]
        assert runtime.database.run(lambda c, n=number: tasks.mark_announced(c, task_id, n)) is False  # type: ignore[misc]
        assert runtime.database.run(tasks.unannounced) == []
        operate.retry(runtime, task_id)
        assert fail(runtime, claim(runtime, ids_of(runtime, task_id)[0]))


def test_tasks_with_missing_rows_do_not_keep_others_from_closing(runtime: Runtime) -> None:
    for _ in range(3):
        broken = make_task(runtime, 1)
        sql(runtime, f"UPDATE scatter.extraction_task SET expected_count = 2 WHERE id = '{broken}'")
        sql(runtime, f"UPDATE scatter.extraction_result SET status = 'completed' WHERE task_id = '{broken}'")
    aggregate(runtime)
    assert runtime.database.run(tasks.closable) == []
