"""Everything that can happen to tasks, in any order, over a real PostgreSQL, with one oracle after each step."""

import os
import random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import Beat, Claim
from scatter_pipelines.store import beats, results
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import aggregate, sweep_claims
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import BACK_OFF, EXTRACTION, HOLDER, age, ids_of, make_task, sql

TERMINAL = ("completed", "error", "cancelled")

ROWS = """
    SELECT id, task_id, status, attempt, error_code, finished_at, losses, limit_hits, tries
      FROM scatter.extraction_result
"""
TASKS = """
    SELECT t.id, t.status, t.closing, t.expected_count,
           (SELECT count(*) FROM scatter.task_event e WHERE e.task_id = t.id AND e.kind = 'closed') AS closed_events,
           (SELECT count(DISTINCT e.message) FROM scatter.task_event e
             WHERE e.task_id = t.id AND e.kind = 'closed') AS different
      FROM scatter.extraction_task t
"""
MISFITS = """
    -- beats without a claim, claims without a beat, attempts that lack their history
    SELECT (SELECT count(*) FROM scatter.claim_beat b WHERE NOT EXISTS (
              SELECT FROM scatter.extraction_result r
               WHERE r.id = b.result_id AND r.attempt = b.attempt AND r.status = 'extracting')) AS beats,
           (SELECT count(*) FROM scatter.extraction_result r WHERE r.status = 'extracting' AND NOT EXISTS (
              SELECT FROM scatter.claim_beat b WHERE r.id = b.result_id AND r.attempt = b.attempt)) AS claims,
           (SELECT coalesce(sum(r.attempt - (r.status = 'extracting')::int), 0) FROM scatter.extraction_result r)
             - (SELECT count(*) FROM scatter.extraction_attempt) AS history
"""


class Pipeline(RuleBasedStateMachine):
    """Workers, sweepers, aggregators and operators at their worst. `claims` holds also those long lost."""

    runtime: Runtime
    tasks = Bundle("tasks")
    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        for table in ("task_hold", "task_event", "extraction_attempt", "claim_beat", "extraction_task"):
            sql(self.runtime, f"DELETE FROM scatter.{table}")
        self.rows: dict[int, Any] = {}
        self.retried: set[str] = set()

    def _worker(self, work: Any) -> Any:
        return self.runtime.database.run(work, "worker")

    def _operator(self, work: Any) -> Any:
        """What an operator asks for may be refused with a message, and then nothing happens."""
        try:
            return work()
        except UsageError as error:
            assert error.code == "task_state", error
            return None

    @precondition(lambda self: len({row.task_id for row in self.rows.values()}) < 2)
    @rule(target=tasks, n=st.integers(1, 3))
    def submit(self, n: int) -> str:
        return make_task(self.runtime, n)

    @rule(target=claims, task=tasks, which=st.integers(0, 2))
    def claim(self, task: str, which: int) -> Claim | MultipleResults[Claim]:
        ids = ids_of(self.runtime, task)
        result_id, token = ids[which % len(ids)], uuid4()
        claimed: Claim | None = self._worker(lambda c: results.claim(c, result_id, HOLDER, token))
        before = self.rows[result_id]
        assert (claimed is not None) <= (before.status == "pending")
        assert claimed is None or claimed.attempt == before.attempt + 1
        return claimed if claimed is not None else multiple()

    def _owned(self, claimed: Claim) -> bool:
        row = self.rows[claimed.result_id]
        return (row.attempt, row.status) == (claimed.attempt, "extracting")

    @rule(claimed=claims, stage=st.integers(0, 4), done=st.integers(0, 9))
    def beat(self, claimed: Claim, stage: int, done: int) -> None:
        one = Beat(claimed.result_id, claimed.attempt, stage, done, 9, 0)
        assert bool(self._worker(lambda c: beats.beat_claims(c, [one]))) == self._owned(claimed)

    @rule(claimed=claims, how=st.sampled_from(["beat_at", "progress_at", "claimed_at"]))
    def stall(self, claimed: Claim, how: str) -> None:
        age(self.runtime, claimed.result_id, **{how: 10_000})

    @rule(claimed=claims, ending=st.sampled_from(["complete", "fail", "try", "wait", "limit", "give_back"]))
    def end(self, claimed: Claim, ending: str) -> None:
        assert bool(self._worker(lambda c: _end(c, claimed, ending))) == self._owned(claimed)

    @rule()
    def sweep(self) -> None:
        sweep_claims(self.runtime)
        assert sweep_claims(self.runtime) == []

    @rule()
    def aggregate(self) -> None:
        aggregate(self.runtime)
        assert aggregate(self.runtime).closed == ()

    @rule()
    def time_passes(self) -> None:
        sql(self.runtime, "UPDATE scatter.extraction_result SET not_before = not_before - interval '1 hour'")

    @rule(task=tasks, code=st.sampled_from([None, None, "corrupt", "cancelled", "force_finalized"]))
    def retry(self, task: str, code: str | None) -> None:
        self.retried.add(task)
        self._operator(lambda: operate.retry(self.runtime, task, code))

    @rule(task=tasks)
    def cancel(self, task: str) -> None:
        self._operator(lambda: operate.cancel(self.runtime, task))

    @rule(task=tasks)
    def hold(self, task: str) -> None:
        self._operator(lambda: operate.hold(self.runtime, task, "looking"))

    @rule(task=tasks)
    def resume(self, task: str) -> None:
        self._operator(lambda: operate.resume(self.runtime, task))

    @rule(task=tasks)
    def force_finalize(self, task: str) -> None:
        if self._operator(lambda: operate.force_finalize(self.runtime, task, "enough")) is not None:
            assert all(row.status in TERMINAL for row in self._read_rows().values() if row.task_id == task)

    def _read_rows(self) -> dict[int, Any]:
        return {row.id: row for row in sql(self.runtime, ROWS)}

    @invariant()
    def all_is_well(self) -> None:
        self.the_rows_tell_a_possible_story()
        self.every_task_adds_up_and_is_closed_once()
        self.beats_claims_and_history_fit()

    def the_rows_tell_a_possible_story(self) -> None:
        before, self.rows = self.rows, self._read_rows()
        for result_id, row in self.rows.items():
            old = before.get(result_id)
            assert old is None or row.attempt >= old.attempt, "an attempt number went back"
            if old is not None and old.status in TERMINAL and row.task_id not in self.retried:
                assert row == old, "a terminal row changed without a retry"
            assert row.losses <= 3, "lost more often than is allowed"
        self.retried.clear()

    def every_task_adds_up_and_is_closed_once(self) -> None:
        for task in sql(self.runtime, TASKS):
            mine = [row.status for row in self._rows_of(task.id)]
            assert len(mine) == task.expected_count
            if task.status != "processing":
                assert all(status in TERMINAL for status in mine), "a closed task has open rows"
            closings = task.closing if task.status != "processing" else task.closing - 1
            assert (task.closed_events, task.different) == (closings, closings), "not one event a closing number"

    def _rows_of(self, task_id: str) -> list[Any]:
        return [row for row in self.rows.values() if row.task_id == task_id]

    def beats_claims_and_history_fit(self) -> None:
        assert tuple(sql(self.runtime, MISFITS)[0]) == (0, 0, 0)

    def teardown(self) -> None:
        """Whatever happened: once everybody stopped, the sweeps and an operator bring each task to its end."""
        for task_id in {row.task_id for row in self.rows.values()}:
            self._operator(lambda t=task_id: operate.force_finalize(self.runtime, t, "the end"))
        assert sql(self.runtime, "SELECT * FROM scatter.extraction_task WHERE status = 'processing'") == []
        assert sql(self.runtime, "SELECT * FROM scatter.claim_beat") == []


def _end(connection: Any, claimed: Claim, how: str) -> object:
    match how:
        case "complete":
            return results.complete(connection, claimed, EXTRACTION)
        case "fail":
            return results.fail(connection, claimed, "corrupt", "parse", "broken", {})
        case "try":
            return results.try_later(connection, claimed, "source_unavailable", "read", "503", max_tries=1, **BACK_OFF)
        case "wait":
            return results.wait_later(connection, claimed, "upstream_wait", "work", "busy", max_waits=1, **BACK_OFF)
        case "limit":
            return results.hit_limit(connection, claimed, "parse_timeout", "parse", "slow")
        case _:
            return results.give_back(connection, claimed, "stopped")


def _run(runtime: Runtime, examples: int, steps: int, *phases: Phase) -> None:
    number = int(os.environ.get("TEST_SEED", random.randrange(2**32)))
    print(f"TEST_SEED={number} runs the same sequences again.")
    bound = seed(number)(type("BoundPipeline", (Pipeline,), {"runtime": runtime}))
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        bound,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            print_blob=True,
            phases=phases,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_in_any_order_rows_and_tasks_tell_a_possible_story(runtime: Runtime) -> None:
    _run(runtime, 25, 40, Phase.generate)


@pytest.mark.proof
def test_in_any_order_for_long(runtime: Runtime) -> None:
    _run(runtime, 300, 80, Phase.generate, Phase.shrink)
