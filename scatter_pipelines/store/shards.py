"""Statements on `extraction_shard`: what may be dispatched, and in which round."""

from sqlalchemy import Connection, text

from scatter_pipelines.model.result import ShardRef
from scatter_pipelines.store.holds import OPEN_HOLD

DISPATCHABLE = text(f"""
    -- shards with due rows that nobody works on or was asked to, round-robin over tasks
    SELECT s.task_id, s.shard, s.round, l.run_id
      FROM scatter.extraction_task t
      JOIN scatter.extraction_shard s ON s.task_id = t.id
      LEFT JOIN scatter.shard_lease l ON l.task_id = s.task_id AND l.shard = s.shard
     WHERE t.status = 'processing' AND (CAST(:task_id AS text) IS NULL OR t.id = :task_id)
       AND NOT {OPEN_HOLD.format(task="t.id")}
       AND (s.dispatched_at IS NULL
            OR s.dispatched_at < clock_timestamp() - make_interval(secs => :dispatch_seconds))
       AND (l.run_id IS NULL OR l.beat_at < clock_timestamp() - make_interval(secs => :stale_seconds))
       AND EXISTS (SELECT FROM scatter.extraction_result r
                    WHERE r.task_id = s.task_id AND r.shard = s.shard AND r.status = 'pending'
                      AND (r.not_before IS NULL OR r.not_before <= clock_timestamp()))
     ORDER BY row_number() OVER (PARTITION BY s.task_id ORDER BY s.shard), t.submitted_at
     LIMIT :most
""")

MARK_DISPATCHED = text("""
    -- opens the next round of a shard, once
    UPDATE scatter.extraction_shard SET round = round + 1, dispatched_at = clock_timestamp()
     WHERE task_id = :task_id AND shard = :shard AND round = :round
    RETURNING round
""")

MARK_STARTED = text("""
    -- the dispatch of a shard has arrived
    UPDATE scatter.extraction_shard SET dispatched_at = NULL WHERE task_id = :task_id AND shard = ANY(:shards)
""")

WITH_WORK = text("""
    -- shards of a task with rows still to do
    SELECT DISTINCT r.shard FROM scatter.extraction_result r
     WHERE r.task_id = :task_id AND r.status IN ('pending', 'extracting') ORDER BY r.shard
""")


def dispatchable(
    connection: Connection, *, stale_seconds: float, dispatch_seconds: float, most: int, task_id: str | None = None
) -> list[ShardRef]:
    """Of all tasks or one."""
    values = {"stale_seconds": stale_seconds, "dispatch_seconds": dispatch_seconds, "most": most, "task_id": task_id}
    return [ShardRef(*row) for row in connection.execute(DISPATCHABLE, values)]


def mark_dispatched(connection: Connection, shard: ShardRef) -> int | None:
    """The new round; None: somebody else dispatched the shard meanwhile."""
    values = {"task_id": shard.task_id, "shard": shard.shard, "round": shard.round}
    return connection.execute(MARK_DISPATCHED, values).scalar_one_or_none()


def mark_started(connection: Connection, task_id: str, shards: list[int]) -> None:
    connection.execute(MARK_STARTED, {"task_id": task_id, "shards": shards})


def with_work(connection: Connection, task_id: str) -> list[int]:
    return list(connection.execute(WITH_WORK, {"task_id": task_id}).scalars())
