"""What the use cases ask of Dagster, in words of their own. `defs/` answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from scatter_pipelines.model.result import ShardRef

RunState = Literal["queued", "active", "succeeded", "failed", "cancelled", "unknown"]
"""`queued`: accepted but nothing started. `unknown`: Dagster has no such run (any more)."""


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run of `extract_documents` that is queued or active, and what it was dispatched for, if it was.

    `seconds` is how long ago it began its work; 0 where it has not.
    """

    run_id: str
    state: RunState
    task_id: str | None = None
    shard: int | None = None
    seconds: float = 0.0


class Runs(Protocol):
    """The runs of `extract_documents`. Their status is a hint for people, never the truth about documents."""

    def states(self, run_ids: Collection[str]) -> Mapping[str, RunState]: ...

    def unfinished(self) -> Sequence[UnfinishedRun]: ...

    def cancelled_dispatch(self, shard: ShardRef) -> str | None:
        """The run made for this shard in this round, if an operator terminated it."""
        ...

    def report_failed(self, run_id: str, message: str) -> None: ...
