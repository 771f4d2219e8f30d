"""The project's own job, but for documents that misbehave: their text says how, where a parser would be at work.

`python -m scatter_pipelines_tests.e2e.unruly FOLDER` runs it on a folder, as a run worker would.
"""

import ctypes
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from dagster import DagsterInstance, execute_job
from dagster._core.definitions.reconstruct import ReconstructableRepository

from scatter_pipelines.definitions import defs as the_defs
from scatter_pipelines.model.document import Document
from scatter_pipelines.work import extraction

defs = the_defs

parse = extraction.parse_document


def _kill() -> None:
    time.sleep(0.4)
    os.kill(os.getpid(), signal.SIGKILL)


def _hold_the_lock() -> None:
    re.match(r"(a|a)*$", "a" * 200 + "b")


def _fill_memory() -> None:
    held = []
    while True:
        held.append(bytearray(os.urandom(1024) * 8 * 1024))
        time.sleep(0.01)


MISCHIEF: dict[bytes, Callable[[], Any]] = {
    b"KILL": _kill,
    b"SEGV": lambda: ctypes.string_at(0),
    b"STOP": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    b"LOCK": _hold_the_lock,
    b"HANG": lambda: select.select([], [], [], 600),
    b"FILL": _fill_memory,
}


def unruly(content: bytes, **more: Any) -> Document:
    if (mischief := MISCHIEF.get(content[:4])) is not None:
        mischief()
    return parse(content, **more)


extraction.parse_document = unruly


def main(folder: str) -> None:
    repository = ReconstructableRepository.for_module("scatter_pipelines_tests.e2e.unruly", "defs", None)
    job = repository.get_reconstructable_job("extract_documents")
    with DagsterInstance.get() as instance:
        print(execute_job(job, instance=instance, run_config={"source": folder}).run_id)


if __name__ == "__main__":
    main(sys.argv[1])
