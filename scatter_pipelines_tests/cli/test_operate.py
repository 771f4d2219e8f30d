"""An operator's day: hold, resume, cancel, retry, force-finalize, and the ticks by hand."""

from collections.abc import Callable
from pathlib import Path

from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.submit import Submission, submit
from scatter_pipelines_tests.cli.shell import Shell


def test_a_held_task_does_not_run_until_it_is_resumed(
    shell: Shell, runtime: Runtime, texts: Callable[..., Path]
) -> None:
    task_id = submit(runtime, Submission([str(texts(2))], shard_size=1)).task.id
    assert shell.json("hold", task_id, "--reason", "wait") == {"task_id": task_id, "placed": True}
    assert "ON HOLD: wait" in shell.good("status", task_id)
    assert "on hold: wait" in shell("doctor").stdout
    error = shell.refused("run", "--task", task_id)
    assert error["code"] == "task_state"
    assert "on hold: wait" in error["message"]
    assert shell.json("resume", task_id) == {"task_id": task_id, "released": 1}
    assert shell.refused("resume", task_id)["code"] == "task_state"
    assert shell.json("run", "--task", task_id)["status"] == "completed"


def test_what_was_cancelled_can_be_retried(shell: Shell, runtime: Runtime, texts: Callable[..., Path]) -> None:
    task_id = submit(runtime, Submission([str(texts(2))])).task.id
    assert shell.json("cancel", task_id) == {"task_id": task_id, "documents": 2}
    error = shell.refused("hold", task_id)
    assert error["code"] == "task_state"
    assert f"Task {task_id} is cancelled" in error["message"]
    assert shell.refused("retry", task_id, "--code", "encrypted")["code"] == "task_state"
    said = shell.good("retry", task_id)
    assert f"2 documents to be tried again by the dispatch sensor, or by `scatter run --task {task_id}`." in said
    assert shell.json("run", "--task", task_id)["counts"]["completed"] == 2
    assert "info: Closed as completed (closing 2)." in shell.good("status", task_id)


def test_only_documents_with_the_code_named_are_retried(
    shell: Shell, texts: Callable[..., Path], odd: Callable[..., Path]
) -> None:
    folder = odd("encrypted", "empty", folder=texts(1))
    task_id = shell.json("run", str(folder), status=3)["task_id"]
    (folder / "empty.pdf").unlink()
    assert shell.json("retry", task_id, "--code", "empty") == {"task_id": task_id, "documents": 1}
    found = shell.json("run", "--task", task_id, status=3)
    assert sorted(error["code"] for error in found["errors"]) == ["encrypted", "source_missing"]
    attempts = [attempt["filename"] for attempt in shell.lines("results", task_id, "--attempts")]
    assert sorted(attempts) == ["confidential-draft.pdf", "empty.pdf", "empty.pdf", "note-00000.txt"]


def test_a_task_forced_to_its_end_says_why_and_the_ticks_find_nothing_left(
    shell: Shell, runtime: Runtime, texts: Callable[..., Path]
) -> None:
    task_id = submit(runtime, Submission([str(texts(2))])).task.id
    assert shell.refused("force-finalize", task_id)["message"] == "Missing option '--reason'."
    assert shell.refused("force-finalize", task_id, "--reason", " ")["code"] == "config_invalid"
    ended = shell.json("force-finalize", task_id, "--reason", "the project ended")
    assert ended == {"task_id": task_id, "status": "failed", "documents": 2}
    rows = shell.lines("results", task_id)
    assert {row["error"]["message"] for row in rows} == {"Forced to its end by an operator: the project ended"}
    assert shell.json("sweep") == {"claims": [], "leases": 0, "failed_runs": [], "stalled": []}
    assert shell.good("aggregate") == "0 claims swept, 0 tasks closed, 0 closings announced.\n"


def test_names_of_tasks_that_are_none_are_refused(shell: Shell, runtime: Runtime, texts: Callable[..., Path]) -> None:
    assert shell.good("tasks") == "There are no tasks yet: `scatter run SOURCE` makes one.\n"
    assert shell.json("tasks") == {"tasks": []}
    assert shell.refused("status", "last")["code"] == "task_unknown"
    ids: set[str] = set()
    folder = str(texts(1))
    while len({task_id[0] for task_id in ids}) == len(ids):
        ids.add(submit(runtime, Submission([folder], key=f"key {len(ids)}")).task.id)
    twins = next(one for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    error = shell.refused("status", twins[0])
    assert error["message"].startswith(f"Several tasks start with {twins[0]!r}: ")
    for command, name in (("status", "%"), ("cancel", ""), ("export", "試")):
        error = shell.refused(command, name)
        assert (error["code"], repr(name) in error["message"]) == ("task_unknown", True)
        assert "scatter tasks" in error["advice"]
