"""Pages already read by OCR: kept page by page, so that a retry, and another task, goes on where the last one ended.

The key is the document's own bytes, the page's number and the engine with its version; whoever changes how an engine
is used changes the version.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, text
from sqlalchemy.dialects.postgresql import JSON

DROPPED_AT_ONCE = 10_000

KEEP = text("""
    -- two readers of the same page came to the same
    INSERT INTO scatter.ocr_page (sha256, number, engine, content) VALUES (:sha256, :number, :engine, :content)
    ON CONFLICT (sha256, number, engine) DO NOTHING
""").bindparams(bindparam("content", type_=JSON))

KEPT = text("SELECT content FROM scatter.ocr_page WHERE sha256 = :sha256 AND number = :number AND engine = :engine")

DROP_OLD = text("""
    -- so many at once that a sweep stays short
    DELETE FROM scatter.ocr_page WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM scatter.ocr_page
         WHERE kept_at < clock_timestamp() - make_interval(secs => 86400 * CAST(:days AS double precision))
         ORDER BY kept_at LIMIT :most))
""")


@dataclass(frozen=True, slots=True)
class PageKey:
    """`sha256` in hexadecimal digits, `number` from 1, `engine` with its version."""

    sha256: str
    number: int
    engine: str


def keep(connection: Connection, key: PageKey, content: object) -> None:
    """`content` is anything JSON can hold."""
    connection.execute(KEEP, {"sha256": key.sha256, "number": key.number, "engine": key.engine, "content": content})


def kept(connection: Connection, key: PageKey) -> object | None:
    found = connection.execute(KEPT, {"sha256": key.sha256, "number": key.number, "engine": key.engine}).first()
    return found[0] if found else None


def drop_old(connection: Connection, days: float) -> int:
    """How many pages kept for longer than `days` were dropped; the oldest first, DROPPED_AT_ONCE at most."""
    return connection.execute(DROP_OLD, {"days": days, "most": DROPPED_AT_ONCE}).rowcount
