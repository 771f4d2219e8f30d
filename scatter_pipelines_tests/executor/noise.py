"""What a step can do to its output: print, from wherever, and spoil it."""

import ctypes
import os
import sys

from scatter_pipelines_tests.executor.harm import kill
from scatter_pipelines_tests.executor.place import Place, Seen, hold

BUFFER = ctypes.create_string_buffer(1 << 16)


def shout(place: Place, argument: str) -> Seen:
    """Prints so many bytes on either stream."""
    print("o" * int(argument))
    print("e" * int(argument), file=sys.stderr)
    return {}


def shout_and_hold(place: Place, argument: str) -> Seen:
    print("so far", flush=True)
    return hold(place, argument)


def close_stdout(place: Place, argument: str) -> Seen:
    sys.stdout.close()
    return {}


def redirect_stdout(place: Place, argument: str) -> Seen:
    """For good: the descriptor leads elsewhere from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return {}


def close_everything(place: Place, argument: str) -> Seen:
    """As a program does that becomes a daemon."""
    os.closerange(3, 1 << 12)
    return {}


def shout_in_c(place: Place, argument: str) -> Seen:
    """Past Python's streams: into the descriptor, and into the C library's own buffer, which nobody flushes."""
    os.write(1, b"said by a descriptor\n")
    libc = ctypes.CDLL(None)
    # As C does it by itself where output goes to a file, whatever PYTHONUNBUFFERED has made of it here.
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), BUFFER, 0, len(BUFFER))
    libc.puts(f"said in C by {place.key}".encode())
    return {}


def shout_and_die(place: Place, argument: str) -> Seen:
    print(f"last words of {place.key}", flush=True)
    return kill(place, argument)
