"""Proofs of life, in narrow tables: of claims and of shard leases. Nothing else decides staleness."""

from collections.abc import Sequence

from sqlalchemy import Connection, text

from scatter_pipelines.model.result import Beat, ShardRef

BEAT_CLAIMS = text("""
    -- beats for all claims a supervisor holds; returns those it still owns, revives none it lost
    UPDATE scatter.claim_beat b
       SET beat_at = clock_timestamp(),
           progress_at = CASE WHEN v.stage > b.stage OR (v.stage = b.stage AND v.done > b.done)
                              THEN clock_timestamp() ELSE b.progress_at END,
           stage = greatest(b.stage, v.stage),
           done = CASE WHEN v.stage > b.stage THEN v.done
                       WHEN v.stage = b.stage THEN greatest(b.done, v.done) ELSE b.done END,
           total = v.total, waited_ms = v.waited_ms
      FROM unnest(CAST(:ids AS bigint[]), CAST(:attempts AS int[]), CAST(:stages AS smallint[]),
                  CAST(:dones AS int[]), CAST(:totals AS int[]), CAST(:waited AS bigint[]))
           AS v (id, attempt, stage, done, total, waited_ms)
      JOIN scatter.extraction_result r ON r.id = v.id AND r.attempt = v.attempt AND r.status = 'extracting'
     WHERE b.result_id = v.id AND b.attempt = v.attempt
    RETURNING b.result_id
""")

TAKE_LEASE = text("""
    -- takes a shard nobody works on; the holder itself may take it again
    INSERT INTO scatter.shard_lease (task_id, shard, run_id, taken_at, beat_at)
    SELECT :task_id, s.shard, :run_id, clock_timestamp(), clock_timestamp()
      FROM scatter.extraction_shard s WHERE s.task_id = :task_id AND s.shard = :shard
    ON CONFLICT (task_id, shard) DO UPDATE
       SET run_id = excluded.run_id, taken_at = excluded.taken_at, beat_at = excluded.beat_at
     WHERE shard_lease.run_id = excluded.run_id
        OR shard_lease.beat_at < clock_timestamp() - make_interval(secs => :stale_seconds)
    RETURNING run_id
""")

BEAT_LEASES = text("""
    -- beats for the shards of a run; returns those it still holds
    UPDATE scatter.shard_lease SET beat_at = clock_timestamp()
     WHERE task_id = :task_id AND shard = ANY(:shards) AND run_id = :run_id
    RETURNING shard
""")

TAKE_RUN_LEASE = text("""
    -- a run that holds no shard yet proves that it lives by a lease under its own name
    INSERT INTO scatter.shard_lease (task_id, shard, run_id, taken_at, beat_at)
    VALUES (:name, 0, :run_id, clock_timestamp(), clock_timestamp())
    ON CONFLICT (task_id, shard) DO UPDATE SET beat_at = excluded.beat_at
""")

EXPIRE_LEASES = text("""
    -- a run that is about to end itself lets go of its shards
    UPDATE scatter.shard_lease SET beat_at = clock_timestamp() - interval '1 day' WHERE run_id = :run_id
""")

RUNS_AT_WORK = text("""
    -- runs that hold a lease or a claim, fresh or not
    SELECT run_id FROM scatter.shard_lease
     UNION SELECT run_id FROM scatter.extraction_result WHERE status = 'extracting'
""")

RELEASE_LEASES = text("""
    -- frees a task's shards
    DELETE FROM scatter.shard_lease WHERE task_id = :task_id
""")

STALE_LEASES = text("""
    -- runs that stopped beating for a shard
    SELECT task_id, shard, run_id FROM scatter.shard_lease
     WHERE beat_at < clock_timestamp() - make_interval(secs => :stale_seconds)
     ORDER BY beat_at LIMIT :most
""")

DROP_LEASE = text("""
    -- frees one shard of a run that is known to be over
    DELETE FROM scatter.shard_lease WHERE task_id = :task_id AND shard = :shard AND run_id = :run_id
       AND beat_at < clock_timestamp() - make_interval(secs => :stale_seconds)
""")


def beat_claims(connection: Connection, beats: Sequence[Beat]) -> set[int]:
    """Ids of the results still owned."""
    if not beats:
        return set()
    ordered = sorted(beats, key=lambda beat: beat.result_id)
    values = {
        "ids": [beat.result_id for beat in ordered],
        "attempts": [beat.attempt for beat in ordered],
        "stages": [beat.stage for beat in ordered],
        "dones": [beat.done for beat in ordered],
        "totals": [beat.total for beat in ordered],
        "waited": [beat.waited_ms for beat in ordered],
    }
    return set(connection.execute(BEAT_CLAIMS, values).scalars())


def take_lease(connection: Connection, task_id: str, shard: int, run_id: str, stale_seconds: float) -> bool:
    """False: another run beats for the shard, or there is no such shard."""
    values = {"task_id": task_id, "shard": shard, "run_id": run_id, "stale_seconds": stale_seconds}
    return connection.execute(TAKE_LEASE, values).first() is not None


def beat_leases(connection: Connection, task_id: str, shards: Sequence[int], run_id: str) -> set[int]:
    """Shards the run still holds."""
    values = {"task_id": task_id, "shards": list(shards), "run_id": run_id}
    return set(connection.execute(BEAT_LEASES, values).scalars())


def run_lease(run_id: str) -> str:
    """What stands for the task in the lease of a run that holds no shard yet."""
    return f"run:{run_id}"


def take_run_lease(connection: Connection, run_id: str) -> None:
    connection.execute(TAKE_RUN_LEASE, {"name": run_lease(run_id), "run_id": run_id})


def expire_leases(connection: Connection, run_id: str) -> None:
    connection.execute(EXPIRE_LEASES, {"run_id": run_id})


def runs_at_work(connection: Connection) -> set[str]:
    return set(connection.execute(RUNS_AT_WORK).scalars())


def release_leases(connection: Connection, task_id: str) -> None:
    connection.execute(RELEASE_LEASES, {"task_id": task_id})


def stale_leases(connection: Connection, stale_seconds: float, most: int = 500) -> list[ShardRef]:
    rows = connection.execute(STALE_LEASES, {"stale_seconds": stale_seconds, "most": most})
    return [ShardRef(row.task_id, row.shard, 0, row.run_id) for row in rows]


def drop_lease(connection: Connection, lease: ShardRef, stale_seconds: float) -> None:
    values = {"task_id": lease.task_id, "shard": lease.shard, "run_id": lease.run_id, "stale_seconds": stale_seconds}
    connection.execute(DROP_LEASE, values)
