"""Holds: reasons why no new document of a task may start. Both tables are insert-only."""

from sqlalchemy import Connection, text

OPEN_HOLD = """EXISTS (
        SELECT FROM scatter.task_hold h
         WHERE h.task_id = {task}
           AND NOT EXISTS (SELECT FROM scatter.task_hold_release x WHERE x.hold_id = h.id))"""
"""SQL: whether the task named by the expression `task` is on hold."""

PLACE = text("""
    -- puts a task on hold; the same reason is not placed twice while it is open
    INSERT INTO scatter.task_hold (task_id, reason, placed_by)
    SELECT :task_id, :reason, :placed_by
     WHERE NOT EXISTS (
        SELECT FROM scatter.task_hold h
         WHERE h.task_id = :task_id AND h.reason = :reason
           AND NOT EXISTS (SELECT FROM scatter.task_hold_release x WHERE x.hold_id = h.id))
    RETURNING id
""")

RELEASE = text("""
    -- releases every open hold of a task
    INSERT INTO scatter.task_hold_release (hold_id, released_by)
    SELECT h.id, :released_by FROM scatter.task_hold h
     WHERE h.task_id = :task_id
       AND NOT EXISTS (SELECT FROM scatter.task_hold_release x WHERE x.hold_id = h.id)
    ON CONFLICT DO NOTHING
    RETURNING hold_id
""")

OPEN = text("""
    -- the open holds of a task
    SELECT reason FROM scatter.task_hold h
     WHERE h.task_id = :task_id
       AND NOT EXISTS (SELECT FROM scatter.task_hold_release x WHERE x.hold_id = h.id)
     ORDER BY id
""")


def place(connection: Connection, task_id: str, reason: str, placed_by: str) -> bool:
    """False: a hold with that reason is open already."""
    values = {"task_id": task_id, "reason": reason, "placed_by": placed_by}
    return connection.execute(PLACE, values).first() is not None


def release(connection: Connection, task_id: str, released_by: str) -> int:
    """How many holds were open."""
    return len(connection.execute(RELEASE, {"task_id": task_id, "released_by": released_by}).all())


def open_reasons(connection: Connection, task_id: str) -> list[str]:
    return list(connection.execute(OPEN, {"task_id": task_id}).scalars())
