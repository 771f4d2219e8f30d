"""Statements on `inbox_file`: which files of the watched folder were seen, and which task each went to."""

from collections.abc import Mapping

from sqlalchemy import Connection, text

NOT_TAKEN = text("""
    -- of these files those that belong to no task yet
    SELECT v.uri, v.fingerprint
      FROM unnest(CAST(:uris AS text[]), CAST(:fingerprints AS text[])) AS v (uri, fingerprint)
     WHERE NOT EXISTS (SELECT FROM scatter.inbox_file f
                        WHERE f.uri = v.uri AND f.fingerprint = v.fingerprint AND f.task_id IS NOT NULL)
     ORDER BY v.uri LIMIT :most
""")

SEE = text("""
    -- remembers when each file was first seen in its present state
    INSERT INTO scatter.inbox_file (uri, fingerprint)
    SELECT * FROM unnest(CAST(:uris AS text[]), CAST(:fingerprints AS text[]))
    ON CONFLICT DO NOTHING
""")

SETTLED = text("""
    -- files of these that have kept their state for long enough and belong to no task yet
    SELECT f.uri FROM scatter.inbox_file f
      JOIN unnest(CAST(:uris AS text[]), CAST(:fingerprints AS text[])) AS v (uri, fingerprint)
        ON v.uri = f.uri AND v.fingerprint = f.fingerprint
     WHERE f.task_id IS NULL AND f.first_seen_at <= clock_timestamp() - make_interval(secs => :settle_seconds)
     ORDER BY f.uri
""")

TAKE = text("""
    -- gives files to a task, each once
    UPDATE scatter.inbox_file f SET task_id = :task_id
      FROM unnest(CAST(:uris AS text[]), CAST(:fingerprints AS text[])) AS v (uri, fingerprint)
     WHERE v.uri = f.uri AND v.fingerprint = f.fingerprint AND f.task_id IS NULL
""")


def _arrays(files: Mapping[str, str]) -> dict[str, list[str]]:
    return {"uris": list(files), "fingerprints": list(files.values())}


def not_taken(connection: Connection, files: Mapping[str, str], most: int) -> dict[str, str]:
    """`files` maps a URI to its size and modification time as one string; so does what is left of them."""
    rows = connection.execute(NOT_TAKEN, _arrays(files) | {"most": most})
    return {row.uri: row.fingerprint for row in rows}


def see(connection: Connection, files: Mapping[str, str]) -> None:
    """`files` maps a URI to its size and modification time as one string."""
    connection.execute(SEE, _arrays(files))


def settled(connection: Connection, files: Mapping[str, str], settle_seconds: float) -> list[str]:
    return list(connection.execute(SETTLED, _arrays(files) | {"settle_seconds": settle_seconds}).scalars())


def take(connection: Connection, files: Mapping[str, str], task_id: str) -> int:
    """How many files now belong to the task."""
    return connection.execute(TAKE, _arrays(files) | {"task_id": task_id}).rowcount
