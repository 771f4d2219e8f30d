"""What the use cases ask of Dagster, in words of their own. `defs/` answers."""

from collections.abc import Collection, Mapping
from typing import Literal, Protocol

RunState = Literal["queued", "active", "succeeded", "failed", "cancelled", "unknown"]
"""`queued`: accepted but nothing started. `unknown`: Dagster has no such run (any more)."""


class Runs(Protocol):
    """The runs of `extract_documents`. Their status is a hint for people, never the truth about documents."""

    def states(self, run_ids: Collection[str]) -> Mapping[str, RunState]: ...

    def unfinished(self) -> Mapping[str, tuple[str, int] | None]:
        """Runs queued or active, with the (task, shard) each was dispatched for, if it was dispatched."""
        ...

    def report_failed(self, run_id: str, message: str) -> None: ...
