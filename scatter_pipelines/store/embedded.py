"""The embedded PostgreSQL of a home folder: one server for all processes that use it, gone after the last of them.

Each process holds a share of `users.lock` until it ends; the kernel frees it on any death. This module is what the rest
of the package calls; the files, the start and the guardian have modules of their own.
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from scatter_pipelines.errors import UsageError

if sys.platform != "win32":
    import fcntl
    import subprocess

    from scatter_pipelines.store import embedded_files, embedded_guard, embedded_launch, embedded_probe
    from scatter_pipelines.store.embedded_files import Place

GRACE_VARIABLE = "SCATTER_EMBEDDED_GRACE_SECONDS"
_GRACE_SECONDS = 3.0
_WAIT_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """Where a running server is reached: by its socket only, as the superuser and without a password."""

    socket_dir: Path
    user: str = "postgres"
    port: int = 5432

    def url(self, database: str, driver: str = "psycopg") -> str:
        """An SQLAlchemy URL; without a driver one that libpq reads too."""
        scheme = f"postgresql+{driver}" if driver else "postgresql"
        host = quote(str(self.socket_dir), safe="")
        return f"{scheme}://{self.user}@/{quote(database, safe='')}?host={host}&port={self.port}"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What is known without starting the server; `pid` is that of a running one, `data_bytes` what lies on the disk."""

    running: bool
    pid: int | None
    version: str | None
    data_bytes: int


_holds: dict[Path, int] = {}
_found: dict[Path, EmbeddedServer] = {}
_threads = threading.Lock()


def ensure_server(home: Path) -> EmbeddedServer:
    """The home's server, started if it does not answer, and kept up until this process ends.

    Cheap enough to call again whenever the server may have died. Raises UsageError with `home_unusable` or
    `embedded_failed`.
    """
    _refuse_windows()
    place, grace = embedded_files.place_of(home), _grace_seconds()
    with _threads, _failures(place):
        embedded_files.prepare(place)
        with embedded_files.starting(place, _WAIT_SECONDS):
            owner = embedded_files.owner_of(place)
            _hold(place)
            _ensure_guardian(place, grace)
            embedded_launch.bring_up(place, owner)
            _found[place.home] = EmbeddedServer(embedded_files.socket_folder(place, owner))
            return _found[place.home]


def known_server(home: Path) -> EmbeddedServer:
    """As `ensure_server`, without asking a server that this process or one it was forked from has found before.

    It may have died since: whoever cannot connect calls `ensure_server`.
    """
    place = embedded_files.place_of(home)
    known = _found.get(place.home)
    return known if known is not None and _holds_share(place) else ensure_server(home)


def stop_server(home: Path) -> bool:
    """Stop the server now, whoever uses it, and return whether one was there. Gives up this process's share."""
    _refuse_windows()
    place = embedded_files.place_of(home)
    with _threads, _failures(place):
        _drop(place.home)
        if not place.lock("start").exists():
            return False
        with embedded_files.starting(place, _WAIT_SECONDS):
            return _stop(place)


def server_status(home: Path) -> ServerStatus:
    """Look at the server and its files; neither starts nor creates anything."""
    _refuse_windows()
    place = embedded_files.place_of(home)
    with _failures(place):
        if not place.data.exists():
            return ServerStatus(running=False, pid=None, version=None, data_bytes=0)
        running = embedded_probe.running_version(place, embedded_files.owner_of_data(place))
        with embedded_files.opened_folder(place.folder) as folder:
            pid = embedded_guard.postmaster_pid(folder) if running else None
        return ServerStatus(running is not None, pid, running or _version_on_disk(place), _bytes_below(place.data))


def _refuse_windows() -> None:
    if sys.platform == "win32":
        raise UsageError(
            "embedded_failed",
            "The embedded PostgreSQL does not run on Windows. Set SCATTER_DATABASE_URL to a server, or use WSL.",
        )


def _grace_seconds() -> float:
    said = os.environ.get(GRACE_VARIABLE, "")
    try:
        grace = float(said or _GRACE_SECONDS)
    except ValueError:
        grace = -1.0
    if not 0 <= grace <= 86_400:
        raise UsageError("settings_invalid", f"{GRACE_VARIABLE}={said!r} is not a number of seconds of at most a day.")
    return grace


@contextmanager
def _failures(place: "Place") -> Iterator[None]:
    """Whatever the system or the server refuses comes out as one message."""
    try:
        yield
    except (OSError, subprocess.SubprocessError, psycopg.Error) as problem:
        if isinstance(problem, PermissionError) and not os.access(place.folder, os.R_OK | os.W_OK | os.X_OK):
            raise UsageError("home_unusable", f"{place.home} belongs to another user: {problem}.") from problem
        raise embedded_launch.failure(place, f"The server of {place.home} failed: {problem}", None) from problem


def _hold(place: "Place") -> None:
    """Take this process's share of `users.lock`, anew if the home was deleted since.

    A forked child has its parent's share by inheritance, which is as good as one of its own.
    """
    if _holds_share(place):
        return
    _drop(place.home)
    descriptor = embedded_files.locked(place.lock("users"), fcntl.LOCK_SH, _WAIT_SECONDS)
    if descriptor is None:
        raise UsageError("embedded_failed", f"The server of {place.home} has been stopping for {_WAIT_SECONDS:.0f} s.")
    _holds[place.home] = descriptor


def _holds_share(place: "Place") -> bool:
    return place.home in _holds and embedded_files.is_at(_holds[place.home], place.lock("users"))


def _drop(home: Path) -> None:
    """Closing is enough, and leaves a forked child its share; unlocking would not."""
    descriptor = _holds.pop(home, None)
    if descriptor is not None:
        os.close(descriptor)


def _ensure_guardian(place: "Place", grace: float) -> None:
    """Start a guardian, which inherits `guard.lock`, unless one holds it."""
    lock = embedded_files.locked(place.lock("guard"), fcntl.LOCK_EX, 0)
    if lock is None:
        return
    try:
        with embedded_files.opened_folder(place.folder) as folder:
            embedded_launch.detached(["guard", str(folder), str(lock), str(grace)], (folder, lock))
    finally:
        os.close(lock)


def _stop(place: "Place") -> bool:
    if not embedded_probe.is_alive(place):
        return False
    with embedded_files.opened_folder(place.folder) as folder:
        if not embedded_guard.stop_cluster(folder):
            raise embedded_launch.failure(place, "The server does not stop", None)
    return True


def _version_on_disk(place: "Place") -> str | None:
    path = place.data / "PG_VERSION"
    return path.read_text(encoding="ascii").strip() if path.exists() else None


def _bytes_below(folder: Path) -> int:
    """Files that vanish meanwhile, as a running server's do, count as nothing."""
    return sum(_bytes_of(Path(above, name)) for above, _, names in os.walk(folder) for name in names)


def _bytes_of(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def _new_threads_lock() -> None:
    """In a forked child the thread that held the lock does not exist."""
    global _threads
    _threads = threading.Lock()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_new_threads_lock)
