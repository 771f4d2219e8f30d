"""Sweeping: what is silent or stuck is taken away, what lives or is finished is not."""

import pytest
from sqlalchemy import Connection, text

from scatter_pipelines.store import results, sweeping
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import (
    EXTRACTION,
    age,
    at_once,
    attempts_of,
    beat_of,
    claim,
    complete,
    databases,
    fail,
    ids_of,
    in_background,
    make_task,
    row_of,
    sql,
)

CLAIM_ALL = """
    UPDATE scatter.extraction_result SET status = 'extracting', attempt = attempt + 1, claimed_at = clock_timestamp()
     WHERE task_id = :t AND status = 'pending'
"""


def test_a_silent_claim_is_a_loss_and_pending_again_at_once(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claim(runtime, result_id)
    age(runtime, result_id, beat_at=runtime.settings.stale_seconds + 1)
    (swept,) = sweep_claims(runtime)
    row = row_of(runtime, result_id)
    assert (swept.status, swept.code, swept.attempt) == ("pending", "worker_crashed", 1)
    assert (row.status, row.losses, row.limit_hits, row.tries, row.not_before) == ("pending", 1, 0, 0, None)
    assert beat_of(runtime, result_id) is None
    assert [(a.attempt, a.outcome, a.code) for a in attempts_of(runtime, result_id)] == [(1, "lost", "worker_crashed")]
    assert "run-1" in attempts_of(runtime, result_id)[0].message


def test_the_third_loss_ends_the_document(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    statuses = []
    for _ in range(3):
        claim(runtime, result_id)
        age(runtime, result_id, beat_at=100)
        statuses += [swept.status for swept in sweep_claims(runtime)]
    row = row_of(runtime, result_id)
    assert statuses == ["pending", "pending", "error"]
    assert (row.status, row.error_code, row.error_stage, row.losses) == ("error", "worker_crashed", "work", 3)
    assert row.finished_at is not None
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["lost"] * 3


def test_a_claim_without_progress_hits_a_limit_and_ends_at_the_second(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claim(runtime, result_id)
    age(runtime, result_id, progress_at=runtime.settings.progress_seconds + 1)
    assert [(s.status, s.code) for s in sweep_claims(runtime)] == [("pending", "no_progress")]
    assert (row_of(runtime, result_id).limit_hits, row_of(runtime, result_id).losses) == (1, 0)
    claim(runtime, result_id)
    age(runtime, result_id, progress_at=runtime.settings.progress_seconds + 1)
    assert [(s.status, s.code) for s in sweep_claims(runtime)] == [("error", "no_progress")]
    assert row_of(runtime, result_id).error_code == "no_progress"
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["limit", "limit"]


def test_a_claim_over_its_hard_limit_is_a_timeout_and_ends_at_the_second(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    for status in ("pending", "error"):
        claim(runtime, result_id)
        age(runtime, result_id, claimed_at=runtime.settings.document_seconds + 1)
        assert [(s.status, s.code) for s in sweep_claims(runtime)] == [(status, "document_timeout")]
    assert (row_of(runtime, result_id).losses, row_of(runtime, result_id).limit_hits) == (0, 2)


def test_time_spent_waiting_does_not_count_against_the_hard_limit(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claim(runtime, result_id)
    age(runtime, result_id, claimed_at=runtime.settings.document_seconds + 60)
    sql(runtime, "UPDATE scatter.claim_beat SET waited_ms = 100000")
    assert sweep_claims(runtime) == []
    sql(runtime, "UPDATE scatter.claim_beat SET waited_ms = 50000")
    assert [s.code for s in sweep_claims(runtime)] == ["document_timeout"]


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM scatter.claim_beat", "UPDATE scatter.claim_beat SET attempt = attempt - 1"],
    ids=["missing", "of another attempt"],
)
def test_a_claim_without_a_beat_of_its_own_counts_as_lost(runtime: Runtime, damage: str) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claim(runtime, result_id)
    sql(runtime, damage)
    assert [(s.status, s.code) for s in sweep_claims(runtime)] == [("pending", "worker_crashed")]


def test_fresh_claims_and_finished_rows_are_left_alone(runtime: Runtime) -> None:
    fresh, done, failed, waiting = ids_of(runtime, make_task(runtime, 4))
    claim(runtime, fresh)
    assert complete(runtime, claim(runtime, done))
    assert fail(runtime, claim(runtime, failed))
    age(runtime, fresh, beat_at=runtime.settings.stale_seconds - 1, progress_at=500, claimed_at=1_700)
    sql(
        runtime,
        "UPDATE scatter.extraction_result SET claimed_at = claimed_at - interval '1 day' WHERE id <> :f",
        f=fresh,
    )
    before = [row_of(runtime, i) for i in (fresh, done, failed, waiting)]
    assert sweep_claims(runtime) == []
    assert [row_of(runtime, i) for i in (fresh, done, failed, waiting)] == before


def test_a_sweep_of_one_task_leaves_the_others(runtime: Runtime) -> None:
    mine, other = make_task(runtime), make_task(runtime)
    for task_id in (mine, other):
        claim(runtime, ids_of(runtime, task_id)[0])
    sql(runtime, "DELETE FROM scatter.claim_beat")
    assert [s.task_id for s in sweep_claims(runtime, mine)] == [mine]
    assert [s.task_id for s in sweep_claims(runtime)] == [other]


def test_a_finished_row_is_not_reopened_when_the_worker_has_the_lock_first(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claimed = claim(runtime, result_id)
    age(runtime, result_id, beat_at=100)
    with databases(runtime.settings, 1) as (other,):
        with other.transaction("worker") as connection:
            assert results.complete(connection, claimed, EXTRACTION)
            assert sweep_claims(runtime) == []
        assert sweep_claims(runtime) == []
    assert row_of(runtime, result_id).status == "completed"
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["completed"]


def test_a_swept_row_is_not_completed_when_the_sweep_has_the_lock_first(runtime: Runtime) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claimed = claim(runtime, result_id)
    age(runtime, result_id, beat_at=100)
    with databases(runtime.settings, 1) as (other,), other.engine().connect() as connection:
        assert len(sweeping.sweep_claims(connection, runtime.settings)) == 1
        with in_background(runtime, lambda: complete(runtime, claimed)) as result:
            connection.commit()
            assert result() is False
    assert (row_of(runtime, result_id).status, row_of(runtime, result_id).fields) == ("pending", None)
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["lost"]


def test_a_claim_that_is_made_while_a_sweep_waits_is_not_swept(runtime: Runtime) -> None:
    """The sweep saw attempt 1; when it gets to write, attempt 2 is there, alive."""
    (result_id,) = ids_of(runtime, make_task(runtime))
    claim(runtime, result_id)
    age(runtime, result_id, beat_at=100)
    statement = str(sweeping.SWEEP_CLAIMS).replace(" SKIP LOCKED", "")
    assert "SKIP LOCKED" in str(sweeping.SWEEP_CLAIMS)
    values = {"stale_seconds": 2, "progress_seconds": 600, "document_seconds": 1800, "max_losses": 3, "page": 10}
    with databases(runtime.settings, 1) as (other,), other.engine().connect() as connection:
        assert len(sweeping.sweep_claims(connection, runtime.settings)) == 1
        again = results.claim(connection, result_id, results.Holder("run-2", "s", "h"), results.UUID(int=7))
        with in_background(runtime, lambda: sql(runtime, statement, task_id=None, **values)) as result:
            connection.commit()
            assert result() == []
    assert again is not None
    assert (row_of(runtime, result_id).status, row_of(runtime, result_id).attempt) == ("extracting", 2)
    assert complete(runtime, again)


def test_a_sweep_goes_on_past_one_page(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2 * sweeping.PAGE + 3)
    sql(runtime, CLAIM_ALL, t=task_id)
    assert len({s.result_id for s in sweep_claims(runtime)}) == 2 * sweeping.PAGE + 3
    assert sweep_claims(runtime) == []


@pytest.mark.parametrize("plan", ["hashjoin", "mergejoin", "nestloop"])
def test_a_page_is_a_page_however_the_server_plans_it(runtime: Runtime, plan: str) -> None:
    task_id = make_task(runtime, 2 * sweeping.PAGE + 3)
    sql(runtime, CLAIM_ALL, t=task_id)

    def sweep_page(connection: Connection) -> int:
        for other in {"hashjoin", "mergejoin", "nestloop"} - {plan}:
            connection.execute(text(f"SET LOCAL enable_{other} = off"))
        return len(sweeping.sweep_claims(connection, runtime.settings))

    pages = [runtime.database.run(sweep_page) for _ in range(4)]
    assert pages == [sweeping.PAGE, sweeping.PAGE, 3, 0]


def test_two_sweepers_at_once_sweep_each_claim_once(runtime: Runtime) -> None:
    task_id = make_task(runtime, 3 * sweeping.PAGE)
    sql(runtime, CLAIM_ALL, t=task_id)
    with databases(runtime.settings, 2) as made:

        def sweep(number: int) -> list[int]:
            swept: list[int] = []
            while page := made[number].run(lambda c: sweeping.sweep_claims(c, runtime.settings)):
                swept += [claim.result_id for claim in page]
            return swept

        first, second = at_once([lambda: sweep(0), lambda: sweep(1)])
    assert sorted(first + second) == ids_of(runtime, task_id)
    (counts,) = sql(
        runtime,
        "SELECT count(*) AS n, min(losses) AS least, max(losses) AS most, "
        "(SELECT count(*) FROM scatter.extraction_attempt) AS attempts FROM scatter.extraction_result",
    )
    assert (counts.n, counts.least, counts.most, counts.attempts) == (600, 1, 1, 600)


def test_a_survey_counts_what_the_sweep_then_ends(runtime: Runtime) -> None:
    stale, fresh = ids_of(runtime, make_task(runtime, 2))
    claim(runtime, stale)
    claim(runtime, fresh)
    age(runtime, stale, beat_at=100)
    found = runtime.database.run(lambda c: sweeping.survey(c, runtime.settings))
    assert (found["claims"], found["stale_claims"]) == (2, 1)
    assert len(sweep_claims(runtime)) == 1


def test_a_task_that_does_not_get_on_is_reported_once_and_again_after_it_did(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    sql(runtime, "UPDATE scatter.extraction_task SET started_at = started_at - interval '1 hour'")
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == [task_id]
    sql(
        runtime,
        "INSERT INTO scatter.task_event (task_id, level, kind, message) VALUES (:t, 'error', 'stalled', '')",
        t=task_id,
    )
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == []
    assert complete(runtime, claim(runtime, ids_of(runtime, task_id)[0]))
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == []
    sql(runtime, "UPDATE scatter.task_event SET at = at - interval '1 hour'")
    sql(runtime, "UPDATE scatter.extraction_result SET finished_at = finished_at - interval '30 minutes'")
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == [task_id]


def test_a_document_that_comes_back_again_and_again_is_no_progress(runtime: Runtime) -> None:
    task_id = make_task(runtime)
    sql(runtime, "UPDATE scatter.extraction_task SET started_at = started_at - interval '1 hour'")
    sql(runtime, "UPDATE scatter.extraction_result SET waits = 15")
    claim(runtime, ids_of(runtime, task_id)[0])
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == [task_id]
