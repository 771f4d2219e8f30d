"""Runs as Dagster would tell of them, told by the test."""

from collections.abc import Collection, Mapping, Sequence

from scatter_pipelines.model.result import ShardRef
from scatter_pipelines.work.runs import RunState, UnfinishedRun


class FakeRuns:
    """Implements `work.runs.Runs`. A run that was not named is unknown."""

    def __init__(self, states: Mapping[str, RunState] | None = None, unfinished: Sequence[UnfinishedRun] = ()) -> None:
        self.known = dict(states or {})
        self.open = list(unfinished)
        self.reported: list[str] = []
        self.called_off: dict[tuple[str, int, int], str] = {}

    def states(self, run_ids: Collection[str]) -> Mapping[str, RunState]:
        return {run_id: self.known.get(run_id, "unknown") for run_id in run_ids}

    def unfinished(self) -> Sequence[UnfinishedRun]:
        return self.open

    def cancelled_dispatch(self, shard: ShardRef) -> str | None:
        return self.called_off.get((shard.task_id, shard.shard, shard.round))

    def report_failed(self, run_id: str, message: str) -> None:
        assert message
        self.reported.append(run_id)
        self.known[run_id] = "failed"
