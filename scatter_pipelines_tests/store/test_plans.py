"""Statements that run all the time read no more rows of a large task than they must. Rows read, not seconds."""

import json
from typing import Any

from sqlalchemy import TextClause

from scatter_pipelines.store import sweeping, tasks
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import make_task, sql

ROWS = 2_000
LOOKS = 20
"""More than a statement needs for one task, far less than the task's rows."""

FINISH = """
    UPDATE scatter.extraction_result SET status = 'completed', finished_at = clock_timestamp()
     WHERE task_id = :t AND ordinal < :done
"""


def _make_large_task(runtime: Runtime, done: int) -> None:
    task_id = make_task(runtime, ROWS)
    sql(runtime, FINISH, t=task_id, done=done)
    sql(runtime, "ANALYZE scatter.extraction_result, scatter.extraction_task")


def _rows_read(runtime: Runtime, statement: TextClause, **values: object) -> float:
    explained = sql(runtime, f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.text}", **values)[0][0]
    plan = explained if isinstance(explained, list) else json.loads(explained)
    return _of_results(plan[0]["Plan"])


def _of_results(node: dict[str, Any]) -> float:
    """Rows of `extraction_result` that the plan looked at, also those it then left out."""
    below = sum(_of_results(one) for one in node.get("Plans", []))
    if node.get("Relation Name") != "extraction_result":
        return below
    looked_at = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    return float(below + node["Actual Loops"] * looked_at)


def test_when_a_task_last_got_on_is_known_without_reading_its_rows(runtime: Runtime) -> None:
    _make_large_task(runtime, done=ROWS - 5)
    assert _rows_read(runtime, sweeping.STALLED, stall_seconds=900, most=100) <= LOOKS


def test_whether_a_task_can_be_closed_is_known_without_reading_its_rows(runtime: Runtime) -> None:
    _make_large_task(runtime, done=ROWS - 5)
    assert _rows_read(runtime, tasks.CLOSABLE, task_id=None, most=100) <= LOOKS


def test_a_rows_end_moves_what_the_stall_is_judged_by(runtime: Runtime) -> None:
    """The index may not hide a row that ended last."""
    task_id = make_task(runtime, 3)
    sql(runtime, "UPDATE scatter.extraction_task SET started_at = started_at - interval '1 hour'")
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == [task_id]
    sql(runtime, FINISH, t=task_id, done=1)
    assert runtime.database.run(lambda c: sweeping.stalled(c, 900)) == []


def test_counting_one_task_reads_its_rows_and_no_others(runtime: Runtime) -> None:
    for _ in range(20):
        make_task(runtime, ROWS // 20)
    counted = make_task(runtime, 3)
    sql(runtime, "ANALYZE scatter.extraction_result")
    assert _rows_read(runtime, tasks.COUNTS, id=counted) == 3


def test_statistics_from_before_the_load_do_not_make_the_aggregator_read_all_open_rows(runtime: Runtime) -> None:
    """As after a night's work: what the planner knows is a table of closed rows and hardly a task."""
    _make_large_task(runtime, done=ROWS)
    for _ in range(30):
        make_task(runtime, 50)
    assert _rows_read(runtime, tasks.CLOSABLE, task_id=None, most=100) <= 3 * 30
