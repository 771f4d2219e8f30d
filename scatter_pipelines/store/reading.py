"""Reading results and attempts for people and exports, page by page. Writes nothing."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, text

PAGE = text("""
    -- results of a task in the order of its documents
    SELECT * FROM scatter.extraction_result
     WHERE task_id = :task_id AND ordinal > :after
       AND (CAST(:status AS text) IS NULL OR status = :status)
     ORDER BY ordinal LIMIT :most
""")

NAMES = text("""
    -- how the documents of a task may be called
    SELECT id, filename, uri, sha256, columns FROM scatter.extraction_result
     WHERE task_id = :task_id ORDER BY ordinal
""")

ATTEMPTS = text("""
    SELECT r.filename, a.* FROM scatter.extraction_attempt a
      JOIN scatter.extraction_result r ON r.id = a.result_id
     WHERE r.task_id = :task_id ORDER BY a.ended_at, a.result_id, a.attempt
""")

CLAIMS = text("""
    -- what is worked on now
    SELECT r.filename, r.host, r.run_id, b.stage, b.done, b.total,
           extract(epoch FROM clock_timestamp() - r.claimed_at)::float8 AS seconds,
           extract(epoch FROM clock_timestamp() - b.beat_at)::float8 AS silent_seconds
      FROM scatter.extraction_result r
      JOIN scatter.claim_beat b ON b.result_id = r.id AND b.attempt = r.attempt
     WHERE r.task_id = :task_id AND r.status = 'extracting' ORDER BY r.claimed_at LIMIT :most
""")

RUNS_OF = text("""
    -- how many runs hold a shard of a task now
    SELECT count(DISTINCT run_id) FROM scatter.shard_lease
     WHERE task_id = :task_id AND beat_at > clock_timestamp() - make_interval(secs => :stale_seconds)
""")

OPEN_IN_LEASED = text("""
    -- how many documents are left in the shards that runs hold now
    SELECT count(*) FROM scatter.shard_lease l
      JOIN scatter.extraction_result r
        ON r.task_id = l.task_id AND r.shard = l.shard AND r.status IN ('pending', 'extracting')
     WHERE l.task_id = :task_id AND l.beat_at > clock_timestamp() - make_interval(secs => :stale_seconds)
""")

LOST_HOLDERS = text("""
    -- which of these processes had a claim taken from them for silence
    SELECT DISTINCT a.host FROM scatter.extraction_attempt a JOIN scatter.extraction_result r ON r.id = a.result_id
     WHERE r.task_id = :task_id AND a.outcome = 'lost' AND a.host = ANY(:names)
""")

PAGE_SIZE = 500


def results(
    connection: Connection, task_id: str, *, status: str | None = None, most: int | None = None
) -> Iterator[dict[str, Any]]:
    """Rows as dictionaries, in the order of the documents, at most `most`."""
    after, left = -1, most
    while left is None or left > 0:
        size = PAGE_SIZE if left is None else min(PAGE_SIZE, left)
        values = {"task_id": task_id, "after": after, "status": status, "most": size}
        rows = connection.execute(PAGE, values).all()
        yield from (dict(row._mapping) for row in rows)
        if len(rows) < size:
            return
        after = rows[-1].ordinal
        left = None if left is None else left - len(rows)


def names(connection: Connection, task_id: str) -> list[dict[str, Any]]:
    """All documents at once, without their results."""
    return [dict(row._mapping) for row in connection.execute(NAMES, {"task_id": task_id})]


def attempts(connection: Connection, task_id: str) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in connection.execute(ATTEMPTS, {"task_id": task_id})]


def claims(connection: Connection, task_id: str, most: int = 20) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in connection.execute(CLAIMS, {"task_id": task_id, "most": most})]


def runs_of(connection: Connection, task_id: str, stale_seconds: float) -> int:
    return int(connection.execute(RUNS_OF, {"task_id": task_id, "stale_seconds": stale_seconds}).scalar_one())


def open_in_leased(connection: Connection, task_id: str, stale_seconds: float) -> int:
    return int(connection.execute(OPEN_IN_LEASED, {"task_id": task_id, "stale_seconds": stale_seconds}).scalar_one())


def lost_holders(connection: Connection, task_id: str, names: list[str]) -> list[str]:
    return list(connection.execute(LOST_HOLDERS, {"task_id": task_id, "names": names}).scalars()) if names else []
