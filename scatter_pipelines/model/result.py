"""What travels between the store and the use cases: sources to submit, claims, outcomes, counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from scatter_pipelines.model.states import ResultStatus, TaskStatus


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document as it was seen at submit. `size` and `sha256` are None where nobody could look."""

    uri: str
    filename: str
    size: int | None = None
    sha256: str | None = None
    media_type: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """Who does the work: a Dagster run and step on a host."""

    run_id: str
    step_key: str
    host: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A result taken by one worker. `(result_id, attempt)` is the fencing token of every later write."""

    result_id: int
    task_id: str
    shard: int
    attempt: int
    token: UUID
    uri: str
    filename: str
    size: int | None
    sha256: str | None


@dataclass(frozen=True, slots=True)
class ResultState:
    """What a worker must know of a row before it claims it, and of one that it could not claim.

    `due_in` is in seconds, 0 when due; `run_id` and `step_key` name who claimed it last.
    """

    result_id: int
    task_id: str
    shard: int
    filename: str
    status: ResultStatus
    attempt: int
    claim_token: UUID | None
    error_code: str | None
    error_message: str | None
    losses: int
    run_id: str | None
    step_key: str | None
    pages: int | None
    due_in: float
    held: bool


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one document came to; `fields` has the shape of an exported line, times are in milliseconds.

    `note` is kept with the attempt: what read the document, where a parsing service was to help.
    """

    fields: Mapping[str, Any]
    missing: tuple[str, ...]
    usage: Mapping[str, float | None]
    timings: Mapping[str, int]
    pages: int
    media_type: str
    note: str = ""


OutcomeKind = Literal["completed", "error", "retry", "skipped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one step. `retry_in` is in seconds and set for `retry` alone.

    `exhausted` says that an upstream, not the document, was at fault until the tries ran out.
    """

    kind: OutcomeKind
    filename: str
    message: str
    code: str | None = None
    retry_in: float | None = None
    exhausted: bool = False
    attempt: int | None = None
    timings: Mapping[str, int] = field(default_factory=dict)
    pages: int | None = None
    found: int | None = None
    usage: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Beat:
    """One proof of life: where the work on a claim stands. `waited_ms` does not count against the document's limit."""

    result_id: int
    attempt: int
    stage: int
    done: int
    total: int
    waited_ms: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows of a task by status."""

    pending: int = 0
    extracting: int = 0
    completed: int = 0
    error: int = 0
    cancelled: int = 0

    @property
    def total(self) -> int:
        return self.pending + self.extracting + self.completed + self.error + self.cancelled

    @property
    def open(self) -> int:
        return self.pending + self.extracting

    def as_dict(self) -> dict[str, int]:
        return {
            "pending": self.pending,
            "extracting": self.extracting,
            "completed": self.completed,
            "error": self.error,
            "cancelled": self.cancelled,
        }


@dataclass(frozen=True, slots=True)
class Task:
    """One task row. `closing` is the number of the closing to come, or of the last one when closed."""

    id: str
    idempotency_key: str
    key_origin: str
    sources: tuple[str, ...]
    template_name: str
    template: Mapping[str, Any]
    template_hash: str
    engine: Mapping[str, Any]
    expected_count: int
    status: TaskStatus
    closing: int
    submitted_at: datetime
    started_at: datetime
    closed_at: datetime | None
    announced_closing: int
    elapsed_seconds: float


@dataclass(frozen=True, slots=True)
class SweptClaim:
    """A claim that was taken from a silent or stuck worker."""

    result_id: int
    task_id: str
    filename: str
    attempt: int
    status: ResultStatus
    host: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ShardRef:
    """One shard of a task, in the round it is to be or was dispatched in."""

    task_id: str
    shard: int
    round: int
    run_id: str | None = None
