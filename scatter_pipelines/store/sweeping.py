"""The statements that find and end what died: stale claims, and tasks that get on no more."""

from sqlalchemy import Connection, text

from scatter_pipelines.model.result import SweptClaim
from scatter_pipelines.settings import Settings
from scatter_pipelines.store.results import ending

STALE = """
    b.result_id IS NULL
    OR b.beat_at < clock_timestamp() - make_interval(secs => :stale_seconds)
    OR b.progress_at < clock_timestamp() - make_interval(secs => :progress_seconds)
    OR r.claimed_at < clock_timestamp() - make_interval(secs => :document_seconds + b.waited_ms / 1000.0)
"""

SWEEP_CLAIMS = ending(f"""
    -- takes claims from silent workers (a loss) and from stuck ones (a limit hit); materialized, because a
    -- plan that reads a page anew for each row would take more than a page
    WITH stale AS MATERIALIZED (
        SELECT r.id, r.attempt, r.losses, r.limit_hits, r.host, r.run_id,
               b.result_id IS NULL
                 OR b.beat_at < clock_timestamp() - make_interval(secs => :stale_seconds) AS lost,
               CASE WHEN b.result_id IS NULL
                      OR b.beat_at < clock_timestamp() - make_interval(secs => :stale_seconds)
                    THEN 'worker_crashed'
                    WHEN r.claimed_at < clock_timestamp()
                         - make_interval(secs => :document_seconds + b.waited_ms / 1000.0)
                    THEN 'document_timeout' ELSE 'no_progress' END AS why
          FROM scatter.extraction_result r
          LEFT JOIN scatter.claim_beat b ON b.result_id = r.id AND b.attempt = r.attempt
         WHERE r.status = 'extracting' AND (CAST(:task_id AS text) IS NULL OR r.task_id = :task_id)
           AND ({STALE})
         ORDER BY r.id LIMIT :page FOR UPDATE OF r SKIP LOCKED)
    UPDATE scatter.extraction_result r
       SET losses = r.losses + s.lost::int,
           limit_hits = r.limit_hits + (NOT s.lost)::int,
           status = CASE WHEN s.last THEN 'error' ELSE 'pending' END,
           finished_at = CASE WHEN s.last THEN clock_timestamp() END,
           error_code = CASE WHEN s.last THEN s.why END,
           error_stage = CASE WHEN s.last THEN 'work' END,
           error_message = CASE WHEN s.last THEN s.note END,
           not_before = NULL
      FROM (
        SELECT c.*,
               CASE WHEN c.lost THEN c.losses + 1 >= :max_losses ELSE c.limit_hits >= 1 END AS last,
               CASE c.why
                 WHEN 'worker_crashed' THEN format('The worker on %s (run %s) was lost; this was loss %s of %s.',
                                                   c.host, c.run_id, c.losses + 1, :max_losses)
                 WHEN 'document_timeout' THEN format('The document took longer than %s s on %s (run %s).',
                                                     :document_seconds, c.host, c.run_id)
                 ELSE format('The document made no progress for %s s on %s (run %s).',
                             :progress_seconds, c.host, c.run_id) END AS note
          FROM stale c) s
     WHERE r.id = s.id AND r.attempt = s.attempt AND r.status = 'extracting'
    RETURNING r.*, CASE WHEN s.lost THEN 'lost' ELSE 'limit' END AS outcome, s.why AS code, s.note
""")

SURVEY = text(f"""
    -- what a sweep would find
    SELECT (SELECT count(*) FROM scatter.extraction_result WHERE status = 'extracting') AS claims,
           (SELECT count(*) FROM scatter.extraction_result r
              LEFT JOIN scatter.claim_beat b ON b.result_id = r.id AND b.attempt = r.attempt
             WHERE r.status = 'extracting' AND ({STALE})) AS stale_claims,
           (SELECT count(*) FROM scatter.shard_lease) AS leases,
           (SELECT count(*) FROM scatter.shard_lease
             WHERE beat_at < clock_timestamp() - make_interval(secs => :stale_seconds)) AS stale_leases
""")

STALLED = text("""
    -- open tasks that got on with nothing for too long and were not reported since; a document that comes back
    -- again and again is no progress, however often it is claimed
    WITH working AS MATERIALIZED (
        SELECT r.task_id, max(b.progress_at) AS progress_at
          FROM scatter.extraction_result r
          JOIN scatter.claim_beat b ON b.result_id = r.id
         WHERE r.status = 'extracting' AND r.tries + r.losses + r.waits + r.limit_hits = 0
         GROUP BY r.task_id
    ), latest AS MATERIALIZED (
        SELECT t.id,
               greatest(t.started_at, w.progress_at,
                        (SELECT max(r.finished_at) FROM scatter.extraction_result r WHERE r.task_id = t.id))
                   AS progress_at
          FROM scatter.extraction_task t LEFT JOIN working w ON w.task_id = t.id
         WHERE t.status = 'processing')
    SELECT p.id, p.progress_at FROM latest p
     WHERE p.progress_at < clock_timestamp() - make_interval(secs => :stall_seconds)
       AND NOT EXISTS (SELECT FROM scatter.task_event e
                        WHERE e.task_id = p.id AND e.kind = 'stalled' AND e.at > p.progress_at)
     ORDER BY p.progress_at LIMIT :most
""")

PAGE = 200


def _limits(settings: Settings) -> dict[str, float]:
    return {
        "stale_seconds": settings.stale_seconds,
        "progress_seconds": settings.progress_seconds,
        "document_seconds": settings.document_seconds,
    }


def sweep_claims(connection: Connection, settings: Settings, task_id: str | None = None) -> list[SweptClaim]:
    """One page of stale claims, ended or given back. Call until a page comes back short."""
    values = _limits(settings) | {"max_losses": settings.max_losses, "page": PAGE}
    rows = connection.execute(SWEEP_CLAIMS, values | {"task_id": task_id})
    return [SweptClaim(r.id, r.task_id, r.filename, r.attempt, r.status, r.host, r.code, r.note) for r in rows]


def survey(connection: Connection, settings: Settings) -> dict[str, int]:
    return dict(connection.execute(SURVEY, _limits(settings)).one()._mapping)


def stalled(connection: Connection, stall_seconds: float, most: int = 100) -> list[str]:
    rows = connection.execute(STALLED, {"stall_seconds": stall_seconds, "most": most})
    return [row.id for row in rows]
