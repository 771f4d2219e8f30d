"""What a step prints, from wherever, is found as the UI finds it."""

from pathlib import Path

import pytest
from dagster import DagsterEventType, DagsterInstance, execute_job
from dagster._core.instance.ref import InstanceRef

from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.executor.graphs import job_named
from scatter_pipelines_tests.executor.reference import Arena, Outcome, acting

pytestmark = [pytest.mark.xdist_group("executor_faults"), pytest.mark.timeout(90)]

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def loud(arena: Arena, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Five steps on one worker, one after the other."""
    steps = {"silent": "ok", "long": f"shout:{MEGABYTE}", "in_c": "shout_in_c", "short": "shout:3", "last": "ok"}
    return arena.act("again", tmp_path_factory.mktemp("loud"), steps, max_concurrent=1)


def test_a_megabyte_on_either_stream_is_kept(loud: Outcome) -> None:
    out, err = loud.printed("do_again[long]")
    assert (out, err) == ("o" * MEGABYTE + "\n", "e" * MEGABYTE + "\n")


def test_each_step_has_what_it_has_printed_itself(loud: Outcome) -> None:
    assert loud.printed("do_again[short]") == ("ooo\n", "eee\n")


def test_what_c_code_prints_is_kept_with_the_step_that_printed_it(loud: Outcome) -> None:
    out, _err = loud.printed("do_again[in_c]")
    assert sorted(out.splitlines()) == ["said by a descriptor", "said in C by in_c"]


@pytest.mark.parametrize("key", ["silent", "last"])
def test_a_step_that_prints_nothing_leaves_nothing(loud: Outcome, key: str) -> None:
    assert loud.events_of(f"do_again[{key}]", DagsterEventType.LOGS_CAPTURED) == []
    assert not [event for event in loud.captures() if f"do_again[{key}]" in event.logs_captured_data.step_keys]


def test_what_was_printed_by_a_step_that_failed_is_kept_for_each_try(arena: Arena, tmp_path: Path) -> None:
    run = arena.act("again", tmp_path, {"loud": ["shout_and_die", "shout:2"]}, max_concurrent=1)
    assert run.all_printed("do_again[loud]") == [("last words of loud\n", ""), ("oo\n", "ee\n")]


@pytest.mark.parametrize("rude", ["close_stdout", "redirect_stdout"])
def test_a_step_that_spoils_its_output_does_not_spoil_that_of_the_next(arena: Arena, tmp_path: Path, rude: str) -> None:
    run = arena.act("once", tmp_path, {"rude": rude, "next": "shout:2"}, max_concurrent=1)
    assert run.printed("do[next]") == ("oo\n", "ee\n")
    assert run.status == "SUCCESS"


def test_what_steps_print_is_complete_once_the_run_is_over(loud: Outcome) -> None:
    manager = loud.instance.compute_log_manager
    keys = [manager.build_log_key_for_run(loud.run_id, event.logs_captured_data.file_key) for event in loud.captures()]
    assert keys
    assert all(manager.is_capture_complete(key) for key in keys)


def test_a_manager_that_captures_in_its_own_way_does_so_for_each_step(arena: Arena, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    elsewhere = {
        "module": "scatter_pipelines_tests.executor.managers",
        "class": "Elsewhere",
        "config": {"path": str(noted)},
    }
    run_config = acting(tmp_path, {"a": "ok", "b": "shout:2"}) | {"execution": {"config": {"max_concurrent": 1}}}
    with arena.settings():
        ref = InstanceRef.from_dir(str(PROJECT), overrides={"compute_logs": elsewhere})  # type: ignore[typeddict-item]
        with DagsterInstance.from_ref(ref) as instance:
            result = execute_job(job_named("once_warm"), instance, run_config=run_config)
            run = Outcome(instance, result.run_id, result.all_events)
            told = [event.logs_captured_data for event in run.captures()]
    lines = [line.split() for line in noted.read_text().splitlines()]
    assert [line[0] for line in lines] == ["begin", "end"] * 5, "five steps, one after the other"
    assert {line[1] for line in lines} == {str(pid) for pid in run.pids().values()}
    assert [data.step_keys for data in told] == [[key] for key in ("spread", "do[a]", "do[b]", "after[a]", "after[b]")]
    assert [data.external_url for data in told] == [f"elsewhere://{line[2]}" for line in lines[::2]]
