"""The inbox: what has settled in a watched folder becomes a task, once."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import Task
from scatter_pipelines.sources.uris import file_path, path_uri, printable
from scatter_pipelines.store import inbox
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.submit import Submission, submit

MOST = 50_000
PATIENCE = 10
"""Times the settle time that a settled file waits for others to settle."""


def take_inbox(runtime: Runtime) -> Task | None:
    """Makes one task of all files that have settled and belong to none yet; None where there is nothing new.

    A file has settled when its size and modification time have stayed the same for a while. Which files went
    into a task is written with the task, so a crash between the two cannot make a second one.
    """
    settings = runtime.settings
    files = dict(_walk(prepare_inbox(runtime)))
    if not files:
        return None
    files = runtime.database.run(lambda connection: inbox.not_taken(connection, files, MOST))
    runtime.database.run(lambda connection: inbox.see(connection, files))
    settled = _batch(runtime, files)
    if not settled:
        return None
    taken = {uri: files[uri] for uri in settled}

    def mark(connection: Connection, task_id: str) -> None:
        if inbox.take(connection, taken, task_id) != len(taken):
            raise UsageError("task_state", "Some of the files in the inbox were taken by another task meanwhile.")

    submission = Submission(
        sources=[str(file_path(uri)) for uri in settled],
        template=settings.inbox_template,
        key=_key(taken),
        key_origin="inbox",
        as_files=True,
    )
    return submit(runtime, submission, also=mark).task


def _batch(runtime: Runtime, files: dict[str, str]) -> list[str]:
    """What has settled, once nothing new comes in any more: files copied together are to become one task.

    Where files keep coming, those that settled long ago are not held up any longer.
    """
    seconds = runtime.settings.inbox_settle_seconds
    settled = runtime.database.run(lambda c: inbox.settled(c, files, seconds))
    if len(settled) == len(files) or runtime.database.run(lambda c: inbox.settled(c, files, seconds * PATIENCE)):
        return settled
    return []


def _key(files: dict[str, str]) -> str:
    """The same files in the same state have the same key."""
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()


def prepare_inbox(runtime: Runtime) -> Path:
    """The watched folder, made if it was not there."""
    folder = runtime.settings.inbox_path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            "source_invalid", f"The inbox {printable(folder)} cannot be made: {error.strerror}."
        ) from error
    return folder


def _walk(folder: Path) -> Iterator[tuple[str, str]]:
    """URI and fingerprint of the folder's files, hidden ones and those of hidden folders left out."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(here, name)
            if not name.startswith(".") and (fingerprint := _fingerprint(path)):
                yield path_uri(path), fingerprint


def _fingerprint(path: Path) -> str | None:
    """Size and modification time; None for what is no file, or no longer there."""
    try:
        info = path.stat()
    except OSError:
        return None
    return f"{info.st_size}:{info.st_mtime_ns}" if stat.S_ISREG(info.st_mode) else None
