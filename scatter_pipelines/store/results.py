"""A worker's statements on `extraction_result`: claim, and every way an attempt ends.

Each is one guarded statement that also writes the attempt's history and removes its beat. What an operator
or the sweeper does to rows is in `operations.py` and `sweeping.py`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, TextClause, text

from scatter_pipelines.model.result import Claim, Extraction, Holder, ResultState
from scatter_pipelines.model.states import ResultStatus
from scatter_pipelines.store.holds import OPEN_HOLD

CLAIM = text(f"""
    -- takes one due, pending, unheld result and beats for it
    WITH claimed AS (
        UPDATE scatter.extraction_result r
           SET status = 'extracting', attempt = r.attempt + 1, claim_token = :token, claimed_at = clock_timestamp(),
               run_id = :run_id, step_key = :step_key, host = :host, not_before = NULL
         WHERE r.id = :result_id AND r.status = 'pending'
           AND (r.not_before IS NULL OR r.not_before <= clock_timestamp())
           AND NOT {OPEN_HOLD.format(task="r.task_id")}
        RETURNING r.*
    ), beat AS (
        INSERT INTO scatter.claim_beat (result_id, attempt, beat_at, progress_at)
        SELECT id, attempt, clock_timestamp(), clock_timestamp() FROM claimed
        ON CONFLICT (result_id) DO UPDATE
           SET attempt = excluded.attempt, beat_at = excluded.beat_at, progress_at = excluded.progress_at,
               stage = 0, done = 0, total = 0, waited_ms = 0
    )
    SELECT id, task_id, shard, attempt, claim_token, uri, filename, size, sha256
      FROM claimed
""")

OWN_CLAIM = text("""
    -- finds a claim whose commit was confirmed to nobody
    SELECT id, task_id, shard, attempt, claim_token, uri, filename, size, sha256
      FROM scatter.extraction_result
     WHERE id = :result_id AND claim_token = :token AND status = 'extracting'
""")

CLAIM_OF = text("""
    -- the claim that a worker was at when it was lost
    SELECT id, task_id, shard, attempt, claim_token, uri, filename, size, sha256
      FROM scatter.extraction_result
     WHERE id = :result_id AND run_id = :run_id AND step_key = :step_key AND host = :host AND status = 'extracting'
""")

STATE = text(f"""
    -- what a worker must know of a row
    SELECT r.id, r.task_id, r.shard, r.filename, r.status, r.attempt, r.claim_token, r.error_code, r.error_message,
           r.losses, r.run_id, r.step_key, r.pages,
           greatest(0, extract(epoch FROM r.not_before - clock_timestamp()))::float8 AS due_in,
           {OPEN_HOLD.format(task="r.task_id")} AS held
      FROM scatter.extraction_result r
     WHERE r.id = :result_id
""")

NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""An escaped NUL in JSON text; behind an odd number of backslashes `u0000` are letters."""

FENCE = "r.id = :result_id AND r.attempt = :attempt AND r.status = 'extracting'"


def ending(update: str) -> TextClause:
    """An UPDATE that ends attempts, with what depends on it: history row in, beat out.

    `update` must return r.* and the columns `outcome`, `code` and `note`.
    """
    return text(f"""
    WITH ended AS ({update}),
    history AS (
        INSERT INTO scatter.extraction_attempt
               (result_id, attempt, run_id, step_key, host, started_at, outcome, code, message)
        SELECT id, attempt, run_id, step_key, host, claimed_at, outcome, code, note FROM ended
        ON CONFLICT DO NOTHING
    ), silence AS (
        DELETE FROM scatter.claim_beat b USING ended e WHERE b.result_id = e.id AND b.attempt = e.attempt
    )
    SELECT id, task_id, filename, attempt, status, host, code, note,
           greatest(0, extract(epoch FROM not_before - clock_timestamp()))::float8 AS due_in
      FROM ended
    """)


SPENT = """coalesce((
               SELECT json_build_object('input_tokens', sum(c.input_tokens), 'output_tokens', sum(c.output_tokens),
                          'cost_usd', CASE WHEN bool_or(c.state = 'settled' AND c.cost_usd IS NULL) THEN NULL
                                           ELSE coalesce(sum(c.cost_usd), 0)::float8 END,
                          'calls', count(*))
                 FROM scatter.llm_call c WHERE c.result_id = r.id AND c.state <> 'failed'
               HAVING count(*) > 0), r.usage)"""
"""SQL: the usage of a row that ends without fields: what its calls came to, if it made any."""

COMPLETE = ending(f"""
    UPDATE scatter.extraction_result r
       SET status = 'completed', finished_at = clock_timestamp(), error_code = NULL, error_stage = NULL,
           error_message = NULL, fields = CAST(:fields AS json), missing = :missing,
           usage = CAST(:usage AS json), timings = CAST(:timings AS json), pages = :pages, media_type = :media_type
     WHERE {FENCE}
    RETURNING r.*, 'completed' AS outcome, CAST(NULL AS text) AS code, CAST(:note AS text) AS note
""")

FAIL = ending(f"""
    UPDATE scatter.extraction_result r
       SET status = 'error', finished_at = clock_timestamp(), error_code = :code, error_stage = :stage,
           error_message = :message, timings = CAST(:timings AS json), usage = {SPENT}
     WHERE {FENCE}
    RETURNING r.*, 'error' AS outcome, r.error_code AS code, r.error_message AS note
""")

TRY_LATER = ending(f"""
    UPDATE scatter.extraction_result r
       SET tries = r.tries + 1, usage = {SPENT},
           status = CASE WHEN r.tries >= :max_tries THEN 'error' ELSE 'pending' END,
           finished_at = CASE WHEN r.tries >= :max_tries THEN clock_timestamp() END,
           error_code = CASE WHEN r.tries >= :max_tries THEN :code END,
           error_stage = CASE WHEN r.tries >= :max_tries THEN :stage END,
           error_message = CASE WHEN r.tries >= :max_tries THEN :message END,
           not_before = CASE WHEN r.tries < :max_tries THEN clock_timestamp() + make_interval(secs => coalesce(
               CAST(:retry_after AS float8), :retry_seconds * power(2, r.tries) * (0.9 + 0.2 * random()))) END
     WHERE {FENCE}
    RETURNING r.*, 'transient' AS outcome, CAST(:code AS text) AS code, CAST(:message AS text) AS note
""")

WAIT_LATER = ending(f"""
    UPDATE scatter.extraction_result r
       SET waits = r.waits + 1, usage = {SPENT},
           status = CASE WHEN r.waits >= :max_waits THEN 'error' ELSE 'pending' END,
           finished_at = CASE WHEN r.waits >= :max_waits THEN clock_timestamp() END,
           error_code = CASE WHEN r.waits >= :max_waits THEN :code END,
           error_stage = CASE WHEN r.waits >= :max_waits THEN :stage END,
           error_message = CASE WHEN r.waits >= :max_waits THEN :message END,
           not_before = CASE WHEN r.waits < :max_waits THEN clock_timestamp() + make_interval(secs => coalesce(
               CAST(:retry_after AS float8), :retry_seconds * (0.9 + 0.2 * random()))) END
     WHERE {FENCE}
    RETURNING r.*, 'waited' AS outcome, CAST(:code AS text) AS code, CAST(:message AS text) AS note
""")

HIT_LIMIT = ending(f"""
    UPDATE scatter.extraction_result r
       SET limit_hits = r.limit_hits + 1, usage = {SPENT},
           status = CASE WHEN r.limit_hits >= 1 THEN 'error' ELSE 'pending' END,
           finished_at = CASE WHEN r.limit_hits >= 1 THEN clock_timestamp() END,
           error_code = CASE WHEN r.limit_hits >= 1 THEN :code END,
           error_stage = CASE WHEN r.limit_hits >= 1 THEN :stage END,
           error_message = CASE WHEN r.limit_hits >= 1 THEN :message END
     WHERE {FENCE}
    RETURNING r.*, 'limit' AS outcome, CAST(:code AS text) AS code, CAST(:message AS text) AS note
""")

LOSE = ending(f"""
    UPDATE scatter.extraction_result r
       SET losses = r.losses + 1, usage = {SPENT},
           status = CASE WHEN r.losses + 1 >= :max_losses THEN 'error' ELSE 'pending' END,
           finished_at = CASE WHEN r.losses + 1 >= :max_losses THEN clock_timestamp() END,
           error_code = CASE WHEN r.losses + 1 >= :max_losses THEN :code END,
           error_stage = CASE WHEN r.losses + 1 >= :max_losses THEN :stage END,
           error_message = CASE WHEN r.losses + 1 >= :max_losses THEN
               format('%s This was loss %s of %s.', CAST(:message AS text), r.losses + 1, :max_losses) END
     WHERE {FENCE}
    RETURNING r.*, 'lost' AS outcome, CAST(:code AS text) AS code, CAST(:message AS text) AS note
""")

GIVE_BACK = ending(f"""
    UPDATE scatter.extraction_result r
       SET status = 'pending'
     WHERE {FENCE}
    RETURNING r.*, 'given_back' AS outcome, CAST(NULL AS text) AS code, CAST(:message AS text) AS note
""")

PENDING_OF_SHARDS = text("""
    -- a run's work list, read anew on every execution
    SELECT id, filename FROM scatter.extraction_result
     WHERE task_id = :task_id AND shard = ANY(:shards) AND status = 'pending'
     ORDER BY ordinal
""")

FAILED_IN_RUN = text("""
    -- how many documents ended in error in a run
    SELECT count(*) FROM scatter.extraction_result WHERE run_id = :run_id AND status = 'error'
""")


def claim(connection: Connection, result_id: int, holder: Holder, token: UUID) -> Claim | None:
    """None: somebody else has it, it is over, not due or on hold. The same token may be tried again."""
    parameters = {"result_id": result_id, "token": token, "run_id": holder.run_id}
    row = connection.execute(CLAIM, parameters | {"step_key": holder.step_key, "host": holder.host}).one_or_none()
    if row is None:
        row = connection.execute(OWN_CLAIM, parameters).one_or_none()
    return Claim(*row) if row is not None else None


def claim_of(connection: Connection, result_id: int, run_id: str, step_key: str, host: str) -> Claim | None:
    """What a process holds; None: nothing any more, or nothing yet."""
    values = {"result_id": result_id, "run_id": run_id, "step_key": step_key, "host": host}
    row = connection.execute(CLAIM_OF, values).one_or_none()
    return Claim(*row) if row is not None else None


def state(connection: Connection, result_id: int) -> ResultState | None:
    row = connection.execute(STATE, {"result_id": result_id}).one_or_none()
    if row is None:
        return None
    values = dict(row._mapping)
    return ResultState(result_id=values.pop("id"), **values)


def pending_of_shards(connection: Connection, task_id: str, shards: list[int]) -> list[tuple[int, str]]:
    """(result id, file name) of what is left to do, due or not."""
    rows = connection.execute(PENDING_OF_SHARDS, {"task_id": task_id, "shards": shards})
    return [(row.id, row.filename) for row in rows]


def failed_in_run(connection: Connection, run_id: str) -> int:
    return int(connection.execute(FAILED_IN_RUN, {"run_id": run_id}).scalar_one())


def complete(connection: Connection, claimed: Claim, extraction: Extraction) -> bool:
    """False: the claim is no longer ours and nothing was written."""
    return (
        _end(
            connection,
            COMPLETE,
            claimed,
            fields=as_json(extraction.fields),
            missing=list(extraction.missing),
            usage=as_json(extraction.usage),
            timings=as_json(extraction.timings),
            pages=extraction.pages,
            media_type=extraction.media_type,
            note=clean(extraction.note) or None,
        )
        is not None
    )


def fail(
    connection: Connection, claimed: Claim, code: str, stage: str, message: str, timings: Mapping[str, int]
) -> bool:
    """Ends the row in error. False: the claim is no longer ours."""
    values = {"code": code, "stage": stage, "message": clean(message), "timings": as_json(timings)}
    return _end(connection, FAIL, claimed, **values) is not None


def try_later(
    connection: Connection,
    claimed: Claim,
    code: str,
    stage: str,
    message: str,
    *,
    retry_after: float | None,
    retry_seconds: float,
    max_tries: int,
) -> tuple[ResultStatus, float] | None:
    """Counts a try. The new status and the seconds until it is due; None: the claim is no longer ours."""
    return _end(
        connection, TRY_LATER, claimed, code=code, stage=stage, message=clean(message),
        retry_after=retry_after, retry_seconds=retry_seconds, max_tries=max_tries,
    )  # fmt: skip


def wait_later(
    connection: Connection,
    claimed: Claim,
    code: str,
    stage: str,
    message: str,
    *,
    retry_after: float | None,
    retry_seconds: float,
    max_waits: int,
) -> tuple[ResultStatus, float] | None:
    """Counts a wait, not a try. The new status and the seconds until it is due; None: no longer ours."""
    return _end(
        connection, WAIT_LATER, claimed, code=code, stage=stage, message=clean(message),
        retry_after=retry_after, retry_seconds=retry_seconds, max_waits=max_waits,
    )  # fmt: skip


def hit_limit(
    connection: Connection, claimed: Claim, code: str, stage: str, message: str
) -> tuple[ResultStatus, float] | None:
    """Counts a limit hit: pending after the first, error at the second; None: the claim is no longer ours."""
    return _end(connection, HIT_LIMIT, claimed, code=code, stage=stage, message=clean(message))


def lose(
    connection: Connection, claimed: Claim, code: str, stage: str, message: str, max_losses: int
) -> tuple[ResultStatus, float] | None:
    """Counts a loss: pending, or error at the last; None: the claim is no longer ours."""
    return _end(connection, LOSE, claimed, code=code, stage=stage, message=clean(message), max_losses=max_losses)


def give_back(connection: Connection, claimed: Claim, message: str) -> bool:
    """Back to pending and nothing counted: the work was stopped through no fault of the document."""
    return _end(connection, GIVE_BACK, claimed, message=clean(message)) is not None


def _end(
    connection: Connection, statement: TextClause, claimed: Claim, **values: Any
) -> tuple[ResultStatus, float] | None:
    row = connection.execute(
        statement, {"result_id": claimed.result_id, "attempt": claimed.attempt, **values}
    ).one_or_none()
    return (row.status, row.due_in or 0.0) if row is not None else None


def as_json(value: object) -> str:
    """JSON that PostgreSQL can store: without NUL and lone surrogates, which a document may smuggle in."""
    return NUL.sub(r"\1", json.dumps(value, ensure_ascii=False)).encode("utf-8", "replace").decode()


def clean(message: str) -> str:
    """A message that PostgreSQL can store and a screen can show."""
    return message.replace("\x00", "").encode("utf-8", "replace").decode()[:2_000]
