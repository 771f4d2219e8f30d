"""Starting a run as the job does: its lease, its supervisor and its worker."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scatter_pipelines.model.result import Holder, Outcome
from scatter_pipelines.work.process import Worker
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.scatter import RunRequest, begin_run
from scatter_pipelines.work.submit import Submission, submit
from scatter_pipelines.work.supervise import Supervisor

HOLDER = Holder("run-1", "extract_document[a]", "host")
OTHER = Holder("run-2", "extract_document[a]", "host")


def submitted(runtime: Runtime, *sources: str | Path, **more: Any) -> str:
    return submit(runtime, Submission([str(source) for source in sources], **more)).task.id


def _unexpected(message: str) -> None:
    """Work that hangs is to fail its test, not to end the process of all tests."""
    raise AssertionError(message)


@contextmanager
def working(
    runtime: Runtime, task_id: str, run_id: str = "run-1", end_process: Callable[[str], None] | None = None
) -> Iterator[Worker]:
    """A worker of a run that holds the task's first shard."""
    begin_run(runtime, RunRequest(run_id, run_id, task_id=task_id))
    with Supervisor(runtime.database, run_id, end_process or _unexpected) as supervisor:
        yield Worker(runtime, supervisor)


def process(runtime: Runtime, task_id: str, *result_ids: int) -> list[Outcome]:
    with working(runtime, task_id) as worker:
        return [worker.process(result_id, HOLDER) for result_id in result_ids]
