"""Running again: all of it, what is selected, or what failed."""

from collections.abc import Callable

import pytest
from dagster import ReexecutionOptions

from scatter_pipelines_tests.executor.comparing import assert_same
from scatter_pipelines_tests.executor.reference import Arena, Outcome

pytestmark = pytest.mark.xdist_group("executor_contract")

FORMS = ("warm", "here")
Options = Callable[[Outcome], ReexecutionOptions]


@pytest.fixture(scope="module")
def failed(arena: Arena) -> dict[str, Outcome]:
    """A run with one failed branch, in each form."""
    return {form: arena.run(f"better_next_time_{form}") for form in FORMS}


def again(arena: Arena, failed: dict[str, Outcome], options: Options) -> Outcome:
    """Runs again in each form, compares, and gives the pool's."""
    warm, here = (
        arena.run(f"better_next_time_{form}", reexecution=options(failed[form]))
        for form in FORMS
    )  # fmt: skip
    assert_same(warm, here)
    return warm


def selecting(*steps: str) -> Options:
    return lambda parent: ReexecutionOptions(parent_run_id=parent.run_id, step_selection=list(steps))


def started(run: Outcome) -> set[str]:
    return {str(event.step_key) for event in run.events if event.is_step_start}


def test_a_run_with_a_failed_branch_is_a_failure_in_each_form(failed: dict[str, Outcome]) -> None:
    assert_same(failed["warm"], failed["here"])
    assert failed["warm"].status == "FAILURE"


def test_all_of_it_runs_again(arena: Arena, failed: dict[str, Outcome]) -> None:
    run = again(arena, failed, lambda parent: ReexecutionOptions(parent_run_id=parent.run_id))
    assert run.status == "SUCCESS"
    assert len(started(run)) == 10


def test_from_failure_only_what_failed_and_what_hangs_on_it_runs_again(
    arena: Arena, failed: dict[str, Outcome]
) -> None:
    run = again(arena, failed, lambda parent: ReexecutionOptions.from_failure(parent.run_id, parent.instance))
    assert run.status == "SUCCESS"
    assert started(run) == {"failing_in_the_first_run[n1]", "increment[n1]", "total"}
    assert run.seen("total") == {"total": 6}


def test_one_mapped_step_runs_again_alone(arena: Arena, failed: dict[str, Outcome]) -> None:
    assert started(again(arena, failed, selecting("increment[n2]"))) == {"increment[n2]"}


def test_several_selected_steps_run_again(arena: Arena, failed: dict[str, Outcome]) -> None:
    chosen = ("failing_in_the_first_run[n1]", "double", "failing_in_the_first_run[n0]")
    assert started(again(arena, failed, selecting(*chosen))) == set(chosen)


def test_a_step_and_what_follows_runs_again(arena: Arena, failed: dict[str, Outcome]) -> None:
    run = again(arena, failed, selecting("failing_in_the_first_run[n1]*"))
    assert started(run) == {"failing_in_the_first_run[n1]", "increment[n1]", "total"}


def test_the_step_that_spreads_and_what_follows_runs_again(arena: Arena, failed: dict[str, Outcome]) -> None:
    run = again(arena, failed, selecting("numbers*"))
    assert run.status == "SUCCESS"
    assert len(started(run)) == 8
