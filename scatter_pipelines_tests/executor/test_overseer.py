"""What reaches the overseer that a config names, and what it can do."""

from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines_tests.executor.overseers import FOLDER
from scatter_pipelines_tests.executor.reference import Arena, Outcome, acting

pytestmark = [pytest.mark.xdist_group("executor_limits"), pytest.mark.timeout(90)]


def oversee(arena: Arena, overseer: str, graph: str, folder: Path, steps: dict[str, Any], **executor: Any) -> Outcome:
    hooks = f"scatter_pipelines_tests.executor.overseers:{overseer}"
    config = {"max_concurrent": 1, "hooks": hooks, **executor}
    return arena.run(f"{graph}_warm", acting(folder, steps), config, **{FOLDER: str(folder)})


def written(folder: Path) -> list[str]:
    return (folder / "overseen").read_text().splitlines()


def test_an_overseer_is_there_for_the_whole_run(arena: Arena, tmp_path: Path) -> None:
    run = oversee(arena, "Recorder", "once", tmp_path, {"a": "ok"}, max_concurrent=3)
    assert run.status == "SUCCESS"
    assert written(tmp_path) == [f"enter {run.run_id} 3", "exit"]


def test_a_step_is_briefed_and_its_notes_and_its_board_are_read(arena: Arena, tmp_path: Path) -> None:
    run = oversee(arena, "Recorder", "once", tmp_path, {"a": "be_briefed"})
    assert run.seen("do[a]")["briefing"] == "briefing of do[a]"
    assert written(tmp_path)[1:-1] == ["do[a] at 0: note of a, 'board'"]


def test_an_overseer_may_end_a_step(arena: Arena, tmp_path: Path) -> None:
    run = oversee(arena, "Stopper", "once", tmp_path, {"a": "note_and_hang", "b": "ok"})
    assert run.kinds_of("do[a]") == ["STEP_START", "STEP_FAILURE"]
    assert run.kinds_of("after[b]") == ["STEP_START", "STEP_SUCCESS"]
    assert "enough" in run.error_of("do[a]")
    pid = (tmp_path / "pid-a-0").read_text()
    assert f"do[a] lost: told {pid} enough enough" in written(tmp_path)


@pytest.mark.parametrize(
    ("action", "limits", "loss"),
    [
        ("kill", {}, "died {} signal SIGKILL None"),
        ("process_exit:4", {}, "died {} exit status 4 None"),
        ("hang_with_gil", {"step_seconds": 0.3}, "step_timeout {} it took longer than 0.3 s None"),
    ],
)
def test_a_loss_is_told_to_the_overseer(
    arena: Arena, tmp_path: Path, action: str, limits: dict[str, Any], loss: str
) -> None:
    run = oversee(arena, "Recorder", "once", tmp_path, {"a": action}, **limits)
    assert run.kinds_of("do[a]") == ["STEP_START", "STEP_FAILURE"]
    pid = (tmp_path / "pid-a-0").read_text()
    assert f"do[a] lost: {loss.format(pid)}" in written(tmp_path)


def test_an_overseer_may_have_a_lost_step_run_again_without_a_policy(arena: Arena, tmp_path: Path) -> None:
    run = oversee(arena, "Forgiver", "once", tmp_path, {"a": ["kill", "kill", "ok"]})
    again = ["STEP_UP_FOR_RETRY", "STEP_RESTARTED"]
    assert run.kinds_of("do[a]") == ["STEP_START", *again, *again, "STEP_SUCCESS"]
    assert run.status == "SUCCESS"


def test_an_exception_is_no_loss(arena: Arena, tmp_path: Path) -> None:
    run = oversee(arena, "Forgiver", "once", tmp_path, {"a": "fail"})
    assert run.kinds_of("do[a]") == ["STEP_START", "STEP_FAILURE"]
    assert written(tmp_path) == [f"enter {run.run_id} 1", "exit"]
