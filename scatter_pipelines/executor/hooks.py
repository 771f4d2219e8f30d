"""What the executor asks of whoever knows what the steps are about. It knows nothing of that itself.

The field `hooks` of the executor's config names a factory, `module:attribute`, which is called in the run worker with
a `Bench` and gives an `Overseer`. Steps reach it from their worker through `workplace()`: notes, a board, a briefing.
"""

import importlib
import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from logging import Logger
from types import TracebackType
from typing import Any, Literal, Protocol

from dagster import DagsterInstance

BOARD_BYTES = 256
"""Size of the memory a worker shares with the run worker; what is in it is between the step and the overseer."""

LossKind = Literal["died", "stopped", "step_timeout", "memory_limit", "told", "interrupted"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a worker was lost in the middle of a step. `told`: the overseer said so, with its `stop`.

    `pid` is the worker's, `how` says it to a person, as in "signal SIGSEGV".
    """

    kind: LossKind
    pid: int
    how: str
    stop: Any = None


@dataclass(frozen=True, slots=True)
class Again:
    """The step is run again, after so many seconds. Retry policies are not asked."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Order:
    """A worker's present step as the overseer sees it."""

    number: int
    step_key: str


@dataclass(frozen=True, slots=True)
class Bench:
    """What an overseer works with: the run, its instance and log, the boards of the workers by number."""

    run_id: str
    instance: DagsterInstance
    log: Logger
    boards: Sequence[memoryview]


class Overseer(Protocol):
    """Lives in the run worker, for one run. `tick` is called from a thread of its own, all else from one other."""

    def __enter__(self) -> "Overseer": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def briefing(self, step_key: str) -> Any:
        """What the step is to know when it begins; `workplace().briefing` there."""

    def note(self, order: Order, note: Any) -> None:
        """A step said something with `workplace().note`."""

    def tick(self, orders: Sequence[Order]) -> Sequence[tuple[Order, Any]]:
        """Several times a second: which workers are to be killed now, each with a reason of the overseer's own."""

    def lost(self, order: Order, loss: Loss) -> Again | None:
        """A worker was lost in the middle of a step. None: the step fails, or is retried by its policy."""


class NoOverseer:
    """For graphs that need none."""

    def __enter__(self) -> "NoOverseer":
        return self

    def __exit__(self, *_exc: object) -> None:
        """Nothing was begun."""

    def briefing(self, step_key: str) -> None:
        return None

    def note(self, order: Order, note: Any) -> None:
        """Nobody listens."""

    def tick(self, orders: Sequence[Order]) -> Sequence[tuple[Order, Any]]:
        return ()

    def lost(self, order: Order, loss: Loss) -> None:
        return None


Factory = Callable[[Bench], Overseer]


def load_factory(name: str) -> Factory:
    """The factory that a config names; ValueError says what is wrong with the name."""
    if not name:
        return lambda bench: NoOverseer()
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"The executor's `hooks` must be written module:attribute; {name!r} is not.")
    try:
        factory: Factory = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise ValueError(
            f"The executor's `hooks` {name!r} cannot be loaded: {type(error).__name__}: {error}."
        ) from error
    if not callable(factory):
        raise ValueError(f"The executor's `hooks` {name!r} is {type(factory).__name__}, not a factory to call.")
    return factory


def make_boards(workers: int) -> list[memoryview]:
    """Memory that this process shares with every process forked from now on."""
    whole = memoryview(mmap.mmap(-1, workers * BOARD_BYTES))
    return [whole[number * BOARD_BYTES : (number + 1) * BOARD_BYTES] for number in range(workers)]


@dataclass
class Workplace:
    """A worker as its steps see it. `waits` is told when a step begins, and when it ends, to wait for somebody else."""

    note: Callable[[Any], None]
    waits: Callable[[bool], None]
    board: memoryview
    briefing: Any = None


_workplace: Workplace | None = None


def workplace() -> Workplace | None:
    """The pool's worker that this process is, or None."""
    return _workplace


def enter_workplace(place: Workplace) -> None:
    global _workplace
    _workplace = place
