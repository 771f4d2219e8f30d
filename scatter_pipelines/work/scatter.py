"""The start of a run: which task and shards it works on, and the documents left to do in them.

The list is read from the table on every execution, so that a re-execution does what is left and nothing twice.
"""

from dataclasses import dataclass

from sqlalchemy import Connection

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import Task
from scatter_pipelines.store import beats, results, shards
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.submit import Submission, submit


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a run was asked to do: submit something, or work on a task, or on one shard of it."""

    run_id: str
    root_run_id: str
    sources: tuple[str, ...] = ()
    template: str = "paper"
    engine: str = "rules"
    shard_size: int | None = None
    estimate: bool = False
    cache: bool = True
    task_usd: float | None = None
    document_usd: float | None = None
    key: str | None = None
    all_shards: bool = False
    task_id: str | None = None
    shard: int | None = None


@dataclass(frozen=True, slots=True)
class WorkList:
    """The shards this run holds now and their documents as (result id, file name)."""

    task: Task
    shards: tuple[int, ...]
    documents: tuple[tuple[int, str], ...]
    shards_left: int


def begin_run(runtime: Runtime, request: RunRequest) -> WorkList:
    """Takes the leases and lists the documents. Empty where nothing is left or others are at it."""
    task = _task_of(runtime, request)
    if task.status != "processing":
        return WorkList(task, (), (), 0)
    sweep_claims(runtime, task.id)
    taken, left = _take_shards(runtime, task.id, request)
    documents = runtime.database.run(lambda connection: _open_shards(connection, task.id, taken))
    return WorkList(task, tuple(taken), tuple(documents), left)


def _task_of(runtime: Runtime, request: RunRequest) -> Task:
    if bool(request.sources) == (request.task_id is not None):
        raise UsageError("config_invalid", "The config must have either `source` or `task_id`.")
    if request.shard is not None and request.task_id is None:
        raise UsageError("config_invalid", "`shard` goes with `task_id`.")
    if (request.shard_size is not None and request.shard_size < 1) or (request.shard is not None and request.shard < 0):
        raise UsageError("config_invalid", "`shard_size` is at least 1 and `shard` at least 0.")
    if request.task_id is not None:
        return find_task(runtime, request.task_id)
    submission = Submission(
        sources=request.sources,
        template=request.template,
        engine=request.engine,
        shard_size=request.shard_size,
        key=request.key or request.root_run_id,
        key_origin="given" if request.key else "run",
        run_id=request.run_id,
        estimate=request.estimate,
        cache=request.cache,
        task_usd=request.task_usd,
        document_usd=request.document_usd,
    )
    return submit(runtime, submission).task


def _take_shards(runtime: Runtime, task_id: str, request: RunRequest) -> tuple[list[int], int]:
    """The shards taken, and how many with work are left to others."""
    with_work = runtime.database.run(lambda connection: shards.with_work(connection, task_id))
    wanted = with_work if request.shard is None else [request.shard]
    taken: list[int] = []
    for shard in wanted:
        if _take(runtime, task_id, shard, request.run_id):
            taken.append(shard)
            if not request.all_shards:
                break
    return taken, len(set(with_work) - set(taken))


def _take(runtime: Runtime, task_id: str, shard: int, run_id: str) -> bool:
    stale_seconds = runtime.settings.stale_seconds
    return runtime.database.run(lambda c: beats.take_lease(c, task_id, shard, run_id, stale_seconds))


def _open_shards(connection: Connection, task_id: str, taken: list[int]) -> list[tuple[int, str]]:
    shards.mark_started(connection, task_id, taken)
    return results.pending_of_shards(connection, task_id, taken)
