"""What is kept so that it is not made twice: parsed documents, and an LLM's answers, in a table each.

A key is a hash of all that the content depends on, made by whoever keeps it. What was used last is dropped last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, text

from scatter_pipelines.store.results import as_json

CacheName = Literal["parsed_document", "llm_answer"]
CACHES: tuple[CacheName, ...] = ("parsed_document", "llm_answer")
DROPPED_AT_ONCE = 1_000

KEEP_DOCUMENT = text("""
    INSERT INTO scatter.parsed_document (key, content, bytes) VALUES (:key, :content, :bytes)
    ON CONFLICT (key) DO NOTHING
""")

KEEP_ANSWER = text("""
    INSERT INTO scatter.llm_answer (key, content, bytes) VALUES (:key, CAST(:content AS json), :bytes)
    ON CONFLICT (key) DO NOTHING
""")

DOCUMENT = text("SELECT content FROM scatter.parsed_document WHERE key = :key")
ANSWERS = text("SELECT key, content FROM scatter.llm_answer WHERE key = ANY(:keys)")

USED = {
    name: text(f"""
    -- once an hour is enough to know what is in use
    UPDATE scatter.{name} SET used_at = clock_timestamp()
     WHERE key = ANY(:keys) AND used_at < clock_timestamp() - interval '1 hour'
""")
    for name in CACHES
}

SIZE = {name: text(f"SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM scatter.{name}") for name in CACHES}

DROP_UNUSED = {
    name: text(f"""
    -- so many at once that it stays short
    WITH oldest AS (
        SELECT key FROM scatter.{name}
         WHERE used_at < clock_timestamp() - make_interval(secs => 86400 * CAST(:days AS double precision))
         ORDER BY used_at LIMIT :most)
    DELETE FROM scatter.{name} c USING oldest WHERE c.key = oldest.key RETURNING c.bytes
""")
    for name in CACHES
}

DROP_EXCESS = {
    name: text(f"""
    -- the longest unused ones, until the rest fits
    WITH newest_first AS (
        SELECT key, sum(bytes) OVER (ORDER BY used_at DESC, key) AS up_to FROM scatter.{name})
    DELETE FROM scatter.{name} c USING newest_first n WHERE c.key = n.key AND n.up_to > :most RETURNING c.bytes
""")
    for name in CACHES
}


@dataclass(frozen=True, slots=True)
class Size:
    """What a cache holds."""

    entries: int
    bytes: int


def keep_document(connection: Connection, key: str, content: bytes) -> None:
    connection.execute(KEEP_DOCUMENT, {"key": key, "content": content, "bytes": len(content)})


def document(connection: Connection, key: str) -> bytes | None:
    found = connection.execute(DOCUMENT, {"key": key}).scalar_one_or_none()
    if found is None:
        return None
    connection.execute(USED["parsed_document"], {"keys": [key]})
    return bytes(found)


def keep_answer(connection: Connection, key: str, content: object) -> None:
    """`content` is anything JSON can hold."""
    stored = as_json(content)
    connection.execute(KEEP_ANSWER, {"key": key, "content": stored, "bytes": len(stored.encode())})


def answers(connection: Connection, keys: Sequence[str]) -> dict[str, Any]:
    """What is kept, by key."""
    found = {row.key: row.content for row in connection.execute(ANSWERS, {"keys": list(keys)})}
    if found:
        connection.execute(USED["llm_answer"], {"keys": list(found)})
    return found


def size(connection: Connection, name: CacheName) -> Size:
    return Size(*connection.execute(SIZE[name]).one())


def drop_unused(connection: Connection, name: CacheName, days: float) -> Size:
    """Drops what was not used for so long, DROPPED_AT_ONCE at most."""
    rows = connection.execute(DROP_UNUSED[name], {"days": days, "most": DROPPED_AT_ONCE}).scalars().all()
    return Size(len(rows), sum(rows))


def drop_excess(connection: Connection, name: CacheName, most: int) -> Size:
    """Drops what does not fit into `most` bytes, the longest unused first."""
    rows = connection.execute(DROP_EXCESS[name], {"most": most}).scalars().all()
    return Size(len(rows), sum(rows))
