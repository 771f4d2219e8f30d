"""The log of a task: what happened to it as a whole, for `status` and for people."""

from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, text

Level = Literal["info", "warning", "error"]

ADD = text("INSERT INTO scatter.task_event (task_id, level, kind, message) VALUES (:task_id, :level, :kind, :message)")
RECENT = text("""
    SELECT at, level, kind, message FROM scatter.task_event WHERE task_id = :task_id ORDER BY id DESC LIMIT :most
""")


def add(connection: Connection, task_id: str, level: Level, kind: str, message: str) -> None:
    connection.execute(ADD, {"task_id": task_id, "level": level, "kind": kind, "message": message})


def recent(connection: Connection, task_id: str, most: int = 10) -> list[tuple[datetime, str, str, str]]:
    """(at, level, kind, message), newest first."""
    return [tuple(row) for row in connection.execute(RECENT, {"task_id": task_id, "most": most})]
