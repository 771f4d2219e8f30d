"""An operator's day: hold, resume, cancel, retry, force-finalize, and the ticks by hand."""

from collections.abc import Callable
from pathlib import Path

from scatter_pipelines_tests.cli.shell import Shell


def test_a_held_task_does_not_run_until_it_is_resumed(shell: Shell, texts: Callable[..., Path]) -> None:
    task_id = shell.json("submit", str(texts(2)), "--shard-size", "1")["task_id"]
    assert shell.json("hold", task_id, "--reason", "wait") == {"task_id": task_id, "placed": True}
    assert shell.json("hold", task_id, "--reason", "wait") == {"task_id": task_id, "placed": False}
    assert shell.json("status", task_id)["holds"] == ["wait"]
    assert "ON HOLD: wait" in shell.good("status", task_id)
    assert "on hold: wait" in shell("doctor").stdout
    error = shell.refused("run", "--task", task_id)
    assert error["code"] == "task_state"
    assert "on hold: wait" in error["message"]
    assert shell.json("resume", task_id) == {"task_id": task_id, "released": 1}
    assert shell.refused("resume", task_id)["code"] == "task_state"
    assert shell.json("run", "--task", task_id)["status"] == "completed"


def test_what_was_cancelled_can_be_retried(shell: Shell, texts: Callable[..., Path]) -> None:
    task_id = shell.json("submit", str(texts(2)))["task_id"]
    assert shell.json("cancel", task_id) == {"task_id": task_id, "documents": 2}
    assert shell.json("watch", task_id, status=3)["status"] == "cancelled"
    for command in ("cancel", "hold"):
        error = shell.refused(command, task_id)
        assert error["code"] == "task_state"
        assert task_id in error["message"]
    assert shell.refused("retry", task_id, "--code", "encrypted")["code"] == "task_state"
    said = shell.good("retry", task_id)
    assert f"2 documents to be tried again by the dispatch sensor, or by `scatter run --task {task_id}`." in said
    assert shell.json("run", "--task", task_id)["counts"]["completed"] == 2
    assert shell.json("status", task_id)["closing"] == 2


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
    shell: Shell, texts: Callable[..., Path]
) -> None:
    task_id = shell.json("submit", str(texts(2)))["task_id"]
    assert shell.refused("force-finalize", task_id)["message"] == "Missing option '--reason'."
    assert shell.refused("force-finalize", task_id, "--reason", " ")["code"] == "config_invalid"
    ended = shell.json("force-finalize", task_id, "--reason", "the project ended")
    assert ended == {"task_id": task_id, "status": "failed", "documents": 2}
    rows = shell.lines("results", task_id)
    assert {row["error"]["message"] for row in rows} == {"Forced to its end by an operator: the project ended"}
    assert shell.json("aggregate") == {"swept": 0, "closed": [], "announced": 0}
    assert shell.json("sweep") == {"claims": [], "leases": 0, "failed_runs": [], "stalled": []}
    assert shell.good("aggregate") == "0 claims swept, 0 tasks closed, 0 closings announced.\n"
    assert "0 leases, 0 runs repaired" in shell.good("sweep")


def test_names_of_tasks_that_are_none_are_refused(shell: Shell, texts: Callable[..., Path]) -> None:
    assert shell.good("tasks") == "There are no tasks yet: `scatter run SOURCE` makes one.\n"
    assert shell.json("tasks") == {"tasks": []}
    assert shell.refused("status", "last")["code"] == "task_unknown"
    ids: set[str] = set()
    folder = str(texts(1))
    while len({task_id[0] for task_id in ids}) == len(ids) and len(ids) < 40:
        ids.add(shell.json("submit", folder, "--key", f"key {len(ids)}")["task_id"])
    twins = next(one for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    error = shell.refused("status", twins[0])
    assert error["message"].startswith(f"Several tasks start with {twins[0]!r}: ")
    for name in ("nonesuch", "%", "", "試"):
        error = shell.refused("status", name)
        assert (error["code"], repr(name) in error["message"]) == ("task_unknown", True)
        assert "scatter tasks" in error["advice"]
    for command in ("watch", "results", "export", "retry", "cancel", "hold", "resume"):
        assert shell("" or command, "nonesuch").returncode == 2
