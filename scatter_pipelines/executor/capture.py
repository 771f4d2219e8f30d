"""What steps print, where the UI looks for it.

With files on this machine a worker's descriptors 1 and 2 always lead into a fresh pair of files. A step that printed
leaves the pair behind as its own; one that did not costs nothing. Other managers capture in their own way.
"""

import ctypes
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scatter_pipelines.executor.internals import (
    IO_TYPE_EXTENSION,
    ComputeIOType,
    ComputeLogManager,
    LocalComputeLogManager,
    NoOpComputeLogManager,
    create_compute_log_file_key,
)

AnyManager = ComputeLogManager[Any]

LIBC = ctypes.CDLL(None)
STREAMS = {1: ComputeIOType.STDOUT, 2: ComputeIOType.STDERR}


class LocalCapture:
    """A worker's pair of files. `file_key` names it; the run worker finds the files by it if the worker dies."""

    def __init__(self, manager: LocalComputeLogManager, run_id: str) -> None:
        self._manager = manager
        self._run_id = run_id
        self.file_key = ""
        self._streams: tuple[io.TextIOWrapper, ...] = ()
        self._files: dict[int, int] = {}
        self.renew()

    def renew(self) -> None:
        """From here on into a new pair of files, whatever became of the descriptors and streams."""
        self.file_key = create_compute_log_file_key()
        for descriptor, path in paths_of(self._manager, log_key(self._manager, self._run_id, self.file_key)).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            opened = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            self._files[descriptor] = os.fstat(descriptor).st_ino
        self._restore_streams()

    def _restore_streams(self) -> None:
        if self._streams != (sys.stdout, sys.stderr) or any(stream.closed for stream in self._streams):
            self._streams = sys.stdout, sys.stderr = _stream(1), _stream(2)

    def take(self) -> str | None:
        """The key of what was printed since the last time; None if nothing was."""
        for stream in self._streams:
            with suppress(ValueError, OSError):
                stream.flush()
        LIBC.fflush(None)
        if self._is_untouched():
            self._restore_streams()
            return None
        printed = self.file_key
        self.renew()
        return printed

    def _is_untouched(self) -> bool:
        """Nothing printed, nothing closed and nothing led elsewhere."""
        try:
            found = {descriptor: os.fstat(descriptor) for descriptor in STREAMS}
        except OSError:
            return False
        return all(found[descriptor].st_ino == file for descriptor, file in self._files.items()) and not any(
            one.st_size for one in found.values()
        )

    def drop(self) -> None:
        """Removes the pair that nobody printed into."""
        if self.take() is None:
            discard(self._manager, log_key(self._manager, self._run_id, self.file_key))


def _stream(descriptor: int) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True)


def log_key(manager: AnyManager, run_id: str, file_key: str) -> Sequence[str]:
    return manager.build_log_key_for_run(run_id, file_key)


def paths_of(manager: LocalComputeLogManager, key: Sequence[str]) -> dict[int, Path]:
    """Descriptor to file."""
    return {
        descriptor: Path(manager.get_captured_local_path(key, IO_TYPE_EXTENSION[kind]))
        for descriptor, kind in STREAMS.items()
    }


def has_text(manager: Any, key: Sequence[str]) -> bool:
    return any(path.exists() and path.stat().st_size for path in paths_of(manager, key).values())


def finish(manager: Any, key: Sequence[str]) -> None:
    """Tells readers that nothing more will come."""
    Path(manager.complete_artifact_path(key)).touch()


def discard(manager: Any, key: Sequence[str]) -> None:
    for path in paths_of(manager, key).values():
        path.unlink(missing_ok=True)


def captures_itself(manager: AnyManager) -> bool:
    """Whether the manager's own way of capturing is to be used, whatever it costs."""
    return not isinstance(manager, LocalComputeLogManager | NoOpComputeLogManager)


@contextmanager
def console() -> Iterator[io.TextIOWrapper]:
    """The run worker's own standard error, which stays where it was: for what is said to whoever started the run."""
    with os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace", buffering=1) as stream:
        yield stream
