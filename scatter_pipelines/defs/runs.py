"""Answers what the use cases ask of Dagster (`work/runs.py`) from an instance."""

import time
from collections.abc import Collection, Mapping, Sequence

import dagster as dg
from dagster import DagsterInstance, DagsterRunStatus, RunRecord, RunsFilter

from scatter_pipelines.model.result import ShardRef
from scatter_pipelines.work.runs import RunState, UnfinishedRun

KIND_TAG, TASK_TAG, SHARD_TAG, ROUND_TAG = "scatter/kind", "scatter/task_id", "scatter/shard", "scatter/round"
FAILED_TAG = "scatter/failed_documents"
EXTRACT_KIND = "extract"

STATES: Mapping[DagsterRunStatus, RunState] = {
    DagsterRunStatus.QUEUED: "queued",
    DagsterRunStatus.NOT_STARTED: "queued",
    DagsterRunStatus.MANAGED: "queued",
    DagsterRunStatus.STARTING: "active",
    DagsterRunStatus.STARTED: "active",
    DagsterRunStatus.CANCELING: "active",
    DagsterRunStatus.SUCCESS: "succeeded",
    DagsterRunStatus.FAILURE: "failed",
    DagsterRunStatus.CANCELED: "cancelled",
}
UNFINISHED = [status for status, state in STATES.items() if state in ("queued", "active")]
PAGE = 500


class DagsterRuns:
    """The runs of `extract_documents` in one instance."""

    def __init__(self, instance: DagsterInstance) -> None:
        self._instance = instance

    def states(self, run_ids: Collection[str]) -> Mapping[str, RunState]:
        if not run_ids:
            return {}
        runs = self._instance.get_runs(filters=RunsFilter(run_ids=list(run_ids)))
        return {run.run_id: STATES[run.status] for run in runs}

    def unfinished(self) -> Sequence[UnfinishedRun]:
        wanted = RunsFilter(statuses=UNFINISHED, tags={KIND_TAG: EXTRACT_KIND})
        return [_unfinished(record) for record in self._instance.get_run_records(filters=wanted, limit=PAGE)]

    def cancelled_dispatch(self, shard: ShardRef) -> str | None:
        made = RunsFilter(statuses=[DagsterRunStatus.CANCELED], tags=tags_of(shard.task_id, shard.shard, shard.round))
        return next((run.run_id for run in self._instance.get_runs(filters=made, limit=1)), None)

    def report_failed(self, run_id: str, message: str) -> None:
        run = self._instance.get_run_by_id(run_id)
        if run is not None and not run.is_finished:
            self._instance.report_run_failed(run, message)


def _unfinished(record: RunRecord) -> UnfinishedRun:
    run, shard = record.dagster_run, record.dagster_run.tags.get(SHARD_TAG)
    seconds = time.time() - record.start_time if record.start_time else 0.0
    return UnfinishedRun(
        run.run_id, STATES[run.status], run.tags.get(TASK_TAG), int(shard) if shard else None, max(0.0, seconds)
    )


def tags_of(task_id: str, shard: int, number: int) -> dict[str, str]:
    """The tags of a dispatched run."""
    return {TASK_TAG: task_id, SHARD_TAG: str(shard), ROUND_TAG: str(number)}


def run_key(task_id: str, shard: int, number: int) -> str:
    return f"{task_id}:{shard}:{number}"


def dispatch_request(task_id: str, shard: int, number: int) -> dg.RunRequest:
    """One run for one shard in one round."""
    return dg.RunRequest(
        run_key=run_key(task_id, shard, number),
        run_config={"task_id": task_id, "shard": shard},
        tags=tags_of(task_id, shard, number),
    )
