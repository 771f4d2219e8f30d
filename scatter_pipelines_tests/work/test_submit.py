"""Accepting tasks: once a key, all or nothing."""

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.store import tasks
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import counts_of, result_rows
from scatter_pipelines.work.submit import Submission, submit


def test_a_task_has_one_row_a_document(runtime: Runtime, texts: Callable[..., Path]) -> None:
    submitted = submit(runtime, Submission([str(texts(5))]))
    assert submitted.created
    assert submitted.task.expected_count == 5
    assert counts_of(runtime, submitted.task.id).pending == 5


def test_the_same_documents_join_the_same_task(runtime: Runtime, texts: Callable[..., Path]) -> None:
    folder = texts(3)
    first = submit(runtime, Submission([str(folder)]))
    second = submit(runtime, Submission([str(folder / "note-00002.txt"), str(folder)]))
    assert (second.created, second.task.id) == (False, first.task.id)


def test_a_derived_key_is_the_hash_of_documents_template_and_engine(
    runtime: Runtime, texts: Callable[..., Path]
) -> None:
    """The key of a task that is there must not change with the program."""
    task = submit(runtime, Submission([str(texts(3))])).task
    seen = sorted(json.dumps([row["uri"], row["sha256"], []]) for row in result_rows(runtime, task.id))
    whole = json.dumps([task.template_hash, sorted(task.engine.items()), seen])
    assert task.idempotency_key == f"derived:{hashlib.sha256(whole.encode()).hexdigest()}"


def test_two_submits_at_once_make_one_task(runtime: Runtime, texts: Callable[..., Path]) -> None:
    folder = str(texts(50))
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(submit(runtime, Submission([folder], key="one")))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(item.created for item in made) == [False, True]
    assert len({item.task.id for item in made}) == 1


def test_a_submit_that_fails_midway_leaves_nothing(runtime: Runtime, texts: Callable[..., Path]) -> None:
    def fail(_connection: object, _task_id: str) -> None:
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        submit(runtime, Submission([str(texts(3))]), also=fail)
    assert runtime.database.run(lambda c: tasks.recent(c, 10)) == []


def test_an_unknown_template_is_said_before_anything_is_written(runtime: Runtime, texts: Callable[..., Path]) -> None:
    with pytest.raises(UsageError) as caught:
        submit(runtime, Submission([str(texts(1))], template="nonsense"))
    assert caught.value.code == "template_unknown"
    assert runtime.database.run(lambda c: tasks.recent(c, 10)) == []


def test_manifest_columns_are_kept_and_a_missing_entry_is_a_row(runtime: Runtime, texts: Callable[..., Path]) -> None:
    folder = texts(2)
    manifest = folder / "list.csv"
    manifest.write_text("uri,study\nnote-00000.txt,A\nnot-there.txt,B\n")
    task = submit(runtime, Submission([str(manifest)])).task
    rows = list(result_rows(runtime, task.id))
    assert [(row["filename"], row["columns"]) for row in rows] == [
        ("note-00000.txt", {"study": "A"}),
        ("not-there.txt", {"study": "B"}),
    ]
