"""Statements on `extraction_task` and the bulk load of a submit. Only the owner role may write here."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from scatter_pipelines.errors import ScatterError
from scatter_pipelines.model.result import Counts, SourceDocument, Task
from scatter_pipelines.store.results import as_json, clean

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

INSERT = text("""
    -- accepts a task once per idempotency key
    INSERT INTO scatter.extraction_task
           (id, idempotency_key, key_origin, sources, template_name, template, template_hash, engine, expected_count)
    VALUES (:id, :idempotency_key, :key_origin, CAST(:sources AS json), :template_name, CAST(:template AS json),
            :template_hash, CAST(:engine AS json), :expected_count)
    ON CONFLICT (idempotency_key) DO NOTHING
    RETURNING id
""")

INSERT_SHARDS = text("""
    -- cuts the shards of a task
    INSERT INTO scatter.extraction_shard (task_id, shard) SELECT :task_id, generate_series(0, :shards - 1)
""")

COPY_RESULTS = """
    COPY scatter.extraction_result (task_id, shard, ordinal, uri, filename, size, media_type, sha256, columns)
    FROM STDIN
"""

COLUMNS = """
    t.id, t.idempotency_key, t.key_origin, t.sources, t.template_name, t.template, t.template_hash, t.engine,
    t.expected_count, t.status, t.closing, t.submitted_at, t.started_at, t.closed_at, t.announced_closing,
    extract(epoch FROM coalesce(t.closed_at, clock_timestamp()) - t.started_at)::float8 AS elapsed_seconds
"""

GET = text(f"SELECT {COLUMNS} FROM scatter.extraction_task t WHERE t.id = :id")
BY_KEY = text(f"SELECT {COLUMNS} FROM scatter.extraction_task t WHERE t.idempotency_key = :key")
BY_PREFIX = text("SELECT id FROM scatter.extraction_task WHERE id LIKE :prefix ORDER BY id LIMIT 2")
LATEST = text("SELECT id FROM scatter.extraction_task ORDER BY submitted_at DESC LIMIT 1")
RECENT = text(f"SELECT {COLUMNS} FROM scatter.extraction_task t ORDER BY t.submitted_at DESC LIMIT :most")
UNANNOUNCED = text(f"""
    SELECT {COLUMNS} FROM scatter.extraction_task t
     WHERE t.closed_at IS NOT NULL AND t.announced_closing < t.closing ORDER BY t.closed_at LIMIT :most
""")

COUNTS = text("""
    -- the only truth about progress; of one task, as a list of ids may be planned to read every task's rows
    SELECT status, count(*) AS n FROM scatter.extraction_result WHERE task_id = :id GROUP BY status
""")

CLOSABLE = text("""
    -- open tasks without an open row, by one look into the partial index for each: as a join (NOT EXISTS) it reads all
    -- open rows for each task where statistics are old; not those held because rows are missing
    SELECT t.id FROM scatter.extraction_task t
     WHERE t.status = 'processing' AND (CAST(:task_id AS text) IS NULL OR t.id = :task_id)
       AND (SELECT true FROM scatter.extraction_result r
             WHERE r.task_id = t.id AND r.status IN ('pending', 'extracting') LIMIT 1) IS NULL
       AND NOT EXISTS (SELECT FROM scatter.task_hold h
                        WHERE h.task_id = t.id AND h.reason LIKE 'counts_differ:%'
                          AND NOT EXISTS (SELECT FROM scatter.task_hold_release x WHERE x.hold_id = h.id))
     ORDER BY t.submitted_at LIMIT :most
""")

LOCK = text("SELECT status FROM scatter.extraction_task WHERE id = :id FOR UPDATE")

CLOSE = text("""
    -- closes a locked task whose rows are all terminal and add up; the status follows from the rows
    UPDATE scatter.extraction_task t
       SET closed_at = clock_timestamp(),
           status = CASE WHEN t.cancelled_at IS NOT NULL AND c.cancelled > 0 THEN 'cancelled'
                         WHEN c.completed = 0 THEN 'failed'
                         WHEN c.completed < c.total THEN 'completed_with_errors'
                         ELSE 'completed' END
      FROM (SELECT count(*) AS total,
                   count(*) FILTER (WHERE status = 'completed') AS completed,
                   count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
                   count(*) FILTER (WHERE status IN ('pending', 'extracting')) AS open
              FROM scatter.extraction_result WHERE task_id = :id) c
     WHERE t.id = :id AND t.status = 'processing' AND c.open = 0 AND c.total = t.expected_count
    RETURNING t.status, t.closing
""")

MARK_ANNOUNCED = text("""
    UPDATE scatter.extraction_task SET announced_closing = :closing, announced_at = clock_timestamp()
     WHERE id = :id AND announced_closing < :closing
    RETURNING id
""")

TRY_ANNOUNCING = text("SELECT pg_try_advisory_xact_lock(:key)")
ANNOUNCE_LOCK = 0x5CA7_00A0

RECENTLY_ANNOUNCED = text(f"""
    SELECT {COLUMNS} FROM scatter.extraction_task t
     WHERE t.closed_at IS NOT NULL AND t.announced_closing = t.closing
       AND t.announced_at > clock_timestamp() - make_interval(secs => :seconds)
     ORDER BY t.announced_at LIMIT :most
""")

ERRORS = text("""
    -- how often each error code occurred in a task
    SELECT error_code, count(*) AS n FROM scatter.extraction_result
     WHERE task_id = :id AND status = 'error' GROUP BY error_code ORDER BY n DESC, error_code
""")

TOTALS = text("""
    -- what a task came to: its rows, and the ledger of its calls, whose documents may not be done yet
    SELECT r.pages, r.with_missing, r.unverified, r.estimated_calls, r.estimated_input_tokens,
           r.estimated_output_tokens, r.estimated_cost_usd, r.most_cost_usd, r.unpriced, c.*
      FROM (SELECT coalesce(sum(pages), 0) AS pages,
                   count(*) FILTER (WHERE cardinality(missing) > 0) AS with_missing,
                   coalesce(sum((usage->>'unverified_values')::bigint), 0)::bigint AS unverified,
                   sum((usage->>'estimated_calls')::bigint)::bigint AS estimated_calls,
                   sum((usage->>'estimated_input_tokens')::bigint)::bigint AS estimated_input_tokens,
                   sum((usage->>'estimated_output_tokens')::bigint)::bigint AS estimated_output_tokens,
                   sum((usage->>'estimated_cost_usd')::float8) AS estimated_cost_usd,
                   sum((usage->>'most_cost_usd')::float8) AS most_cost_usd,
                   coalesce(bool_or((usage->>'estimated_calls')::bigint > 0 AND usage->>'most_cost_usd' IS NULL), false)
                       AS unpriced
              FROM scatter.extraction_result WHERE task_id = :id) r,
           (SELECT count(*) FILTER (WHERE state <> 'failed') AS calls,
                   count(*) FILTER (WHERE state = 'failed') AS calls_failed,
                   count(*) FILTER (WHERE state = 'lost') AS calls_lost,
                   coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
                   coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
                   coalesce(sum(cost_usd), 0)::float8 AS cost_usd,
                   coalesce(bool_or(state = 'settled' AND cost_usd IS NULL), false) AS price_unknown
              FROM scatter.llm_call WHERE task_id = :id) c
""")


@dataclass(frozen=True, slots=True)
class NewTask:
    """What a submit decided, before anything is written."""

    idempotency_key: str
    key_origin: str
    sources: Sequence[str]
    template_name: str
    template: Mapping[str, Any]
    template_hash: str
    engine: Mapping[str, Any]
    documents: Sequence[SourceDocument]
    shard_size: int


def new_id() -> str:
    """60 random bits in 12 characters that are easily read out."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(12))


def insert(connection: Connection, new: NewTask) -> str | None:
    """Writes task, shards and rows; None: the key is taken."""
    values = {
        "id": new_id(),
        "idempotency_key": new.idempotency_key,
        "key_origin": new.key_origin,
        "sources": as_json([clean(source) for source in new.sources]),
        "template_name": new.template_name,
        "template": as_json(new.template),
        "template_hash": new.template_hash,
        "engine": as_json(new.engine),
        "expected_count": len(new.documents),
    }
    task_id: str | None = connection.execute(INSERT, values).scalar_one_or_none()
    if task_id is None:
        return None
    shards = -(-len(new.documents) // new.shard_size)
    connection.execute(INSERT_SHARDS, {"task_id": task_id, "shards": shards})
    _copy(connection, task_id, new.documents, new.shard_size)
    return task_id


def _copy(connection: Connection, task_id: str, documents: Iterable[SourceDocument], shard_size: int) -> None:
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(COPY_RESULTS) as copy:
        for ordinal, document in enumerate(documents):
            columns = json.dumps(dict(document.columns), ensure_ascii=False)
            row = (document.uri, document.filename, document.size, document.media_type, document.sha256, columns)
            copy.write_row((task_id, ordinal // shard_size, ordinal, *row))


def _task(row: Any) -> Task:
    values = dict(row._mapping)
    return Task(**values | {"sources": tuple(values["sources"])})


def get(connection: Connection, task_id: str) -> Task | None:
    row = connection.execute(GET, {"id": task_id}).one_or_none()
    return _task(row) if row is not None else None


def by_key(connection: Connection, key: str) -> Task | None:
    row = connection.execute(BY_KEY, {"key": key}).one_or_none()
    return _task(row) if row is not None else None


def find_ids(connection: Connection, prefix: str) -> list[str]:
    """At most two ids that start so: none, the one, or ambiguous."""
    pattern = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return list(connection.execute(BY_PREFIX, {"prefix": pattern}).scalars())


def latest_id(connection: Connection) -> str | None:
    return connection.execute(LATEST).scalar_one_or_none()


def recent(connection: Connection, most: int) -> list[Task]:
    return [_task(row) for row in connection.execute(RECENT, {"most": most})]


def unannounced(connection: Connection, most: int = 100) -> list[Task]:
    """Closed tasks whose last closing nobody was told of yet."""
    return [_task(row) for row in connection.execute(UNANNOUNCED, {"most": most})]


def counts(connection: Connection, task_id: str) -> Counts:
    return Counts(**{row.status: row.n for row in connection.execute(COUNTS, {"id": task_id})})


def closable(connection: Connection, task_id: str | None = None, most: int = 200) -> list[str]:
    """Of all tasks or one."""
    return list(connection.execute(CLOSABLE, {"task_id": task_id, "most": most}).scalars())


def lock(connection: Connection, task_id: str) -> str | None:
    """Locks the row until the transaction ends, so that what is counted next cannot change under it."""
    return connection.execute(LOCK, {"id": task_id}).scalar_one_or_none()


def close(connection: Connection, task_id: str) -> tuple[str, int] | None:
    """(status, closing number); None: not open any more, rows left, or the rows do not add up. Needs `lock`."""
    row = connection.execute(CLOSE, {"id": task_id}).one_or_none()
    return (row.status, row.closing) if row is not None else None


def mark_announced(connection: Connection, task_id: str, closing: int) -> bool:
    return connection.execute(MARK_ANNOUNCED, {"id": task_id, "closing": closing}).first() is not None


def try_announcing(connection: Connection) -> bool:
    """Whether this transaction is the one that announces, until it ends."""
    return bool(connection.execute(TRY_ANNOUNCING, {"key": ANNOUNCE_LOCK}).scalar_one())


def recently_announced(connection: Connection, seconds: float, most: int = 100) -> list[Task]:
    """Closed tasks of which was told in the last seconds, first told first."""
    return [_task(row) for row in connection.execute(RECENTLY_ANNOUNCED, {"seconds": seconds, "most": most})]


def error_counts(connection: Connection, task_id: str) -> dict[str, int]:
    return {row.error_code: row.n for row in connection.execute(ERRORS, {"id": task_id})}


def totals(connection: Connection, task_id: str) -> dict[str, Any]:
    """Pages, calls, tokens and cost of a task or of its estimate; documents that lack a required field."""
    return dict(connection.execute(TOTALS, {"id": task_id}).one()._mapping)


def require(connection: Connection, task_id: str) -> Task:
    task = get(connection, task_id)
    if task is None:
        raise ScatterError("task_unknown", f"There is no task {task_id}.")
    return task
