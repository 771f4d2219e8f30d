"""The workers as the run worker sees them: who is idle, who holds which step, who is gone.

What a worker says and how it ends comes out of `listen`. The pool knows pids and step keys, and nothing of Dagster.
"""

import selectors
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import psutil

from scatter_pipelines.executor.channel import SEND_SECONDS, Channel
from scatter_pipelines.executor.hooks import LossKind
from scatter_pipelines.executor.nursery import Nursery, NurseryGoneError, WorkerMain, kill_group

State = Literal["starting", "idle", "busy", "leaving"]


@dataclass
class Member:
    """One worker. `since` is when its state began, by the monotonic clock.

    `begun`: it has said something of its step; `events`: what has happened in the step so far; `batch`: the last
    batch of events that has arrived; `rss`: its resident memory in bytes when that was last looked at; `waits`: its
    step only waits for somebody else.
    """

    number: int
    channel: Channel
    pid: int = 0
    state: State = "starting"
    since: float = field(default_factory=time.monotonic)
    step_key: str = ""
    begun: bool = False
    waits: bool = False
    events: list[Any] = field(default_factory=list)
    batch: int = 0
    steps: int = 0
    rss: int = 0
    file_key: str = ""
    shown_key: str = ""
    killed: tuple[LossKind, str, Any] | None = None

    def enter(self, state: State, step_key: str = "") -> None:
        self.since, self.step_key = time.monotonic(), step_key
        self.begun, self.waits, self.events = False, False, []
        self.state = state

    def seconds(self) -> float:
        """How long it has been in its state."""
        return time.monotonic() - self.since

    def look_at_memory(self) -> None:
        with suppress(psutil.Error):
            self.rss = int(psutil.Process(self.pid).memory_info().rss)

    def is_stopped(self) -> bool:
        """Whether a signal has stopped it (SIGSTOP and its like)."""
        with suppress(psutil.Error):
            return bool(psutil.Process(self.pid).status() == psutil.STATUS_STOPPED)
        return False


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a worker."""

    member: Member
    message: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker is gone. `status`: its exit status, or the negative number of the signal that ended it."""

    member: Member
    status: int

    @property
    def how(self) -> str:
        if self.status >= 0:
            return f"exit status {self.status}"
        with suppress(ValueError):
            return f"signal {signal.Signals(-self.status).name}"
        return f"signal {-self.status}"


class Pool:
    """Workers, born when there is work for them. A context manager: at its end nobody is left.

    Up to `working` of them are given work at once; one whose step waits for somebody else does not count, so that up to
    `waiting` more may be born in its place. When waits end there may be more at work for a while.

    One thread works with it. Another one may look at the members and kill them while it holds `mutex`: a worker then
    keeps its step, so that nobody is killed for what another step did.
    """

    def __init__(self, working: int, waiting: int, worker_main: WorkerMain) -> None:
        self.working = working
        self.size = working + waiting
        self.members: dict[int, Member] = {}
        self.mutex = threading.RLock()
        self._selector = selectors.DefaultSelector()
        self._nursery = Nursery(worker_main)
        self._selector.register(self._nursery.line, selectors.EVENT_READ, None)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._selector.close()
        self._nursery.close()
        for member in self.members.values():
            member.channel.close()

    def idle(self) -> list[Member]:
        """Those that may be given a step."""
        return [member for member in self.members.values() if member.state == "idle" and member.killed is None]

    def busy(self) -> list[Member]:
        return [member for member in list(self.members.values()) if member.state == "busy"]

    def free(self) -> int:
        """How many more may be given work now."""
        return self.working - sum(not member.waits for member in self.busy())

    def starting(self) -> list[Member]:
        return [member for member in self.members.values() if member.state == "starting"]

    def leaving(self) -> list[Member]:
        return [member for member in self.members.values() if member.state == "leaving"]

    def spawn(self) -> None:
        """One more worker, on a number that is free."""
        number = next(number for number in range(self.size) if number not in self.members)
        ours, theirs = socket.socketpair()
        # A timeout of Python's would hold for reading too.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
        member = Member(number, Channel(ours))
        self.members[number] = member
        self._selector.register(ours, selectors.EVENT_READ, member)
        with theirs:
            self._nursery.spawn(number, theirs)

    def has_room(self) -> bool:
        return len(self.members) < self.size

    def order(self, member: Member, order: Any, step_key: str) -> None:
        """Hands a step to an idle worker. One that does not take it off its socket is killed."""
        with self.mutex:
            member.enter("busy", step_key)
        member.steps += 1
        if member.killed is not None:
            return
        try:
            member.channel.send(order)
        except OSError:
            self.kill(member, "died", "it took no orders")

    def answer(self, member: Member) -> None:
        """Tells a worker that what it has sent to be stored is stored."""
        with suppress(OSError):
            member.channel.send(True)

    def dismiss(self, member: Member) -> None:
        """Has an idle worker take its resources down and end."""
        member.enter("leaving")
        with suppress(OSError):
            member.channel.send(None)

    def kill(self, member: Member, kind: LossKind, how: str, stop: Any = None) -> None:
        """With all that it has forked. That it ended is heard later; `kind` and `how` are kept for then."""
        if member.killed is None:
            member.killed = (kind, how, stop)
        if member.pid:
            self._nursery.kill(member.pid)

    def listen(self, seconds: float) -> Iterator[Said | Ended]:
        """What has happened, waiting up to `seconds` for the first of it."""
        ready = [key.data for key, _ in self._selector.select(max(0.0, seconds))]
        for member in ready:
            if member is not None:
                yield from (Said(member, message) for message in member.channel.drain())
                if member.channel.broken:
                    self._selector.unregister(member.channel.end)
        if None in ready:
            yield from self._news()

    def _news(self) -> Iterator[Said | Ended]:
        try:
            for news in self._nursery.news():
                if "born" in news:
                    self._born(self.members[news["born"]], news["pid"])
                else:
                    yield from self._bury(news["ended"], news["status"])
        except NurseryGoneError:
            yield from self._bury_all()
            raise

    def _bury_all(self) -> Iterator[Said | Ended]:
        """The workers die with their nursery; what they have forked is ended here."""
        for member in list(self.members.values()):
            if member.pid:
                kill_group(member.pid)
                yield from self._bury(member.pid, -signal.SIGKILL)

    def _born(self, member: Member, pid: int) -> None:
        member.pid = pid
        if member.killed is not None:
            self.kill(member, *member.killed)

    def _bury(self, pid: int, status: int) -> Iterator[Said | Ended]:
        """The last words first, then the end."""
        member = next(member for member in self.members.values() if member.pid == pid)
        while last := list(member.channel.drain()):
            yield from (Said(member, message) for message in last)
        with suppress(KeyError):
            self._selector.unregister(member.channel.end)
        member.channel.close()
        del self.members[member.number]
        yield Ended(member, status)
