"""Every write of a worker is fenced: what was swept, cancelled or ended changes no row any more."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from scatter_pipelines.model.result import Claim
from scatter_pipelines.store import results
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import (
    BACK_OFF,
    EXTRACTION,
    age,
    attempts_of,
    beat,
    beat_of,
    claim,
    complete,
    ids_of,
    make_task,
    row_of,
)

Write = Callable[[Connection, Claim], object]

WRITES: dict[str, Write] = {
    "complete": lambda c, claimed: results.complete(c, claimed, EXTRACTION),
    "fail": lambda c, claimed: results.fail(c, claimed, "corrupt", "parse", "broken", {}),
    "try_later": lambda c, claimed: results.try_later(
        c, claimed, "upstream_unavailable", "work", "503", max_tries=3, **BACK_OFF
    ),
    "wait_later": lambda c, claimed: results.wait_later(
        c, claimed, "upstream_wait", "work", "busy", max_waits=20, **BACK_OFF
    ),
    "hit_limit": lambda c, claimed: results.hit_limit(c, claimed, "parse_timeout", "parse", "slow"),
    "give_back": lambda c, claimed: results.give_back(c, claimed, "stopped"),
}


def _sweep(runtime: Runtime, task_id: str, claimed: Claim) -> None:
    age(runtime, claimed.result_id, beat_at=1_000)
    assert [swept.result_id for swept in sweep_claims(runtime, task_id)] == [claimed.result_id]


def _sweep_and_claim_again(runtime: Runtime, task_id: str, claimed: Claim) -> None:
    _sweep(runtime, task_id, claimed)
    claim(runtime, claimed.result_id)


def _sweep_and_complete(runtime: Runtime, task_id: str, claimed: Claim) -> None:
    _sweep(runtime, task_id, claimed)
    assert complete(runtime, claim(runtime, claimed.result_id))


ENDINGS: dict[str, Callable[[Runtime, str, Claim], object]] = {
    "swept": _sweep,
    "swept and claimed by another": _sweep_and_claim_again,
    "swept and completed by another": _sweep_and_complete,
    "cancelled": lambda runtime, task_id, _claimed: operate.cancel(runtime, task_id),
    "force-finalized": lambda runtime, task_id, _claimed: operate.force_finalize(runtime, task_id, "enough"),
    "completed": lambda runtime, _task_id, claimed: complete(runtime, claimed),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_write_of_a_worker_touches_a_row_it_lost(runtime: Runtime, ending: str) -> None:
    task_id = make_task(runtime)
    (result_id,) = ids_of(runtime, task_id)
    claimed = claim(runtime, result_id)
    ENDINGS[ending](runtime, task_id, claimed)
    before = row_of(runtime, result_id), beat_of(runtime, result_id), attempts_of(runtime, result_id)
    for name, write in WRITES.items():
        done = runtime.database.run(lambda c, write=write: write(c, claimed), "worker")  # type: ignore[misc]
        assert not done, name
        after = row_of(runtime, result_id), beat_of(runtime, result_id), attempts_of(runtime, result_id)
        assert after == before, name
    assert beat(runtime, claimed, stage=4, done=9) is False
    assert beat_of(runtime, result_id) == before[1]


@pytest.mark.parametrize("name", WRITES)
def test_each_write_ends_the_attempt_once_with_its_history_and_without_its_beat(runtime: Runtime, name: str) -> None:
    (result_id,) = ids_of(runtime, make_task(runtime))
    claimed = claim(runtime, result_id)
    assert runtime.database.run(lambda c: WRITES[name](c, claimed), "worker")
    assert row_of(runtime, result_id).status != "extracting"
    assert beat_of(runtime, result_id) is None
    assert len(attempts_of(runtime, result_id)) == 1
    assert not runtime.database.run(lambda c: WRITES[name](c, claimed), "worker")


def test_a_write_for_one_row_leaves_its_neighbour_alone(runtime: Runtime) -> None:
    task_id = make_task(runtime, 2)
    mine, other = ids_of(runtime, task_id)
    claimed, neighbour = claim(runtime, mine), claim(runtime, other)
    before = row_of(runtime, other)
    assert complete(runtime, claimed)
    assert row_of(runtime, other) == before
    assert complete(runtime, neighbour)


def test_a_document_may_hold_what_postgresql_cannot_store(runtime: Runtime) -> None:
    first, second = ids_of(runtime, make_task(runtime, 2))
    odd = results.Extraction({"t": {"value": "a\x00b\ud800", "evidence": []}}, (), {}, {}, 1, "text/plain")
    claimed = claim(runtime, first)
    assert runtime.database.run(lambda c: results.complete(c, claimed, odd), "worker")
    claimed = claim(runtime, second)
    message = "broken \x00 at \ud800" + "x" * 5_000
    assert runtime.database.run(lambda c: results.fail(c, claimed, "corrupt", "parse", message, {}), "worker")
    assert len(row_of(runtime, second).error_message) == 2_000


@pytest.mark.parametrize("text", ["\\u0000", "a\\\\u0000b", '\\u0000"', "\x00\\u0000\x00", "[^\\u0000-\\u007F]+"])
def test_json_text_loses_the_nul_and_nothing_that_only_looks_like_it(text: str) -> None:
    assert json.loads(results.as_json({"v": text})) == {"v": text.replace("\x00", "")}
