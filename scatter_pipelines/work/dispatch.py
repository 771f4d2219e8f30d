"""Deciding which shards get a run now. Making the runs is Dagster's; nothing here waits."""

from functools import partial

from sqlalchemy import Connection

from scatter_pipelines.model.result import ShardRef
from scatter_pipelines.store import beats, events, operations, shards, tasks
from scatter_pipelines.work.runs import Runs, UnfinishedRun
from scatter_pipelines.work.runtime import Runtime

LEASE_PAGE = 1_000
START_SECONDS = 120
"""How long a run may take from its start until it holds its shard."""

FREE_MOST = 1_000


def dispatch(runtime: Runtime, runs: Runs) -> list[ShardRef]:
    """Opens a round of each shard to be dispatched now; each needs one run, keyed by task, shard and round."""
    settle_leases(runtime, runs)
    unfinished = runs.unfinished()
    room = runtime.settings.dispatch_ahead - len(unfinished)
    if room <= 0:
        return []
    opened: list[ShardRef] = []
    for shard in _dispatchable(runtime, most=room + len(unfinished)):
        if len(opened) == room:
            break
        if any(_is_on_its_way(run, shard) for run in unfinished) or _was_called_off(runtime, runs, shard):
            continue
        number = runtime.database.run(partial(shards.mark_dispatched, shard=shard))
        if number is not None:
            opened.append(ShardRef(shard.task_id, shard.shard, number))
    return opened


def _is_on_its_way(run: UnfinishedRun, shard: ShardRef) -> bool:
    """Whether the run was made for the shard and has yet to take it. The one that held it last let it go stale."""
    if (run.task_id, run.shard) != (shard.task_id, shard.shard):
        return False
    return run.state == "queued" or (run.run_id != shard.run_id and run.seconds < START_SECONDS)


def _was_called_off(runtime: Runtime, runs: Runs, shard: ShardRef) -> bool:
    """Whether an operator terminated the shard's run before it took the shard; then its documents are cancelled."""
    run_id = runs.cancelled_dispatch(shard) if shard.round else None
    if run_id is None:
        return False
    cancel_shard(runtime, ShardRef(shard.task_id, shard.shard, shard.round, run_id))
    return True


def free_shards(runtime: Runtime, task_id: str) -> list[int]:
    """Shards of a task with due work that nobody is at; a dispatch that has not started yet does not count."""
    stale_seconds = runtime.settings.stale_seconds
    found = runtime.database.run(
        lambda c: shards.dispatchable(
            c, stale_seconds=stale_seconds, dispatch_seconds=0, most=FREE_MOST, task_id=task_id
        )
    )
    return [shard.shard for shard in found]


def _dispatchable(runtime: Runtime, most: int) -> list[ShardRef]:
    settings = runtime.settings
    return runtime.database.run(
        lambda connection: shards.dispatchable(
            connection,
            stale_seconds=settings.stale_seconds,
            dispatch_seconds=settings.dispatch_seconds,
            most=most,
        )
    )


def settle_leases(runtime: Runtime, runs: Runs) -> None:
    """Frees the shards of runs that are over, and cancels what a run terminated by an operator left undone.

    A run that Dagster calls over but that still beats keeps its shards: Dagster's status can be wrong.
    """
    quiet = runtime.settings.beat_seconds * 2
    leases = runtime.database.run(lambda connection: beats.stale_leases(connection, quiet, LEASE_PAGE))
    if not leases:
        return
    states = runs.states({lease.run_id for lease in leases if lease.run_id})
    for lease in leases:
        state = states.get(lease.run_id or "", "unknown")
        if state == "cancelled":
            cancel_shard(runtime, lease)
        if state in ("cancelled", "succeeded", "failed"):
            runtime.database.run(partial(beats.drop_lease, lease=lease, stale_seconds=quiet))


def cancel_shard(runtime: Runtime, lease: ShardRef) -> int:
    """Terminating a run in the UI is an operator's wish: what its shard has left undone is cancelled."""
    message = f"The run {lease.run_id} was terminated by an operator."

    def write(connection: Connection) -> int:
        if tasks.lock(connection, lease.task_id) != "processing":
            return 0
        ended = operations.end_open(
            connection, lease.task_id, status="cancelled", code="cancelled", message=message, shards=[lease.shard]
        )
        if ended:
            operations.mark_cancelled(connection, lease.task_id)
            events.add(connection, lease.task_id, "warning", "cancelled", f"{message} {ended} documents left undone.")
        return ended

    return runtime.database.run(write)
