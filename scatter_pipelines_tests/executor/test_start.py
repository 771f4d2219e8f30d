"""Workers that die or hang before they are ready."""

from pathlib import Path

import pytest

from scatter_pipelines.testing import CRASH_VARIABLE
from scatter_pipelines_tests.executor.graphs import DEATHS, STOPS
from scatter_pipelines_tests.executor.reference import Arena, acting

pytestmark = [pytest.mark.xdist_group("executor_limits"), pytest.mark.timeout(90)]


def fill(folder: Path, count: int) -> str:
    """A folder that has so many workers misbehave."""
    folder.mkdir()
    for number in range(count):
        (folder / str(number)).touch()
    return str(folder)


def test_when_no_worker_gets_ready_the_run_fails_and_says_why(arena: Arena, tmp_path: Path) -> None:
    config = acting(tmp_path, {"a": "ok"})
    run = arena.run("once_warm", config, {"max_concurrent": 2}, **{CRASH_VARIABLE: "worker_start"})
    assert run.status == "FAILURE"
    assert "workers in a row were lost before they were ready" in run.failure()
    assert "SIGKILL" in run.failure()
    assert run.kinds_of("spread") == []


def test_a_worker_that_dies_during_its_start_is_replaced(arena: Arena, tmp_path: Path) -> None:
    deaths = fill(tmp_path / "deaths", 2)
    steps = {"a": "meet:2", "b": "meet:2"}
    run = arena.run("once_warm", acting(tmp_path, steps), {"max_concurrent": 2}, **{DEATHS: deaths})
    assert run.status == "SUCCESS"
    assert len([text for text in run.engine_messages() if "before it was ready" in text and "SIGKILL" in text]) == 2


def test_a_worker_that_hangs_during_its_start_is_replaced(arena: Arena, tmp_path: Path) -> None:
    stops = fill(tmp_path / "stops", 1)
    executor = {"max_concurrent": 1, "start_seconds": 0.5}
    run = arena.run("once_warm", acting(tmp_path, {"a": "ok"}), executor, **{STOPS: stops})
    assert run.status == "SUCCESS"
    assert [text for text in run.engine_messages() if "not ready after 0.5 s" in text]


def test_when_every_worker_hangs_the_run_fails_and_says_why(arena: Arena, tmp_path: Path) -> None:
    stops = fill(tmp_path / "stops", 20)
    run = arena.run("fan_in_warm", None, {"max_concurrent": 4, "start_seconds": 0.5}, **{STOPS: stops})
    assert run.status == "FAILURE"
    assert "not ready after 0.5 s" in run.failure()


@pytest.mark.parametrize("workers", [2, 6])
def test_steps_in_flight_have_an_end_when_the_run_gives_up_on_new_workers(
    arena: Arena, tmp_path: Path, workers: int
) -> None:
    deaths = fill(tmp_path / "deaths", 0)
    steps = {"a": "plant:40", **{f"n{number}": "ok" for number in range(20)}}
    executor = {"max_concurrent": workers, "recycle_steps": 1}
    run = arena.run("once_warm", acting(tmp_path, steps), executor, **{DEATHS: deaths})
    assert run.status == "FAILURE"
    assert "lost before they were ready" in run.failure()
    assert run.kinds_of("do[a]") == ["STEP_START", "STEP_FAILURE"]
