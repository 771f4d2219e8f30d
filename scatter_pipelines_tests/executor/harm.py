"""What a step can do to its process: end it, stop it, hang in it, fill its memory, fork it."""

import ctypes
import faulthandler
import os
import re
import signal
import sys
import time

from scatter_pipelines_tests.executor.place import Place, Seen, wait_for

MEGABYTE = 1 << 20
KEPT: list[bytes] = []
"""What steps leave in their worker's memory."""


def python_exit(place: Place, argument: str) -> Seen:
    sys.exit(int(argument or 0))


def process_exit(place: Place, argument: str) -> Seen:
    os._exit(int(argument or 0))


def kill(place: Place, argument: str) -> Seen:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("survived")


def crash(place: Place, argument: str) -> Seen:
    faulthandler.disable()
    ctypes.string_at(0)
    raise AssertionError("survived")


def stop(place: Place, argument: str) -> Seen:
    os.kill(os.getpid(), signal.SIGSTOP)
    return {}


def hang_in_regex(place: Place, argument: str) -> Seen:
    """In C and with the GIL."""
    re.match(r"(a+)+$", "a" * 60 + "b")
    raise AssertionError("came to an end")


def hang_with_gil(place: Place, argument: str) -> Seen:
    """As an extension that never looks back: no signal handler of Python's will run."""
    ctypes.PyDLL(None).sleep(600)
    raise AssertionError("came to an end")


def hang_without_gil(place: Place, argument: str) -> Seen:
    ctypes.CDLL(None).sleep(600)
    raise AssertionError("came to an end")


def grow(place: Place, argument: str) -> Seen:
    """Grows by so many megabytes and waits to be killed for it."""
    KEPT.append(b"x" * (int(argument) * MEGABYTE))
    wait_for(lambda: False, "somebody to mind")
    return {}


def keep(place: Place, argument: str) -> Seen:
    """Leaves so many megabytes behind in its worker."""
    KEPT.append(b"x" * (int(argument) * MEGABYTE))
    return {}


def fork(place: Place, argument: str) -> Seen:
    """Leaves a child behind that has every descriptor of its worker."""
    child = os.fork()
    if child == 0:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            time.sleep(0.1)
        os._exit(0)
    place.file(f"child-of-{place.key}").write_text(str(child))
    return {"child": child}


def fork_away(place: Place, argument: str) -> Seen:
    """Leaves a child behind that has a session of its own."""
    line, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.write(end, b"x")
        time.sleep(120)
        os._exit(0)
    os.read(line, 1)
    return {"child": child}


def close_line(place: Place, argument: str) -> Seen:
    """Closes all files, as a daemon does, and works on: nothing it says can arrive."""
    place.file(f"holding-{place.key}").touch()
    os.closerange(3, 4096)
    time.sleep(120)
    return {}


def move_and_hang(place: Place, argument: str) -> Seen:
    """Leaves its process group for that of its parent, and hangs."""
    os.setpgid(0, os.getpgid(os.getppid()))
    return hang_with_gil(place, argument)


def fork_away_and_hang(place: Place, argument: str) -> Seen:
    place.file(f"child-of-{place.key}").write_text(str(fork_away(place, argument)["child"]))
    return hang_with_gil(place, argument)


def fork_twin(place: Place, argument: str) -> Seen:
    """Comes back twice, as code does that forgets which side of a fork it is on."""
    return {"twin": os.fork() == 0}


def fork_and_kill(place: Place, argument: str) -> Seen:
    fork(place, argument)
    return kill(place, argument)


def fork_and_hang(place: Place, argument: str) -> Seen:
    fork(place, argument)
    place.file(f"holding-{place.key}").touch()
    return hang_with_gil(place, argument)
