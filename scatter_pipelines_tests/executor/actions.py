"""What a step of the tests can be told to do. An action is written `name` or `name:argument`."""

import os
import signal
import threading
import time
from collections.abc import Callable

import dagster as dg
import psutil

from scatter_pipelines_tests.executor import harm, noise
from scatter_pipelines_tests.executor.place import Place, Seen, hold, wait_for


class HasALock(Exception):
    """Cannot be pickled."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.lock = threading.Lock()


class Unspeakable(Exception):
    """Cannot be printed either."""

    def __str__(self) -> str:
        raise RuntimeError("no words for it")


def ok(place: Place, argument: str) -> Seen:
    return {}


def fail(place: Place, argument: str) -> Seen:
    raise ValueError(f"{place.key} was told to fail")


def fail_unpicklable(place: Place, argument: str) -> Seen:
    raise HasALock("nobody can copy me")


def fail_unspeakable(place: Place, argument: str) -> Seen:
    raise Unspeakable


def fail_for_good(place: Place, argument: str) -> Seen:
    raise dg.Failure("for good", metadata={"reason": "told to"}, allow_retries=False)


def retry(place: Place, argument: str) -> Seen:
    raise dg.RetryRequested(max_retries=int(argument or 9))


def retry_in(place: Place, argument: str) -> Seen:
    raise dg.RetryRequested(max_retries=9, seconds_to_wait=float(argument))


def interrupt(place: Place, argument: str) -> Seen:
    raise KeyboardInterrupt


def meet(place: Place, argument: str) -> Seen:
    """Ends once so many steps are at it at the same time."""
    place.file(f"met-{place.key}").touch()
    wait_for(lambda: len(list(place.folder.glob("met-*"))) >= int(argument), f"{argument} steps at once")
    return {}


def wait_and_meet(place: Place, argument: str) -> Seen:
    """As `meet`, and says that it only waits meanwhile."""
    _say_waiting(True)
    meet(place, argument)
    _say_waiting(False)
    return {}


def wait_and_die(place: Place, argument: str) -> Seen:
    """Says that it only waits, and is killed."""
    _say_waiting(True)
    return harm.kill(place, argument)


def _say_waiting(waits: bool) -> None:
    from scatter_pipelines.executor.hooks import workplace

    desk = workplace()
    assert desk is not None
    desk.waits(waits)


def alone(place: Place, argument: str) -> Seen:
    """Fails if another step is at it at the same time."""
    mine = place.file(f"alone-{argument}")
    mine.touch(exist_ok=False)
    deadline = time.monotonic() + 0.1
    wait_for(lambda: time.monotonic() > deadline, "others to come in between")
    mine.unlink()
    return {}


def plant(place: Place, argument: str) -> Seen:
    """Has so many workers die at their birth from now on, and holds."""
    for number in range(int(argument)):
        place.file("deaths").joinpath(str(number)).touch()
    return hold(place, "never")


def stop_other(place: Place, argument: str) -> Seen:
    """Stops a worker that is not this one and whose steps are over."""
    others = {int(path.read_text()) for path in place.folder.glob("pid-*")} - {os.getpid()}
    os.kill(others.pop(), signal.SIGSTOP)
    return {}


def see_gone(place: Place, argument: str) -> Seen:
    """Fails unless the process whose number is in the file of that name is gone, or will be in a moment."""
    pid = int(place.file(argument).read_text())
    wait_for(lambda: _is_dead(pid), f"{pid} to be gone", 5)
    return {}


def _is_dead(pid: int) -> bool:
    """Though nobody has waited for it yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def count_slots(place: Place, argument: str) -> Seen:
    """How many slots of the pool are taken right now."""
    with dg.DagsterInstance.get() as instance:
        return {"slots": instance.event_log_storage.get_concurrency_info(argument).active_slot_count}


def be_briefed(place: Place, argument: str) -> Seen:
    """Talks to the executor's overseer: reads its briefing, writes on the board, leaves a note."""
    from scatter_pipelines.executor.hooks import workplace

    desk = workplace()
    assert desk is not None
    desk.board[:5] = b"board"
    desk.note(f"note of {place.key}")
    return {"briefing": str(desk.briefing)}


def note_and_hang(place: Place, argument: str) -> Seen:
    be_briefed(place, argument)
    return harm.hang_with_gil(place, argument)


ACTIONS: dict[str, Callable[[Place, str], Seen]] = {
    action.__name__: action
    for action in (
        ok, fail, fail_unpicklable, fail_unspeakable, fail_for_good, retry, retry_in, interrupt, meet, alone, hold,
        wait_and_meet, wait_and_die,
        plant, stop_other, count_slots, be_briefed, note_and_hang, harm.python_exit, harm.process_exit, harm.kill,
        harm.crash, harm.stop, harm.hang_in_regex, harm.hang_with_gil, harm.hang_without_gil, harm.grow, harm.keep,
        harm.fork, harm.fork_away, harm.fork_twin, harm.fork_and_kill, harm.fork_and_hang, noise.shout,
        noise.shout_and_hold, noise.shout_in_c, noise.shout_and_die, noise.close_stdout, noise.redirect_stdout,
        noise.close_everything, harm.close_line, harm.move_and_hang, harm.fork_away_and_hang, see_gone,
    )
}  # fmt: skip


def act(place: Place, action: str) -> Seen:
    """Does it, and says where."""
    place.file(f"pid-{place.key}-{place.attempt}").write_text(str(os.getpid()))
    name, _, argument = action.partition(":")
    return {"pid": os.getpid(), **ACTIONS[name](place, argument)}
