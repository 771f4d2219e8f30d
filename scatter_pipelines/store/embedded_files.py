"""Where the embedded server's files lie, which OS user owns them, and the locks on them. Starts no server."""

import fcntl
import hashlib
import os
import pwd
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from scatter_pipelines.errors import UsageError
from scatter_pipelines.store.embedded_guard import try_lock

PORT = 5432
SERVICE_USER = "scatter_postgres"
_SOCKET_BYTES = 100
_PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Place:
    """The files of one home's server."""

    home: Path

    @property
    def folder(self) -> Path:
        return self.home / "postgres"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def label(self) -> str:
        """Names this home in the titles of the server's processes."""
        return "scatter-" + hashlib.sha256(os.fsencode(self.data)).hexdigest()[:16]

    def lock(self, name: str) -> Path:
        return self.folder / f"{name}.lock"

    def note(self, line: str) -> None:
        """Append a line of our own to the server's log."""
        with open_log(self) as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())} scatter: {line}\n".encode())


@dataclass(frozen=True, slots=True)
class Owner:
    """The OS user the server runs as; `switched` when that is not the one running now."""

    uid: int
    gid: int
    switched: bool


def place_of(home: Path) -> Place:
    """The place under the resolved home; a home that PostgreSQL's line-based files cannot name is refused."""
    resolved = home.expanduser().resolve()
    if any(character < " " for character in str(resolved)):
        raise UsageError("home_unusable", f"The path {str(resolved)!r} has a control character in it.")
    return Place(resolved)


def prepare(place: Place) -> None:
    """Make the folder if it is missing and see that it can be written to."""
    try:
        place.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(open_file(place.lock("start")))
    except OSError as problem:
        raise UsageError("home_unusable", f"{place.home} cannot be used for the database: {problem}.") from problem


def open_file(path: Path, flags: int = 0) -> int:
    """Open or make a file; one that root makes in a user's folder becomes that user's."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o600)
    if os.geteuid() == 0 and os.fstat(descriptor).st_uid == 0:
        status = path.parent.stat()
        os.fchown(descriptor, status.st_uid, status.st_gid)
    return descriptor


@contextmanager
def open_log(place: Place) -> Iterator[FileIO]:
    with os.fdopen(open_file(place.log, os.O_APPEND), "ab", buffering=0) as file:
        yield file


def locked(path: Path, mode: int, seconds: float) -> int | None:
    """A descriptor holding the lock, or None when it was not to be had in time.

    A lock on a file that somebody deleted or replaced meanwhile counts as none.
    """
    deadline = time.monotonic() + seconds
    while True:
        descriptor = open_file(path)
        try:
            held = try_lock(descriptor, mode) and is_at(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        if held:
            return descriptor
        os.close(descriptor)
        if time.monotonic() >= deadline:
            return None
        time.sleep(_PAUSE)


@contextmanager
def opened_folder(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one that lies at the path now."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def starting(place: Place, seconds: float) -> Iterator[None]:
    """Only one process at a time starts or stops the server."""
    descriptor = locked(place.lock("start"), fcntl.LOCK_EX, seconds)
    if descriptor is None:
        raise UsageError(
            "embedded_failed", f"Another process has been starting the server of {place.home} for {seconds:.0f} s."
        )
    try:
        yield
    finally:
        os.close(descriptor)


def owner_of(place: Place) -> Owner:
    """Who the server runs as: this user, or for root the one who has the data, else a user without rights."""
    known = owner_of_data(place)
    if os.geteuid() != 0 or known.uid != 0:
        return known
    entry = _service_user()
    return Owner(entry.pw_uid, entry.pw_gid, switched=True)


def owner_of_data(place: Place) -> Owner:
    """Who the server runs as by now; root where that is not settled yet."""
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid(), switched=False)
    status = (place.data if place.data.exists() else place.folder).stat()
    return Owner(status.st_uid, status.st_gid, switched=True)


def _service_user() -> pwd.struct_passwd:
    if not _has_user(SERVICE_USER):
        _add_user(SERVICE_USER)
    return pwd.getpwnam(SERVICE_USER if _has_user(SERVICE_USER) else "nobody")


def _has_user(name: str) -> bool:
    return any(entry.pw_name == name for entry in pwd.getpwall())


def _add_user(name: str) -> None:
    """A failure shows in that the user is still missing afterwards."""
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
    try:
        subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return


def give(path: Path, owner: Owner) -> None:
    """Make an own folder private to the server's user."""
    if owner.switched:
        os.chown(path, owner.uid, owner.gid, follow_symlinks=False)
    path.chmod(0o700)


def open_way(place: Place, target: Path, owner: Owner) -> None:
    """Let another server user pass through the folders above; never lets it list them."""
    if not owner.switched:
        return
    for folder in target.parents:
        status = folder.stat()
        if not _may_enter(status, owner):
            folder.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)
            place.note(f"gave others the right to pass through {folder} (o+x), which the server's user needs")


def _may_enter(status: os.stat_result, owner: Owner) -> bool:
    if status.st_uid == owner.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == owner.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def socket_folder(place: Place, owner: Owner) -> Path:
    """Where the socket lies: where a running server says, else in the home if its path can be used."""
    said = _said_by_server(place)
    if said is not None:
        return said
    inside = place.folder / "socket"
    return inside if _can_hold_socket(inside) else _outside(place, owner)


def _said_by_server(place: Place) -> Path | None:
    try:
        lines = (place.data / "postmaster.pid").read_bytes().split(b"\n")
    except OSError:
        return None
    return Path(os.fsdecode(lines[4])) if len(lines) > 5 and lines[4] else None


def _can_hold_socket(folder: Path) -> bool:
    """PostgreSQL's clients split a host at commas, and a URL carries UTF-8 only."""
    raw = os.fsencode(folder / f".s.PGSQL.{PORT}")
    try:
        return len(raw) < _SOCKET_BYTES and "," not in raw.decode()
    except UnicodeDecodeError:
        return False


def _outside(place: Place, owner: Owner) -> Path:
    """The inode keeps the server of a deleted home apart from the next one at the same path."""
    status = place.folder.stat()
    key = f"{status.st_dev}:{status.st_ino}:".encode() + os.fsencode(place.home)
    shared = Path("/tmp") if os.access("/tmp", os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    return shared / f"scatter-pg-{owner.uid}-{hashlib.sha256(key).hexdigest()[:16]}"


def make_socket_folder(folder: Path, owner: Owner) -> None:
    """Make it, or refuse one that somebody else made at its path."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not (is_private(folder, owner) or folder.lstat().st_uid == os.geteuid()):
            raise UsageError(
                "embedded_failed", f"{folder} belongs to another user. Remove it, or use a shorter SCATTER_HOME."
            ) from None
    if stat.S_ISLNK(folder.lstat().st_mode):
        raise UsageError("embedded_failed", f"{folder} is a link. Remove it, or use a shorter SCATTER_HOME.")
    give(folder, owner)


def is_private(folder: Path, owner: Owner) -> bool:
    """Whether the folder is the server user's own, so that nobody else can have put a socket into it."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == owner.uid and not status.st_mode & 0o077
