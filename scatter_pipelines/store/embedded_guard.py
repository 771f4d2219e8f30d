"""What runs detached from its caller: the launcher of the server, and the guardian that stops it after its last user.

Run as a script by `python -I -S`, so only the standard library belongs here, and as little of it as possible. Every
file is reached through a descriptor of the server's folder: when that folder was moved or deleted, and another one
lies at its path, the guardian still only touches its own server.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STOP_SECONDS = 60.0
KILL_SECONDS = 10.0
_PAUSE = 0.02


def try_lock(descriptor: int, mode: int = fcntl.LOCK_EX) -> bool:
    """Take the flock if it is free now."""
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def postmaster_pid(folder: int) -> int | None:
    """The pid that `data/postmaster.pid` names, alive or not; `folder` is a descriptor."""
    try:
        descriptor = os.open("data/postmaster.pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        line = file.readline().strip()
    return int(line) if line.isdigit() else None


def is_postmaster(pid: int, folder: int) -> bool:
    """Whether the live process works in this cluster: by its working folder, or without /proc by its command."""
    try:
        if Path("/proc/self/cwd").exists():
            return os.path.samestat(Path(f"/proc/{pid}/cwd").stat(), os.stat("data", dir_fd=folder))
    except OSError:
        return False
    shown = subprocess.run(["ps", "-ww", "-p", str(pid), "-o", "command="], capture_output=True, check=False).stdout
    return b"postgres -D " in shown


def stop_cluster(folder: int, seconds: float = STOP_SECONDS) -> bool:
    """Shut the server down and return whether every process of it is gone.

    `server.lock` is held by the server and by each of its children, also by an initdb that outlived its starter.
    """
    lock = os.open("server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        fast = _signal_until_gone(folder, lock, signal.SIGINT, seconds)
        return fast or _signal_until_gone(folder, lock, signal.SIGQUIT, KILL_SECONDS)
    finally:
        os.close(lock)


def _signal_until_gone(folder: int, lock: int, number: signal.Signals, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    told = None
    while not try_lock(lock):
        pid = postmaster_pid(folder)
        if pid is not None and pid != told and is_postmaster(pid, folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            told = pid
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
    return True


def guard(folder: int, guard_lock: int, grace: float) -> None:
    """Wait until nobody holds `users.lock` for `grace` seconds, then stop the server.

    `guard_lock` is given up before `users.lock`: whoever gets `users.lock` then sees that no guardian is left.
    """
    users = os.open("users.lock", os.O_RDWR | os.O_CLOEXEC, dir_fd=folder)
    while True:
        fcntl.flock(users, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_UN)
        time.sleep(grace)
        if try_lock(users):
            break
    stop_cluster(folder)
    os.close(guard_lock)
    os.close(users)


def launch(uid: str, gid: str, command: list[str]) -> None:
    """Become `command` as the user given ("-": as this one) with a bare environment."""
    os.umask(0o077)
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    os.execve(command[0], command, bare_environment())


def bare_environment() -> dict[str, str]:
    """Nothing of the caller's PG*, LD_* and locale variables may change how the server behaves."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}


def _detach() -> None:
    """Leave the caller's session and process tree."""
    if os.fork():
        os._exit(0)
    os.setsid()


def _main(arguments: list[str]) -> None:
    _detach()
    if arguments[0] == "launch":
        launch(arguments[1], arguments[2], arguments[3:])
    else:
        guard(int(arguments[1]), int(arguments[2]), float(arguments[3]))


if __name__ == "__main__":
    _main(sys.argv[1:])
