"""Ends server processes that nothing else would: those of a deleted home, and backends that outlived their server."""

import contextlib
import signal
import time
from pathlib import Path

import psutil

from scatter_pipelines.store.embedded_files import Place

_QUIT_SECONDS = 10.0
_KILL_SECONDS = 2.0
_PAUSE = 0.02


def end_servers_of_deleted_data(place: Place) -> None:
    """End the servers that were started for this path and whose data folder is gone."""
    data = str(place.data)
    _end([process for process, words in _postgres() if words[1:3] == ["-D", data] and _folder_is_gone(process.pid)])


def end_backends(place: Place) -> None:
    """End what a killed server left running; a server that still lives keeps its processes."""
    found = [(process, words[0]) for process, words in _postgres() if words]
    mine = [process for process, title in found if title.startswith(f"postgres: {place.label}:")]
    _end([process for process in mine if not _has_server(process)])


def _postgres() -> list[tuple[psutil.Process, list[str]]]:
    found = psutil.process_iter(["name", "cmdline"])
    return [(process, process.info["cmdline"] or []) for process in found if process.info["name"] == "postgres"]


def _folder_is_gone(pid: int) -> bool:
    """Without /proc nothing tells; the path in the command has to do."""
    if not Path("/proc/self/cwd").exists():
        return True
    try:
        return Path(f"/proc/{pid}/cwd").stat().st_nlink == 0
    except OSError:
        return False


def _has_server(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        parent = process.parent()
        return parent is not None and parent.name() == "postgres"
    return False


def _end(processes: list[psutil.Process]) -> None:
    for number, seconds in ((signal.SIGQUIT, _QUIT_SECONDS), (signal.SIGKILL, _KILL_SECONDS)):
        for process in filter(_lives, processes):
            with contextlib.suppress(psutil.Error):
                process.send_signal(number)
        deadline = time.monotonic() + seconds
        while any(map(_lives, processes)) and time.monotonic() < deadline:
            time.sleep(_PAUSE)


def _lives(process: psutil.Process) -> bool:
    """A zombie is dead; in a container nobody may ever fetch it."""
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
