"""The resource through which ops, sensors and schedules reach the use cases, and the manager of their ids."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import dagster as dg
from pydantic import PrivateAttr

from scatter_pipelines.errors import UsageError
from scatter_pipelines.executor.hooks import Workplace, workplace
from scatter_pipelines.settings import load_settings
from scatter_pipelines.work.oversee import PoolWatcher
from scatter_pipelines.work.process import Worker
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import last_words
from scatter_pipelines.work.supervise import Supervisor


class Pipeline(dg.ConfigurableResource):  # type: ignore[type-arg]
    """A runtime for as long as the run (or the tick) lasts, and one watched worker for a run that extracts.

    In a worker of the warm pool both last as long as the process, whatever ops it does.
    """

    _runtime: Runtime | None = PrivateAttr(default=None)
    _worker: Worker | None = PrivateAttr(default=None)
    _stack: ExitStack = PrivateAttr(default_factory=ExitStack)
    _task_id: str | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["Pipeline"]:
        if workplace() is not None:
            self._runtime = pool_runtime()
            yield self
            return
        with ExitStack() as stack:
            with plain_failures():
                self._runtime = stack.enter_context(open_runtime())
            self._stack = stack
            yield self
            if self._task_id is not None and context.log is not None:
                context.log.info(last_words(self._runtime, self._task_id))

    @property
    def runtime(self) -> Runtime:
        if self._runtime is None:
            raise RuntimeError("The pipeline is used outside a run or tick.")
        return self._runtime

    def speak_last_of(self, task_id: str) -> None:
        """The last line of this process's log says how far the task is and who closes it."""
        self._task_id = task_id

    def worker(self, run_id: str) -> Worker:
        """The worker of this process's part of a run, watched by the run worker or by a thread of its own."""
        if (place := workplace()) is not None:
            return pool_worker(run_id, place)
        if self._worker is None:
            supervisor = Supervisor(self.runtime.database, run_id)
            if self.runtime.settings.executor != "multiprocess":
                # The run ends with this process's part of it, however it ends: what is left is free at once.
                self._stack.callback(supervisor.let_go)
            self._stack.enter_context(supervisor)
            self._worker = Worker(self.runtime, supervisor)
        return self._worker


@cache
def pool_runtime() -> Runtime:
    """The runtime of a worker of the pool. Whoever started the pool has seen to the schema."""
    return Runtime(load_settings())


_pool_workers: dict[str, tuple[Worker, PoolWatcher]] = {}


def pool_worker(run_id: str, place: Workplace) -> Worker:
    """The worker that this process of the pool is, told what the run worker knew when it ordered the step."""
    if run_id not in _pool_workers:
        watcher = PoolWatcher(run_id, place.board, place.note, place.waits)
        _pool_workers[run_id] = Worker(pool_runtime(), watcher), watcher
    worker, watcher = _pool_workers[run_id]
    watcher.lost = place.briefing
    return worker


class ResultIds(dg.IOManager):
    """Writes nothing: a result's id is the end of its mapping key, and nothing else travels between steps."""

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        """The id is in the key already."""

    def load_input(self, context: dg.InputContext) -> int:
        upstream = context.upstream_output
        if upstream is None or upstream.mapping_key is None:
            raise RuntimeError("A result's id comes from a mapped output alone.")
        return result_id_of(upstream.mapping_key)


def mapping_key(filename: str, result_id: int) -> str:
    """What a reader of the UI sees as `extract_document[...]`: file name and id, in the letters Dagster allows."""
    readable = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in filename)[:60]
    return f"{readable.strip('_') or 'document'}_{result_id}"


def result_id_of(key: str) -> int:
    return int(key.rpartition("_")[2])


def usage_text(error: UsageError) -> str:
    return f"{error.message} {error.entry.advice} [{error.code}]"


@contextmanager
def plain_failures() -> Iterator[None]:
    """Shows a usage error as one message."""
    try:
        yield
    except UsageError as error:
        raise dg.Failure(description=usage_text(error), allow_retries=False) from None
