"""The nursery: a process with one thread that forks the workers, waits for them and kills them with their children.

It is forked once, before the run worker has work in flight, so that a worker born later is not a copy of a process
in the middle of something. It runs no code of the users. When the run worker is gone, so are nursery and workers.
"""

import ctypes
import gc
import json
import os
import selectors
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

import psutil

MESSAGE = 4096
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

WorkerMain = Callable[[socket.socket | None, int], None]


class NurseryGoneError(RuntimeError):
    """Somebody killed the nursery, and so its workers; the run cannot go on."""


class Nursery:
    """The line to it. `worker_main` gets a socket, if one is sent along, and a number; `prepare` is called first."""

    def __init__(self, worker_main: WorkerMain, prepare: Callable[[], None] = lambda: None) -> None:
        self.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Python warns of forking beside threads; what is forked here runs nothing but the nursery's own code.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            self._be_it(theirs, worker_main, prepare)
        theirs.close()

    def _be_it(self, line: socket.socket, worker_main: WorkerMain, prepare: Callable[[], None]) -> NoReturn:
        try:
            self.line.close()
            NurseryProcess(line, worker_main).run(prepare)
        finally:
            os._exit(0)

    def spawn(self, number: int, end: socket.socket | None) -> None:
        """One more worker; `end` is its end of a socket pair."""
        ends = [end.fileno()] if end is not None else []
        socket.send_fds(self.line, [json.dumps({"spawn": number}).encode()], ends)

    def kill(self, pid: int, number: int = signal.SIGKILL) -> None:
        """Signals a worker; SIGKILL also reaches all that descends from it."""
        with suppress(OSError):
            self.line.send(json.dumps({"kill": pid, "signal": int(number)}).encode())

    def news(self) -> Iterator[dict[str, Any]]:
        """`{"born": number, "pid": pid}` and `{"ended": pid, "status": status}`, without waiting for more.

        Raises `NurseryGoneError`.
        """
        while True:
            try:
                text = self.line.recv(MESSAGE, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            except ConnectionResetError:
                text = b""
            if not text:
                raise NurseryGoneError("The process that forks the workers is gone.")
            yield json.loads(text)

    def close(self) -> None:
        """The nursery kills what is left when its line breaks, and is waited for."""
        self.line.close()
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


class NurseryProcess:
    """The nursery itself. Commands come as JSON, with a socket to spawn; what happens goes back likewise."""

    def __init__(self, line: socket.socket, worker_main: WorkerMain) -> None:
        self._line = line
        self._worker_main = worker_main
        self._workers: set[int] = set()
        self._bell, bell_rope = socket.socketpair()
        self._bell.setblocking(False)
        bell_rope.setblocking(False)
        self._rope = bell_rope

    def run(self, prepare: Callable[[], None]) -> None:
        os.setpgid(0, 0)
        adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self._rope.fileno(), warn_on_full_buffer=False)
        prepare()
        # What is loaded stays: the workers' garbage collector need not look at it again, nor copy its pages.
        gc.freeze()
        selector = selectors.DefaultSelector()
        selector.register(self._line, selectors.EVENT_READ)
        selector.register(self._bell, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if self._bell in ready:
                with suppress(BlockingIOError):
                    self._bell.recv(MESSAGE)
            self._reap()
            if self._line in ready and not self._obey():
                break
        for pid in self._workers:
            kill_group(pid)
        self._kill_strays()

    @staticmethod
    def _kill_strays() -> None:
        """What steps have forked and what has left its worker's group: as orphans they are the nursery's children."""
        for stray in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                stray.kill()

    def _obey(self) -> bool:
        """Does one command; False when the run worker is gone."""
        try:
            text, ends, _flags, _address = socket.recv_fds(self._line, MESSAGE, 1)
        except OSError:
            return False
        if not text:
            return False
        command = json.loads(text)
        if "spawn" in command:
            self._spawn(command["spawn"], ends[0] if ends else None)
        elif command["kill"] in self._workers and command["signal"] == signal.SIGKILL:
            kill_family(command["kill"])
        elif command["kill"] in self._workers:
            os.kill(command["kill"], command["signal"])
        return True

    def _spawn(self, number: int, end: int | None) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_worker(number, end)
        if end is not None:
            os.close(end)
        with suppress(OSError):
            os.setpgid(pid, pid)
        self._workers.add(pid)
        self._tell({"born": number, "pid": pid})

    def _become_worker(self, number: int, end: int | None) -> NoReturn:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for name in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
                signal.signal(name, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.setpgid(0, 0)
            die_with_parent()
            for own in (self._line, self._bell, self._rope):
                own.close()
            self._worker_main(socket.socket(fileno=end) if end is not None else None, number)
            status = 0
        except SystemExit as leaving:
            status = exit_status(leaving)
        except BaseException:  # noqa: BLE001  nothing is above it
            traceback.print_exc()
        finally:
            with suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _reap(self) -> None:
        """Takes leave of all that ended; what a worker has left behind in its group is ended first."""
        with suppress(ChildProcessError):
            while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
                pid = ended.si_pid
                if pid in self._workers:
                    kill_group(pid)
                _pid, status = os.waitpid(pid, 0)
                if pid in self._workers:
                    self._workers.discard(pid)
                    self._tell({"ended": pid, "status": os.waitstatus_to_exitcode(status)})

    def _tell(self, news: dict[str, Any]) -> None:
        with suppress(OSError):
            self._line.send(json.dumps(news).encode())


def exit_status(leaving: SystemExit) -> int:
    """The status a process ends with; a message is said, as Python does at the end of a program."""
    if leaving.code is None or isinstance(leaving.code, int):
        return leaving.code or 0
    print(leaving.code, file=sys.stderr)
    return 1


def kill_group(pid: int) -> None:
    """A worker leads a process group of its own: what its steps have forked goes with it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_family(pid: int) -> None:
    """A worker with its group, wherever it has moved itself, and what has left the group but is still its child."""
    family = []
    with suppress(psutil.Error):
        family = psutil.Process(pid).children(recursive=True)
    kill_group(pid)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for child in family:
        with suppress(psutil.Error):
            child.kill()


def adopt_orphans() -> None:
    """Has the kernel give this process the orphans among its descendants, where the kernel can (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Has the kernel kill this process when its parent ends, where the kernel can (Linux)."""
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
