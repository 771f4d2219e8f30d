"""Every graph runs in the pool as it does in Dagster's own executor."""

from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines_tests.executor import failing, plain
from scatter_pipelines_tests.executor.comparing import assert_same, assert_same_steps
from scatter_pipelines_tests.executor.reference import Arena

pytestmark = pytest.mark.xdist_group("executor_contract")

POOL = {"max_concurrent": 2}
WORDS = {"ops": {"configured": {"config": {"words": ["some", "words"]}}}}
EMPTY = {"ops": {"numbers": {"config": {"count": 0}}}}
CONFIGS: dict[str, dict[str, Any]] = {"outputs": WORDS}


@pytest.mark.parametrize("graph", [graph.name for graph in plain.GRAPHS + failing.GRAPHS])
def test_a_graph_runs_as_in_this_process(arena: Arena, graph: str) -> None:
    config = CONFIGS.get(graph)
    assert_same(arena.run(f"{graph}_warm", config, POOL), arena.run(f"{graph}_here", config))


@pytest.mark.parametrize("graph", ["mapped", "collected", "mapped_twice"])
def test_a_map_over_nothing_is_a_success(arena: Arena, graph: str) -> None:
    warm = arena.run(f"{graph}_warm", EMPTY, POOL)
    assert_same(warm, arena.run(f"{graph}_here", EMPTY))
    assert warm.status == "SUCCESS"


@pytest.mark.parametrize("graph", ["hooked", "by_policy_of_the_job", "materialized"])
def test_what_is_set_around_ops_works_as_in_this_process(arena: Arena, graph: str) -> None:
    assert_same(arena.run(f"{graph}_warm", None, POOL), arena.run(f"{graph}_here"))


def test_a_resource_that_cannot_be_taken_down_is_told(arena: Arena) -> None:
    warm = arena.run("with_stubborn_resource_warm", None, POOL)
    here = arena.run("with_stubborn_resource_here")
    assert_same(warm, here)
    assert [text for text in here.engine_messages() if "will not be taken down" in text]
    assert [text for text in warm.engine_messages() if "will not be taken down" in text]


@pytest.mark.parametrize("graph", ["requested", "by_policy"])
def test_without_retries_nothing_is_tried_again(arena: Arena, graph: str) -> None:
    off = {"retries": {"disabled": {}}}
    warm = arena.run(f"{graph}_warm", None, POOL | off)
    assert_same(warm, arena.run(f"{graph}_here", None, off))
    assert all(stats.attempts == 1 for stats in warm.stats.values() if stats.start_time)


def test_one_worker_takes_the_important_first(arena: Arena) -> None:
    warm = arena.run("by_priority_warm", None, {"max_concurrent": 1})
    assert [event.step_key for event in warm.events if event.is_step_start] == ["important", "seven", "unimportant"]
    assert_same(warm, arena.run("by_priority_here"))


PROCESSES = {"start_method": {"forkserver": {}}, "max_concurrent": 2}


def test_a_resource_that_cannot_be_made_fails_its_step(arena: Arena) -> None:
    warm = arena.run("without_resource_warm", None, POOL)
    assert_same(warm, arena.run("without_resource_processes", None, PROCESSES))
    assert warm.status == "FAILURE"
    assert "cannot be made" in warm.error_of("needs_broken")


def test_a_resource_that_is_made_at_the_second_try_is_a_retry(arena: Arena, tmp_path: Path) -> None:
    def config(name: str) -> dict[str, Any]:
        (tmp_path / name).mkdir()
        return {"resources": {"second_try": {"config": {"folder": str(tmp_path / name)}}}}

    warm = arena.run("with_late_resource_warm", config("warm"), POOL)
    # Dagster's own calls the run failed all the same.
    assert_same_steps(warm, arena.run("with_late_resource_processes", config("processes"), PROCESSES))
    assert warm.status == "SUCCESS"
    assert warm.seen("needs_second_try") == {"retries": 1}


def test_a_graph_runs_as_in_processes_of_dagster(arena: Arena) -> None:
    two = {"ops": {"numbers": {"config": {"count": 2}}}}
    warm = arena.run("failed_branch_warm", two, POOL)
    assert_same(warm, arena.run("failed_branch_processes", two, PROCESSES))
