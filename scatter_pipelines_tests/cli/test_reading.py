"""The commands that only read: tasks, status, watch, results, export; for people, programs, pipes and terminals."""

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scatter_pipelines_tests.cli.shell import Shell, on_a_terminal
from scatter_pipelines_tests.export.rows import KEYS

COLOUR = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def task_id(shell: Shell, papers: Callable[..., Path], odd: Callable[..., Path]) -> str:
    """A closed task of two papers, one with an endless name, and two odd documents."""
    folder = odd("old_word", "encrypted", folder=papers(1))
    long = "a very long name of a study that goes on and on 试验 " * 3 + ".txt"
    (folder / long).write_text("Effects of \x1b[31mred\x07 light\n\nWe enrolled 12 patients.\n", encoding="utf-8")
    task_id: str = shell.json("run", str(folder), status=3)["task_id"]
    return task_id


def test_what_is_known_of_a_task_is_told_in_every_form(shell: Shell, task_id: str, tmp_path: Path) -> None:
    _tasks_and_status(shell, task_id)
    _results(shell, task_id)
    _exports(shell, task_id, tmp_path)
    _narrow_and_wide(shell, task_id)
    _into_a_pipe_that_closes(shell, task_id)


def _tasks_and_status(shell: Shell, task_id: str) -> None:
    (listed,) = shell.json("tasks", "--most", "5")["tasks"]
    assert (listed["task_id"], listed["status"], listed["expected"]) == (task_id, "completed_with_errors", 4)
    known = shell.json("status", task_id[:6])
    assert known["error_codes"] == {"encrypted": 1, "unsupported_type": 1}
    assert known["holds"] == known["working"] == []
    said = shell.good("status", "last")
    assert task_id in said
    assert "1 x encrypted: The document needs a password." in said
    assert shell.json("watch", task_id, status=3)["counts"]["completed"] == 2


def _results(shell: Shell, task_id: str) -> None:
    rows = shell.lines("results", task_id)
    assert [tuple(row) for row in rows] == [KEYS] * 4
    failed = [row for row in rows if row["status"] == "error"]
    assert [row["error"]["code"] for row in failed] == ["encrypted", "unsupported_type"]
    assert all(set(row["error"]) == {"code", "stage", "message", "advice"} for row in failed)
    assert shell.lines("results", task_id, "--status", "error") == failed
    assert shell.lines("results", task_id, "--status", "pending") == []
    said = shell.good("results", task_id, "--evidence")
    assert re.search(r"title: .+ \[page 1, verified: “", said)
    assert "\x1b" not in said
    attempts = shell.lines("results", task_id, "--attempts")
    assert sorted(attempt["outcome"] for attempt in attempts) == ["completed", "completed", "error", "error"]
    assert "unsupported_type" in shell.good("results", task_id, "--attempts")
    assert shell.refused("results", task_id, "--status", "gone")["code"] == "config_invalid"


def _exports(shell: Shell, task_id: str, folder: Path) -> None:
    rows = shell.lines("results", task_id)
    path = folder / "new folder" / "out.jsonl"
    assert shell.good("export", task_id, "-o", str(path)) == f"4 results written to {path}.\n"
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == rows
    assert [json.loads(line) for line in shell.good("export", task_id, "-o", "-").splitlines()] == rows
    assert shell.good("export", task_id, "-o", "-", "-f", "csv").startswith("filename,uri,sha256,status,")
    assert shell.refused("export", task_id, "-o", "-")["code"] == "config_invalid"
    error = shell.refused("export", task_id, "-o", "/proc/nowhere/out.csv", status=1)
    assert error["code"] == "export_failed"
    assert "/proc/nowhere/out.csv" in error["message"]


def _narrow_and_wide(shell: Shell, task_id: str) -> None:
    for columns, command, rows in ((80, ("results", task_id), 4), (120, ("results", task_id), 4), (80, ("tasks",), 1)):
        shown = on_a_terminal(shell, columns, *command)
        lines = COLOUR.sub("", shown).splitlines()
        assert len(lines) == 2 + rows, shown
        assert max(map(len, lines)) <= columns
        assert COLOUR.search(shown)
        assert "error unsupported_type" in shown or task_id in shown
    wide = shell.good("results", task_id).splitlines()
    assert max(map(len, wide)) > 120
    assert {"title", "journal", "year"} <= set(wide[0].split())


def _into_a_pipe_that_closes(shell: Shell, task_id: str) -> None:
    for arguments in (("results", task_id, "--json"), ("results", task_id)):
        process = shell.start(*arguments)
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
        process.stderr.close()
        assert (process.wait(60), said) == (141, ""), arguments


def test_a_watched_task_tells_of_its_hold_and_that_nobody_works(shell: Shell, texts: Callable[..., Path]) -> None:
    task_id = shell.json("submit", str(texts(1)))["task_id"]
    shell.good("hold", task_id, "--reason", "budget is spent")
    watching = shell.start("watch", task_id, "--json")
    time.sleep(4)
    watching.send_signal(signal.SIGINT)
    printed, said = watching.communicate(timeout=30)
    assert watching.returncode == 1
    assert printed == ""
    assert f"On hold: budget is spent. `scatter resume {task_id}` releases it." in said
    assert said.count("On hold") == 1
    assert "goes on without being watched" in said
