"""Accepting a task: list the sources, freeze what is known of them, write task, rows and shards at once."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.model.result import SourceDocument, Task
from scatter_pipelines.model.template import Template
from scatter_pipelines.sources.listing import list_documents
from scatter_pipelines.store import beats, budgets, tasks
from scatter_pipelines.store.tasks import NewTask
from scatter_pipelines.work.engine import Asking, Limits, engine_of
from scatter_pipelines.work.runtime import Runtime

FIRST_SHARD = 0


@dataclass(frozen=True, slots=True)
class Submission:
    """What is asked for. `key` is the caller's own idempotency key; without one it is derived from the content.

    `key_origin` says where a given key comes from: `given`, `run` or `inbox`. `again` makes a new task of
    documents that a closed one has done already. `run_id` takes the first shard's lease with the submit.
    `as_files` takes every source as a document, also what looks like a manifest. With an engine that asks an LLM:
    `estimate` finds out what asking would cost and asks nothing; without `cache` answers to other tasks are not used;
    `task_usd` and `document_usd` are limits of what calls may cost.
    """

    sources: Sequence[str]
    template: str = "paper"
    engine: str = "rules"
    shard_size: int | None = None
    key: str | None = None
    key_origin: str = "given"
    again: bool = False
    run_id: str | None = None
    as_files: bool = False
    estimate: bool = False
    cache: bool = True
    task_usd: float | None = None
    document_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Submitted:
    """The task, and whether this call made it. A task found may be closed already."""

    task: Task
    created: bool


Extra = Callable[[Connection, str], None]


def submit(
    runtime: Runtime,
    submission: Submission,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
    also: Extra = lambda connection, task_id: None,
) -> Submitted:
    """Writes the task once per key; the same key gives the same task, whoever comes first.

    `progress` counts documents looked at; `also` runs in the transaction that makes the task. Raises
    UsageError and writes nothing where sources or template cannot be used.
    """
    if submission.key is not None and (found := _find(runtime, _given_key(submission))):
        return Submitted(found, created=False)
    template = load_template(submission.template)
    asking = Asking(submission.estimate, submission.cache, submission.task_usd, submission.document_usd)
    engine, budget = engine_of(runtime.settings, submission.engine, template, asking)
    documents = list_documents(submission.sources, as_files=submission.as_files, progress=progress)
    key = _given_key(submission) if submission.key is not None else _derived_key(documents, template, engine)
    new = NewTask(
        idempotency_key=key,
        key_origin=submission.key_origin if submission.key is not None else "derived",
        sources=submission.sources,
        template_name=template.name,
        template=template.model_dump(mode="json"),
        template_hash=template.hash,
        engine=engine,
        documents=documents,
        shard_size=submission.shard_size or runtime.settings.shard_size,
    )
    return _write(runtime, new, submission, budget, also)


def _given_key(submission: Submission) -> str:
    key = (submission.key or "").strip()
    if not key or len(key) > 500:
        raise UsageError("config_invalid", "An idempotency key has 1 to 500 characters.")
    return f"{submission.key_origin}:{key}"


def _find(runtime: Runtime, key: str) -> Task | None:
    return runtime.database.run(lambda connection: tasks.by_key(connection, key))


def _derived_key(documents: Sequence[SourceDocument], template: Template, engine: Mapping[str, Any]) -> str:
    """The same documents, template and engine have the same key, in whatever order they were named.

    Of the JSON of all three, which is never made as a whole.
    """
    seen = sorted(
        json.dumps([item.uri, item.sha256, sorted(item.columns.items())], ensure_ascii=True) for item in documents
    )
    head = json.dumps([template.hash, sorted(engine.items())])
    digest = hashlib.sha256(f"{head[:-1]}, [".encode())
    for number, item in enumerate(seen):
        digest.update(f"{', ' if number else ''}{json.dumps(item)}".encode())
    digest.update(b"]]")
    return f"derived:{digest.hexdigest()}"


@dataclass
class _Again:
    """Numbers the tasks made with `again` of the same documents."""

    key: str
    number: int = field(default=1)

    def next(self) -> str:
        self.number += 1
        return f"{self.key}:{self.number}"


def _write(runtime: Runtime, new: NewTask, submission: Submission, budget: Limits | None, also: Extra) -> Submitted:
    again = _Again(new.idempotency_key)

    def once(connection: Connection) -> Submitted:
        task_id = tasks.insert(connection, new)
        if task_id is not None:
            if budget is not None:
                budgets.open_budget(connection, task_id, budget.task_usd, budget.document_usd)
            if submission.run_id is not None:
                beats.take_lease(connection, task_id, FIRST_SHARD, submission.run_id, runtime.settings.stale_seconds)
            also(connection, task_id)
            return Submitted(tasks.require(connection, task_id), created=True)
        found = tasks.by_key(connection, new.idempotency_key)
        if found is None:
            raise UsageError("task_unknown", "The task was deleted while it was submitted; submit it again.")
        return Submitted(found, created=False)

    while True:
        submitted = runtime.database.run(once)
        if submitted.created or not submission.again or submitted.task.status == "processing":
            return submitted
        new = _with_key(new, again.next())


def _with_key(new: NewTask, key: str) -> NewTask:
    return NewTask(**{name: getattr(new, name) for name in NewTask.__slots__} | {"idempotency_key": key})
