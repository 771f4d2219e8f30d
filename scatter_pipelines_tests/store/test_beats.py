"""Beats of claims: proof of life, and apart from it progress, which waiting never is."""

from collections.abc import Iterator

import pytest

from scatter_pipelines.model.result import Beat
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import beats
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.progress import StopWork
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.supervise import Supervisor
from scatter_pipelines_tests.store.rows import (
    age,
    attempts_of,
    beat,
    beat_of,
    claim,
    complete,
    ids_of,
    make_task,
    row_of,
    sql,
    until,
)


@pytest.fixture
def impatient(settings: Settings) -> Iterator[Runtime]:
    """Beats often and takes a second without progress for a standstill."""
    changed = settings.model_copy(update={"beat_seconds": 0.05, "progress_seconds": 1.0, "stale_seconds": 60.0})
    with open_runtime(changed) as opened:
        yield opened


@pytest.mark.parametrize(
    ("before", "now", "moves"),
    [
        ((1, 3), (1, 4), True),
        ((1, 3), (2, 0), True),
        ((1, 3), (1, 3), False),
        ((1, 3), (1, 2), False),
        ((2, 3), (1, 9), False),
        ((0, 0), (0, 0), False),
    ],
)
def test_progress_is_more_done_or_a_later_stage_and_nothing_else(
    runtime: Runtime, before: tuple[int, int], now: tuple[int, int], moves: bool
) -> None:
    claimed = claim(runtime, ids_of(runtime, make_task(runtime))[0])
    assert beat(runtime, claimed, *before)
    first = beat_of(runtime, claimed.result_id)
    assert beat(runtime, claimed, *now, waited_ms=5_000)
    second = beat_of(runtime, claimed.result_id)
    assert second.beat_at > first.beat_at
    assert (second.progress_at > first.progress_at) is moves
    assert (second.stage, second.done) == max(before, now)
    assert second.waited_ms == 5_000


def test_going_back_and_forth_is_not_progress(runtime: Runtime) -> None:
    claimed = claim(runtime, ids_of(runtime, make_task(runtime))[0])
    assert beat(runtime, claimed, 2, 5)
    first = beat_of(runtime, claimed.result_id).progress_at
    for stage, done in [(1, 0), (2, 0), (2, 5), (1, 9), (2, 1), (2, 5)]:
        assert beat(runtime, claimed, stage, done)
    assert beat_of(runtime, claimed.result_id).progress_at == first


def test_one_statement_beats_for_all_and_names_those_still_owned(runtime: Runtime) -> None:
    ids = ids_of(runtime, make_task(runtime, 4))
    claims = [claim(runtime, result_id) for result_id in ids]
    age(runtime, ids[0], beat_at=100)
    assert len(sweep_claims(runtime)) == 1
    assert complete(runtime, claims[1])
    all_beats = [Beat(c.result_id, c.attempt, 1, 0, 0, 0) for c in reversed(claims)]
    assert runtime.database.run(lambda c: beats.beat_claims(c, all_beats), "worker") == set(ids[2:])


def test_a_beat_never_revives_a_claim_that_was_swept(runtime: Runtime) -> None:
    claimed = claim(runtime, ids_of(runtime, make_task(runtime))[0])
    age(runtime, claimed.result_id, beat_at=100)
    assert len(sweep_claims(runtime)) == 1
    assert beat(runtime, claimed, 4, 9) is False
    assert beat_of(runtime, claimed.result_id) is None
    successor = claim(runtime, claimed.result_id)
    before = beat_of(runtime, claimed.result_id)
    assert beat(runtime, claimed, 4, 9) is False
    assert beat_of(runtime, claimed.result_id) == before
    assert beat(runtime, successor, 1, 0) is True


@pytest.mark.parametrize("change", ["status = 'cancelled'", "attempt = attempt + 1"])
def test_a_beat_that_was_left_behind_proves_no_claim(runtime: Runtime, change: str) -> None:
    """The row alone says whose the claim is, whatever the beat's own table still holds."""
    claimed = claim(runtime, ids_of(runtime, make_task(runtime))[0])
    sql(runtime, f"UPDATE scatter.extraction_result SET {change}")
    before = beat_of(runtime, claimed.result_id)
    assert beat(runtime, claimed, 4, 9) is False
    assert beat_of(runtime, claimed.result_id) == before


def test_a_new_claim_starts_without_the_progress_of_the_old_one(runtime: Runtime) -> None:
    claimed = claim(runtime, ids_of(runtime, make_task(runtime))[0])
    assert beat(runtime, claimed, 4, 9, waited_ms=70_000)
    age(runtime, claimed.result_id, beat_at=100)
    assert len(sweep_claims(runtime)) == 1
    claim(runtime, claimed.result_id)
    fresh = beat_of(runtime, claimed.result_id)
    assert (fresh.attempt, fresh.stage, fresh.done, fresh.total, fresh.waited_ms) == (2, 0, 0, 0, 0)


def test_a_claim_that_only_waits_is_swept_although_its_supervisor_beats(impatient: Runtime) -> None:
    """The incident: a loop that waited for an upstream kept itself alive, and no safety net ever fired."""
    claimed = claim(impatient, ids_of(impatient, make_task(impatient))[0])
    at_claim = beat_of(impatient, claimed.result_id)
    beats_seen, swept, last = set(), [], at_claim
    with (
        Supervisor(impatient.database, "run-1") as supervisor,
        supervisor.watch(claimed) as watched,
        pytest.raises(StopWork) as stopped,
        watched.waiting(),
    ):
        while not swept:
            last = beat_of(impatient, claimed.result_id) or last
            beats_seen.add(last.beat_at)
            swept = sweep_claims(impatient)
        assert len(beats_seen) >= 5, "the supervisor did beat all the while"
        assert last.progress_at == at_claim.progress_at, "and none of that was progress"
        assert last.waited_ms > 0
        until(lambda: watched.stop is not None, "the supervisor tells the work that it lost the claim")
    assert stopped.value.kind == "lost"
    assert [(s.status, s.code) for s in swept] == [("pending", "no_progress")]
    assert beat_of(impatient, claimed.result_id) is None
    assert row_of(impatient, claimed.result_id).status == "pending"


def test_a_document_that_waits_for_ever_comes_to_its_end(impatient: Runtime) -> None:
    """Claimed again after each sweep, it hits its limit twice and ends: no reset prolongs its life."""
    (result_id,) = ids_of(impatient, make_task(impatient))
    with Supervisor(impatient.database, "run-1") as supervisor:
        for _ in range(2):
            claimed = claim(impatient, result_id)
            with supervisor.watch(claimed) as watched, pytest.raises(StopWork), watched.waiting():
                until(lambda: sweep_claims(impatient), "the sweep ends it")
                until(lambda w=watched: w.stop is not None, "the work is told")  # type: ignore[misc]
    assert (row_of(impatient, result_id).status, row_of(impatient, result_id).error_code) == ("error", "no_progress")
    assert [a.outcome for a in attempts_of(impatient, result_id)] == ["limit", "limit"]


def test_a_claim_that_gets_on_is_not_swept(impatient: Runtime) -> None:
    """The same settings as above, but each beat brings another page."""
    claimed = claim(impatient, ids_of(impatient, make_task(impatient))[0])
    with Supervisor(impatient.database, "run-1") as supervisor, supervisor.watch(claimed) as watched:
        watched.enter("parsing")
        start = beat_of(impatient, claimed.result_id).beat_at
        page = 0
        while (beat_of(impatient, claimed.result_id).beat_at - start).total_seconds() < 1.6:
            page += 1
            watched.progress(page, 10_000)
            assert sweep_claims(impatient) == []
    assert complete(impatient, claimed)
