"""A step that takes its worker with it costs itself, and nobody else."""

import os
from pathlib import Path

import psutil
import pytest

from scatter_pipelines_tests.executor.place import wait_for
from scatter_pipelines_tests.executor.reference import Arena, Outcome
from scatter_pipelines_tests.executor.runner import is_alive

pytestmark = [pytest.mark.xdist_group("executor_faults"), pytest.mark.timeout(120)]

DEADLY = {
    "killed": ("kill", "SIGKILL"),
    "crashed": ("crash", "SIGSEGV"),
    "left": ("process_exit:0", "exit status 0"),
    "left_badly": ("process_exit:3", "exit status 3"),
    "left_a_child": ("fork_and_kill", "SIGKILL"),
    "shouted": ("shout_and_die", "SIGKILL"),
}
HARMLESS = {
    "python_left": ("python_exit:3", "SystemExit"),
    "interrupted": ("interrupt", "KeyboardInterrupt"),
    "locked": ("fail_unpicklable", "HasALock"),
    "unspeakable": ("fail_unspeakable", "Unspeakable"),
}
"""Failures that a worker survives."""
GOOD = [f"good_{number}" for number in range(8)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.fixture(scope="module")
def damaged(arena: Arena, folder: Path) -> Outcome:
    """A run in which everything goes wrong that can, among steps that do well."""
    bad = {key: action for key, (action, _) in (DEADLY | HARMLESS).items()}
    mixed = dict(sorted((bad | dict.fromkeys(GOOD, "ok")).items(), key=lambda item: item[0][::-1]))
    before = set(psutil.Process().children(recursive=True))
    run = arena.act("once", folder, mixed, max_concurrent=2)
    assert set(psutil.Process().children(recursive=True)) <= before
    return run


def pid_of(folder: Path, key: str) -> str:
    return (folder / f"pid-{key}-0").read_text()


def test_the_run_fails_and_every_other_step_does_well(damaged: Outcome) -> None:
    assert damaged.status == "FAILURE"
    for key in GOOD:
        assert damaged.kinds_of(f"do[{key}]") == damaged.kinds_of(f"after[{key}]") == ["STEP_START", "STEP_SUCCESS"]


@pytest.mark.parametrize("key", DEADLY)
def test_a_lost_worker_is_told_with_its_pid_its_step_and_its_end(damaged: Outcome, folder: Path, key: str) -> None:
    step = f"do[{key}]"
    assert damaged.kinds_of(step) == ["STEP_START", "STEP_FAILURE"]
    (message,) = [text for text in damaged.engine_messages(step) if "lost" in text]
    for word in (pid_of(folder, key), step, DEADLY[key][1]):
        assert word in message
    assert DEADLY[key][1] in damaged.error_of(step)


def test_a_step_that_closes_what_its_worker_needs_fails(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("once", tmp_path, {"closed": "close_everything", "good": "ok"}, max_concurrent=1)
    assert run.kinds_of("do[closed]") == ["STEP_START", "STEP_FAILURE"]
    assert [text for text in run.engine_messages("do[closed]") if "lost" in text and "exit status 1" in text]
    assert run.kinds_of("after[good]") == ["STEP_START", "STEP_SUCCESS"]


def test_a_worker_that_cannot_say_anything_any_more_is_replaced(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("again", tmp_path, {"deaf": ["close_line", "ok"], "good": "ok"}, max_concurrent=1)
    assert run.kinds_of("do_again[deaf]") == ["STEP_START", "STEP_UP_FOR_RETRY", "STEP_RESTARTED", "STEP_SUCCESS"]
    assert "closed its line" in run.error_of("do_again[deaf]")
    assert run.status == "SUCCESS"


def test_the_loss_is_told_before_the_failure(damaged: Outcome) -> None:
    kinds = [event.event_type_value for event in damaged.events_of("do[killed]")]
    assert kinds.index("ENGINE_EVENT") < kinds.index("STEP_FAILURE")


@pytest.mark.parametrize("key", HARMLESS)
def test_an_exception_fails_its_step_and_costs_no_worker(damaged: Outcome, folder: Path, key: str) -> None:
    step = f"do[{key}]"
    assert damaged.kinds_of(step) == ["STEP_START", "STEP_FAILURE"]
    assert HARMLESS[key][1] in damaged.error_of(step)
    assert not [text for text in damaged.engine_messages(step) if "lost" in text]


@pytest.mark.parametrize("key", [*DEADLY, *HARMLESS])
def test_what_hangs_on_a_lost_step_does_not_run(damaged: Outcome, key: str) -> None:
    assert damaged.kinds_of(f"after[{key}]") == []
    assert damaged.stats[f"do[{key}]"].status.value == "FAILURE"


def test_the_last_words_of_a_lost_worker_are_kept(damaged: Outcome) -> None:
    assert damaged.printed("do[shouted]") == ("last words of shouted\n", "")


def test_what_a_step_forked_ends_with_its_worker(damaged: Outcome, folder: Path) -> None:
    child = int((folder / "child-of-left_a_child").read_text())
    assert not psutil.pid_exists(child) or not is_alive(psutil.Process(child))


@pytest.mark.parametrize("fork", ["fork", "fork_away"])
def test_a_child_that_outlives_its_step_does_not_hold_up_the_run(arena: Arena, tmp_path: Path, fork: str) -> None:
    run = arena.act("once", tmp_path, {"parent": fork, "other": "ok"}, max_concurrent=1)
    assert run.status == "SUCCESS"
    child = run.seen("do[parent]")["child"]
    wait_for(lambda: not psutil.pid_exists(child) or not is_alive(psutil.Process(child)), "the child to be gone", 5)


def test_a_step_that_comes_back_twice_from_a_fork_ends_once(arena: Arena, tmp_path: Path) -> None:
    steps = {"twins": "fork_twin", **dict.fromkeys(GOOD, "ok")}
    run = arena.act("once", tmp_path, steps, max_concurrent=1)
    assert run.status == "SUCCESS"
    for key in steps:
        assert run.kinds_of(f"do[{key}]") == ["STEP_START", "STEP_SUCCESS"], key


def test_a_policy_tries_again_where_a_worker_was_lost(arena: Arena, tmp_path: Path) -> None:
    steps = {
        "twice": ["kill", "ok"], "thrice": ["crash", "process_exit:1", "ok"], "never": "kill",
        "mixed": ["fail", "kill", "ok"], "for_good": ["kill", "fail_for_good"],
    }  # fmt: skip
    run = arena.act("again", tmp_path, steps, max_concurrent=2)
    tried, again = ["STEP_START", "STEP_UP_FOR_RETRY"], "STEP_RESTARTED"
    assert {key: run.kinds_of(f"do_again[{key}]") for key in steps} == {
        "twice": [*tried, again, "STEP_SUCCESS"],
        "thrice": [*tried, again, "STEP_UP_FOR_RETRY", again, "STEP_SUCCESS"],
        "never": [*tried, again, "STEP_UP_FOR_RETRY", again, "STEP_FAILURE"],
        "mixed": [*tried, again, "STEP_UP_FOR_RETRY", again, "STEP_SUCCESS"],
        "for_good": [*tried, again, "STEP_FAILURE"],
    }
    assert {key: run.stats[f"do_again[{key}]"].attempts for key in steps} == {
        "twice": 2, "thrice": 3, "never": 3, "mixed": 3, "for_good": 2,
    }  # fmt: skip


def test_without_retries_a_lost_worker_fails_its_step(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("again", tmp_path, {"lost": ["kill", "ok"]}, max_concurrent=1, retries={"disabled": {}})
    assert run.kinds_of("do_again[lost]") == ["STEP_START", "STEP_FAILURE"]


def test_a_step_that_dies_leaves_the_events_that_it_leaves_in_a_process_of_dagster(arena: Arena) -> None:
    warm = arena.run("dying_warm", None, {"max_concurrent": 2})
    theirs = arena.run("dying_processes", None, {"max_concurrent": 2, "start_method": {"forkserver": {}}})
    assert warm.status == theirs.status == "FAILURE"
    keys = set(theirs.stored()) | set(warm.stored())
    assert {key: kinds(warm, key) for key in keys} == {key: kinds(theirs, key) for key in keys}


def kinds(run: Outcome, key: str) -> list[str]:
    return [words[0] for words in run.stored().get(key, [])]


def test_a_step_whose_hook_takes_the_worker_along_has_succeeded_all_the_same(arena: Arena) -> None:
    run = arena.run("with_a_deadly_hook_warm", None, {"max_concurrent": 1})
    assert run.status == "SUCCESS"
    assert run.kinds_of("seven") == run.kinds_of("double") == ["STEP_START", "STEP_SUCCESS"]
    assert [text for text in run.engine_messages("seven") if "lost" in text and "SIGKILL" in text]


def test_a_worker_that_was_lost_is_replaced(damaged: Outcome, folder: Path) -> None:
    pids = {path.read_text() for path in folder.glob("pid-*")}
    assert len(pids) >= len(DEADLY) > 2
    assert str(os.getpid()) not in pids
