"""Limits of a step: past them its worker is killed and replaced, whatever it is doing."""

from pathlib import Path

import psutil
import pytest

from scatter_pipelines_tests.executor.reference import Arena, Outcome

pytestmark = [pytest.mark.xdist_group("executor_limits"), pytest.mark.timeout(90)]

HANGS = ["hang_in_regex", "hang_with_gil", "hang_without_gil", "stop"]


def megabytes() -> int:
    """What a worker has when it is born: as much as the process it is forked from."""
    return psutil.Process().memory_info().rss >> 20


def lost(run: Outcome, step: str) -> list[str]:
    return [text for text in run.engine_messages(step) if "lost" in text]


@pytest.fixture(scope="module")
def hung(arena: Arena, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    steps = {**{hang: hang for hang in HANGS}, "good": "ok"}
    return arena.act("once", tmp_path_factory.mktemp("hung"), steps, max_concurrent=5, step_seconds=1)


@pytest.mark.parametrize("hang", HANGS)
def test_a_step_that_hangs_ends_at_its_limit(hung: Outcome, hang: str) -> None:
    step = f"do[{hang}]"
    assert hung.kinds_of(step) == ["STEP_START", "STEP_FAILURE"]
    assert "step_timeout" in hung.error_of(step) and "1 s" in hung.error_of(step).replace("<time>", "1 s")
    assert "step_timeout" in lost(hung, step)[0]


def test_a_step_beside_hung_ones_does_well(hung: Outcome) -> None:
    assert hung.kinds_of("after[good]") == ["STEP_START", "STEP_SUCCESS"]


def test_a_step_that_hung_is_tried_again_by_its_policy(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("again", tmp_path, {"slow": ["hang_with_gil", "ok"]}, max_concurrent=1, step_seconds=0.5)
    assert run.kinds_of("do_again[slow]") == ["STEP_START", "STEP_UP_FOR_RETRY", "STEP_RESTARTED", "STEP_SUCCESS"]
    assert "step_timeout" in run.error_of("do_again[slow]")


def test_a_step_may_take_all_memory_up_to_its_limit(arena: Arena, tmp_path: Path) -> None:
    steps = {"greedy": "grow:300", "modest": "keep:50"}
    run = arena.act("once", tmp_path, steps, max_concurrent=2, memory_mb=megabytes() + 200)
    assert run.kinds_of("do[greedy]") == ["STEP_START", "STEP_FAILURE"]
    assert "memory_limit" in run.error_of("do[greedy]")
    assert "memory_limit" in lost(run, "do[greedy]")[0]
    assert run.kinds_of("after[modest]") == ["STEP_START", "STEP_SUCCESS"]


def test_a_step_that_grew_is_tried_again_by_its_policy(arena: Arena, tmp_path: Path) -> None:
    steps = {"greedy": ["grow:300", "ok"]}
    run = arena.act("again", tmp_path, steps, max_concurrent=1, memory_mb=megabytes() + 200)
    assert run.kinds_of("do_again[greedy]") == ["STEP_START", "STEP_UP_FOR_RETRY", "STEP_RESTARTED", "STEP_SUCCESS"]
    assert "memory_limit" in run.error_of("do_again[greedy]")


def test_a_step_that_moved_to_another_process_group_ends_at_its_limit_too(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("once", tmp_path, {"moved": "move_and_hang", "good": "ok"}, max_concurrent=1, step_seconds=1.0)
    assert "step_timeout" in run.error_of("do[moved]")
    assert run.kinds_of("after[good]") == ["STEP_START", "STEP_SUCCESS"]


def test_a_child_in_a_session_of_its_own_ends_with_a_worker_that_is_killed(arena: Arena, tmp_path: Path) -> None:
    steps = {"away": "fork_away_and_hang", "later": "see_gone:child-of-away"}
    run = arena.act("once", tmp_path, steps, max_concurrent=1, step_seconds=1.0)
    assert "step_timeout" in run.error_of("do[away]")
    assert run.kinds_of("do[later]") == ["STEP_START", "STEP_SUCCESS"], "gone while the run still worked"


def with_slow_resource(arena: Arena, folder: Path, seconds: float, **executor: float) -> Outcome:
    resources = {"slow": {"config": {"folder": str(folder), "seconds": seconds}}}
    ops = {"numbers": {"config": {"count": 3}}}
    return arena.run("with_slow_resource_warm", {"resources": resources, "ops": ops}, executor)


def test_a_resource_may_take_its_time_to_be_taken_down(arena: Arena, tmp_path: Path) -> None:
    run = with_slow_resource(arena, tmp_path, 2, max_concurrent=1, grace_seconds=0.1)
    assert run.status == "SUCCESS"
    assert set((tmp_path / "down").read_text().split()) == {str(pid) for pid in run.pids().values()}


def test_a_worker_that_does_not_get_its_resources_down_is_killed_and_replaced(arena: Arena, tmp_path: Path) -> None:
    run = with_slow_resource(arena, tmp_path, 600, max_concurrent=1, recycle_steps=1, start_seconds=1)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == 3
    assert len([text for text in run.engine_messages() if "took its resources down" in text]) >= 3
    assert not (tmp_path / "down").exists()


def rounds(folder: Path, first: str, middle: str, last: str) -> dict[str, object]:
    told = {"first_a": first, "first_b": first, "middle": middle, "last_a": last, "last_b": last}
    return {"ops": {op: {"config": {"folder": str(folder), "action": action}} for op, action in told.items()}}


@pytest.mark.parametrize("limit", [{"start_seconds": 1.0}, {"step_seconds": 2.0}])
def test_a_worker_that_was_stopped_between_steps_holds_up_none(
    arena: Arena, tmp_path: Path, limit: dict[str, float]
) -> None:
    config = rounds(tmp_path, "meet:2", "stop_other", "ok")
    run = arena.run("rounds_warm", config, {"max_concurrent": 2, **limit})
    assert run.status == "SUCCESS"
    assert run.kinds_of("last_a") == run.kinds_of("last_b") == ["STEP_START", "STEP_SUCCESS"]


def test_a_worker_lives_as_long_as_the_run(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("again", tmp_path, {f"n{number}": "keep:100" for number in range(4)}, max_concurrent=1)
    assert len(set(run.pids().values())) == 1


def test_a_worker_is_replaced_after_so_many_steps(arena: Arena, tmp_path: Path) -> None:
    steps = {f"n{number}": "ok" for number in range(7)}
    run = arena.act("again", tmp_path, steps, max_concurrent=1, recycle_steps=2)
    pids = list(run.pids().values())
    assert run.status == "SUCCESS"
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [1, 2, 2, 2], "the first has done the step before too"


def test_a_worker_is_replaced_once_it_has_grown(arena: Arena, tmp_path: Path) -> None:
    steps = {"first": "ok", "large": "keep:200", "small": "ok", "last": "ok"}
    run = arena.act("again", tmp_path, steps, max_concurrent=1, recycle_mb=megabytes() + 100)
    pids = [run.pids()[f"do_again[{key}]"] for key in steps]
    assert run.status == "SUCCESS"
    assert pids[0] == pids[1] != pids[2] == pids[3]
