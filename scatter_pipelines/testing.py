"""What tests switch on in real processes. Nothing here does anything unless its variable is set."""

import os
import signal

CRASH_VARIABLE = "SCATTER_CRASH_POINT"
"""Name of a crash point: a process that reaches it kills itself, as a power cut would."""


def crash_point(name: str) -> None:
    if os.environ.get(CRASH_VARIABLE) == name:
        os.kill(os.getpid(), signal.SIGKILL)
