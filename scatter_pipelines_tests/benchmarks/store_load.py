"""A store with many rows: a thousand open tasks, two fifths of them done, nothing vacuumed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from scatter_pipelines.model.result import Extraction
from scatter_pipelines_tests.benchmarks.database import connect, one_row

SHARD_SIZE = 500
CLAIMED = 50
TABLES = ("extraction_task", "extraction_shard", "extraction_result", "extraction_attempt", "claim_beat", "shard_lease")

EVIDENCE = {
    "page": 3, "start": 1204, "end": 1291, "bbox": [72.0, 310.25, 523.4, 335.11], "verified": True,
    "quote": "We enrolled 412 patients at 17 sites between March 2019 and June 2021.",
}  # fmt: skip
EXTRACTION = Extraction(
    fields={f"field_{number}": {"value": f"value {number}", "evidence": [EVIDENCE]} for number in range(12)},
    missing=(),
    usage={"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0},
    timings={"slot_ms": 0, "read_ms": 1, "parse_ms": 80, "extract_ms": 9},
    pages=10,
    media_type="application/pdf",
)
"""What a paper of ten pages comes to, about 3 kB."""


@dataclass(frozen=True)
class Size:
    """Tasks, and documents in each of them."""

    tasks: int
    documents: int

    @property
    def rows(self) -> int:
        return self.tasks * self.documents


TASKS = """
    -- open tasks, submitted two hours ago
    INSERT INTO scatter.extraction_task
           (id, idempotency_key, key_origin, sources, template_name, template, template_hash, engine, expected_count,
            submitted_at, started_at)
    SELECT 'load-' || lpad(n::text, 5, '0'), 'load-' || n, 'given', '[]', 'paper', '{}', 'hash', '{"name": "rules"}',
           %(documents)s, clock_timestamp() - interval '2 hours', clock_timestamp() - interval '2 hours'
      FROM generate_series(1, %(tasks)s) n
"""

SHARDS = """
    -- their shards, none of them dispatched
    INSERT INTO scatter.extraction_shard (task_id, shard)
    SELECT id, generate_series(0, (%(documents)s - 1) / %(shard_size)s) FROM scatter.extraction_task
"""

ROWS = """
    -- their documents, all pending
    INSERT INTO scatter.extraction_result (task_id, shard, ordinal, uri, filename, size, media_type, sha256)
    SELECT t.id, n / %(shard_size)s, n, format('file:///documents/%%s/%%s.pdf', t.id, n), n || '.pdf', 200000,
           'application/pdf', md5(t.id || n) || md5(n::text)
      FROM scatter.extraction_task t, generate_series(0, %(documents)s - 1) n ORDER BY t.id, n
"""

DONE = """
    -- two of five are completed
    UPDATE scatter.extraction_result
       SET status = 'completed', attempt = 1, claim_token = gen_random_uuid(), claimed_at = clock_timestamp(),
           finished_at = clock_timestamp(), run_id = 'run-' || task_id, step_key = 'extract', host = 'host:1',
           fields = CAST(%(fields)s AS json), missing = '{}', usage = '{}', timings = '{}', pages = 10
     WHERE ordinal %% 5 < 2
"""

ATTEMPTS = """
    -- the history of what is completed
    INSERT INTO scatter.extraction_attempt (result_id, attempt, run_id, step_key, host, started_at, outcome)
    SELECT id, attempt, run_id, step_key, host, claimed_at, 'completed'
      FROM scatter.extraction_result WHERE status = 'completed'
"""

CLAIMS = """
    -- one document in each of the last tasks is at work
    WITH claimed AS (
        UPDATE scatter.extraction_result
           SET status = 'extracting', attempt = 1, claim_token = gen_random_uuid(), claimed_at = clock_timestamp(),
               run_id = 'run-' || task_id, step_key = 'extract', host = 'host:1'
         WHERE ordinal = 2 AND task_id IN (SELECT id FROM scatter.extraction_task ORDER BY id DESC LIMIT %(claimed)s)
        RETURNING id, task_id, run_id
    ), leased AS (
        INSERT INTO scatter.shard_lease (task_id, shard, run_id, taken_at, beat_at)
        SELECT task_id, 0, run_id, clock_timestamp(), clock_timestamp() FROM claimed
    )
    INSERT INTO scatter.claim_beat (result_id, attempt, beat_at, progress_at)
    SELECT id, 1, clock_timestamp(), clock_timestamp() FROM claimed
"""

BEAT = (
    "UPDATE scatter.claim_beat SET beat_at = clock_timestamp(), progress_at = clock_timestamp()",
    "UPDATE scatter.shard_lease SET beat_at = clock_timestamp()",
)

FINISH = """
    -- everything of some tasks is completed
    UPDATE scatter.extraction_result SET status = 'completed', finished_at = clock_timestamp()
     WHERE status = 'pending'
       AND task_id IN (SELECT id FROM scatter.extraction_task WHERE status = 'processing' ORDER BY id LIMIT %s)
"""

WRITABLE = """
    -- pending documents from all over the tasks but the first
    SELECT id FROM scatter.extraction_result
     WHERE status = 'pending' AND task_id IN (SELECT id FROM scatter.extraction_task ORDER BY id OFFSET %s)
     ORDER BY ordinal, task_id LIMIT %s
"""

DEAD = """
    -- dead tuples of the results, as PostgreSQL counts them
    SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'scatter.extraction_result'::regclass
"""


@contextmanager
def loaded(size: Size) -> Iterator[None]:
    """The rows are there within the block, and no vacuum or analyze touches them."""
    _switch("autovacuum_enabled = off, toast.autovacuum_enabled = off")
    try:
        _load(size)
        yield
    finally:
        empty()
        _switch("")


def _switch(options: str) -> None:
    change = f"SET ({options})" if options else "RESET (autovacuum_enabled, toast.autovacuum_enabled)"
    with connect() as connection:
        for table in TABLES:
            connection.execute(f"ALTER TABLE scatter.{table} {change}".encode())


def empty() -> None:
    with connect() as connection:
        connection.execute(f"TRUNCATE {', '.join(f'scatter.{table}' for table in TABLES)} CASCADE".encode())


def _load(size: Size) -> None:
    empty()
    fill(size)
    values = {"claimed": min(CLAIMED, size.tasks // 2), "fields": json.dumps(EXTRACTION.fields)}
    with connect() as connection:
        for statement in (DONE, ATTEMPTS, CLAIMS):
            connection.execute(statement, values)


def fill(size: Size) -> None:
    """Tasks of which nothing is done yet."""
    values = {"tasks": size.tasks, "documents": size.documents, "shard_size": SHARD_SIZE}
    with connect() as connection:
        for statement in (TASKS, SHARDS, ROWS):
            connection.execute(statement, values)


def beat() -> None:
    """Keeps what is at work from looking lost."""
    with connect() as connection:
        for statement in BEAT:
            connection.execute(statement)


def finish(tasks: int) -> None:
    """Makes the first open tasks closable."""
    with connect() as connection:
        connection.execute(FINISH, (tasks,))


def writable(but: int, most: int) -> list[int]:
    """Documents that writers may claim, of all tasks but the first."""
    with connect() as connection:
        return [int(row[0]) for row in connection.execute(WRITABLE, (but, most))]


def dead_tuples() -> int:
    return int(one_row(DEAD)[0])
