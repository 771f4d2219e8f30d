"""How many steps run at once: by workers, by tags, by pools. Steps that must meet prove that they can."""

import os
from collections import Counter
from pathlib import Path

import pytest
from dagster import DagsterEventType

from scatter_pipelines_tests.executor.reference import ENDS, STARTS, Arena, Outcome

pytestmark = [pytest.mark.xdist_group("executor_limits"), pytest.mark.timeout(90)]


def most_at_once(run: Outcome) -> int:
    now = most = 0
    for event in run.events:
        now += event.event_type in STARTS
        now -= event.event_type in ENDS
        most = max(most, now)
    return most


def test_as_many_steps_run_at_once_as_there_are_workers(arena: Arena, tmp_path: Path) -> None:
    steps = {**{f"first{n}": "meet:3" for n in range(3)}, **{f"n{n}": "ok" for n in range(9)}}
    run = arena.act("again", tmp_path, steps, max_concurrent=3)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == most_at_once(run) == 3


def test_one_worker_runs_one_step_at_a_time(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("again", tmp_path, {f"n{n}": "alone:room" for n in range(4)}, max_concurrent=1)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == most_at_once(run) == 1


def test_a_step_that_waits_gives_its_place_to_another(arena: Arena, tmp_path: Path) -> None:
    steps = {f"n{n}": "wait_and_meet:8" for n in range(8)}
    run = arena.act("once", tmp_path, steps, max_concurrent=2, max_waiting=6)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == most_at_once(run) == 8


def test_no_more_wait_than_may(arena: Arena, tmp_path: Path) -> None:
    steps = {f"n{n}": "wait_and_meet:3" for n in range(9)}
    run = arena.act("once", tmp_path, steps, max_concurrent=2, max_waiting=1)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == most_at_once(run) == 3


def test_steps_that_do_not_wait_keep_their_places(arena: Arena, tmp_path: Path) -> None:
    steps = {f"n{n}": "alone:room" for n in range(4)}
    run = arena.act("again", tmp_path, steps, max_concurrent=1, max_waiting=6)
    assert run.status == "SUCCESS"
    assert most_at_once(run) == 1


def test_the_place_of_one_that_waited_and_died_is_free_again(arena: Arena, tmp_path: Path) -> None:
    steps = {"dies": "wait_and_die", **{f"n{n}": "wait_and_meet:3" for n in range(3)}}
    run = arena.act("once", tmp_path, steps, max_concurrent=1, max_waiting=2)
    assert run.kinds_of("do[dies]")[-1] == "STEP_FAILURE"
    assert all(run.kinds_of(f"do[n{n}]")[-1] == "STEP_SUCCESS" for n in range(3))


def test_without_a_number_there_is_a_worker_for_each_processor(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2}, raising=False)
    steps = {**{f"first{n}": "meet:3" for n in range(3)}, **{f"n{n}": "ok" for n in range(5)}}
    run = arena.act("again", tmp_path, steps)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == 3


def test_more_workers_than_steps_do_no_harm(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("once", tmp_path, {"a": "meet:2", "b": "meet:2"}, max_concurrent=12)
    assert run.status == "SUCCESS"
    assert len(set(run.pids().values())) == 2


def test_many_steps_come_to_few_workers(arena: Arena, tmp_path: Path) -> None:
    steps = {**{f"first{n}": "meet:2" for n in range(2)}, **{f"n{n}": "ok" for n in range(38)}}
    run = arena.act("again", tmp_path, steps, max_concurrent=2)
    done = Counter(run.pids().values())
    assert run.status == "SUCCESS"
    assert (len(done), done.total()) == (2, 40)


def test_a_limit_of_a_tag_holds(arena: Arena, tmp_path: Path) -> None:
    limits = [{"key": "kind", "value": "rare", "limit": 1}]
    steps = {f"n{n}": "alone:room" for n in range(4)}
    run = arena.act("tagged", tmp_path, steps, max_concurrent=3, tag_concurrency_limits=limits)
    assert run.status == "SUCCESS"
    assert most_at_once(run) == 1


def test_a_limit_of_a_tag_is_used_to_the_full(arena: Arena, tmp_path: Path) -> None:
    limits = [{"key": "kind", "limit": 2}]
    run = arena.act(
        "tagged", tmp_path, {f"n{n}": "meet:2" for n in range(4)}, max_concurrent=3, tag_concurrency_limits=limits
    )
    assert run.status == "SUCCESS"
    assert most_at_once(run) == 2


def test_a_pool_holds_and_is_freed_also_by_a_step_that_dies(arena: Arena, tmp_path: Path) -> None:
    arena.instance.event_log_storage.set_concurrency_slots("executor_tests", 1)
    run = arena.act("pooled", tmp_path, {"a": "kill", "b": "alone:room", "c": "alone:room"}, max_concurrent=3)
    assert {key: run.kinds_of(f"do_pooled[{key}]")[-1] for key in "abc"} == {
        "a": "STEP_FAILURE", "b": "STEP_SUCCESS", "c": "STEP_SUCCESS",
    }  # fmt: skip
    assert most_at_once(run) == 1
    info = arena.instance.event_log_storage.get_concurrency_info("executor_tests")
    assert (info.active_slot_count, info.pending_step_count) == (0, 0)


def test_a_step_that_waits_for_a_worker_takes_no_slot_of_a_pool(arena: Arena, tmp_path: Path) -> None:
    arena.instance.event_log_storage.set_concurrency_slots("executor_tests", 4)
    steps = {f"n{n}": "count_slots:executor_tests" for n in range(3)}
    run = arena.act("pooled", tmp_path, steps, max_concurrent=1)
    assert [run.seen(f"do_pooled[{key}]")["slots"] for key in steps] == [1, 1, 1]


def test_a_resource_is_made_once_a_worker_and_taken_down(arena: Arena, tmp_path: Path) -> None:
    config = {
        "resources": {"counted": {"config": {"folder": str(tmp_path)}}},
        "ops": {"numbers": {"config": {"count": 8}}},
    }
    run = arena.run("with_counted_resource_warm", config, {"max_concurrent": 2})
    lines = (tmp_path / "counted").read_text().splitlines()
    assert run.status == "SUCCESS"
    pids = {pid for step, pid in run.pids().items() if step.startswith("needs_counted")}
    assert sorted(lines) == sorted([f"{done} {pid}" for pid in pids for done in ("made", "down")])
    made = [event for event in run.events if event.event_type == DagsterEventType.RESOURCE_INIT_SUCCESS]
    assert len([event for event in made if str(event.step_key).startswith("needs_counted")]) == len(pids)
