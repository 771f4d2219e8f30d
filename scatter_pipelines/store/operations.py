"""What operators do to the rows of a task: cancel, force-finalize, retry. Each needs the task row locked."""

from sqlalchemy import Connection, text

OPEN_ROWS = """
    (SELECT o.id AS open_id, o.status AS was FROM scatter.extraction_result o
      WHERE o.task_id = :task_id AND o.status IN ('pending', 'extracting')
        AND (CAST(:shards AS int[]) IS NULL OR o.shard = ANY(:shards))
      ORDER BY o.id FOR UPDATE)
"""

END_OPEN = text(f"""
    -- ends everything unfinished of a task, or of some shards, past every filter
    WITH ended AS (
        UPDATE scatter.extraction_result r
           SET status = :status, finished_at = clock_timestamp(), not_before = NULL,
               error_code = CASE WHEN :status = 'error' THEN :code END,
               error_stage = CASE WHEN :status = 'error' THEN 'work' END,
               error_message = :message
          FROM {OPEN_ROWS} o
         WHERE r.id = o.open_id
        RETURNING r.*, o.was
    ), history AS (
        INSERT INTO scatter.extraction_attempt
               (result_id, attempt, run_id, step_key, host, started_at, outcome, code, message)
        SELECT id, attempt, run_id, step_key, host, claimed_at, :status, :code, :message
          FROM ended WHERE was = 'extracting'
        ON CONFLICT DO NOTHING
    ), silence AS (
        DELETE FROM scatter.claim_beat b USING ended e WHERE b.result_id = e.id
    )
    SELECT count(*) FROM ended
""")

MARK_CANCELLED = text("UPDATE scatter.extraction_task SET cancelled_at = clock_timestamp() WHERE id = :task_id")

RETRY_ROWS = text("""
    -- gives ended rows a new life; the attempt number goes on
    WITH again AS (
        UPDATE scatter.extraction_result
           SET status = 'pending', tries = 0, losses = 0, waits = 0, limit_hits = 0, not_before = NULL,
               finished_at = NULL, error_code = NULL, error_stage = NULL, error_message = NULL
         WHERE task_id = :task_id AND status IN ('error', 'cancelled')
           AND (CAST(:code AS text) IS NULL OR error_code = :code
                OR (:code = 'cancelled' AND status = 'cancelled'))
        RETURNING shard
    ), due AS (
        UPDATE scatter.extraction_shard s SET dispatched_at = NULL, round = s.round + 1
         WHERE s.task_id = :task_id AND s.shard IN (SELECT shard FROM again)
    )
    SELECT count(*) FROM again
""")

REOPEN = text("""
    -- reopens a closed task for its next closing; it stops being cancelled if nothing cancelled is left
    UPDATE scatter.extraction_task
       SET closing = closing + (closed_at IS NOT NULL)::int,
           started_at = CASE WHEN closed_at IS NOT NULL THEN clock_timestamp() ELSE started_at END,
           status = 'processing', closed_at = NULL,
           cancelled_at = CASE WHEN EXISTS (SELECT FROM scatter.extraction_result r
                                             WHERE r.task_id = :task_id AND r.status = 'cancelled')
                               THEN cancelled_at END
     WHERE id = :task_id
    RETURNING closing
""")


def end_open(
    connection: Connection, task_id: str, *, status: str, code: str, message: str, shards: list[int] | None = None
) -> int:
    """How many rows were ended; their workers find out by their next beat."""
    values = {"task_id": task_id, "status": status, "code": code, "message": message, "shards": shards}
    return int(connection.execute(END_OPEN, values).scalar_one())


def mark_cancelled(connection: Connection, task_id: str) -> None:
    connection.execute(MARK_CANCELLED, {"task_id": task_id})


def retry_rows(connection: Connection, task_id: str, code: str | None) -> int:
    """How many rows are pending again."""
    return int(connection.execute(RETRY_ROWS, {"task_id": task_id, "code": code}).scalar_one())


def reopen(connection: Connection, task_id: str) -> int:
    """The number of the closing to come."""
    return int(connection.execute(REOPEN, {"task_id": task_id}).scalar_one())
