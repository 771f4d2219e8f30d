"""What the executor does not do, it says."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterInstance, DagsterUnmetExecutorRequirementsError, execute_job
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run

from scatter_pipelines_tests.executor.graphs import job_named
from scatter_pipelines_tests.executor.reference import Arena, acting

pytestmark = pytest.mark.xdist_group("executor_limits")


def test_a_job_that_cannot_be_made_anew_is_refused(arena: Arena) -> None:
    job = job_named("one_warm").get_definition()
    run = arena.instance.create_run_for_job(job)
    with pytest.raises(DagsterUnmetExecutorRequirementsError, match="not reconstructable"):
        execute_run(InMemoryJob(job), run, arena.instance, raise_on_error=True)


def test_an_instance_that_only_this_process_has_is_refused() -> None:
    with (
        DagsterInstance.ephemeral() as instance,
        pytest.raises(DagsterUnmetExecutorRequirementsError, match="ephemeral"),
    ):
        execute_job(job_named("one_warm"), instance, raise_on_error=True)


@pytest.mark.parametrize("graph", ["launched", "launched_later"])
def test_a_step_launcher_is_refused(arena: Arena, graph: str) -> None:
    run = arena.run(f"{graph}_warm")
    errors = [run.error_of(str(event.step_key)) for event in run.events if event.is_step_failure]
    assert run.status == "FAILURE"
    assert "step launcher" in " ".join([run.failure(), *errors]).lower()
    assert "nobody should" not in " ".join(errors)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"max_concurrent": -1}, "max_concurrent"),
        ({"step_seconds": -0.5}, "step_seconds"),
        ({"memory_mb": -1}, "memory_mb"),
        ({"hooks": "no_colon"}, "module:attribute"),
        ({"hooks": "not.there:at_all"}, "not.there"),
        ({"hooks": "os:not_there"}, "not_there"),
        ({"hooks": "os:sep"}, "not a factory"),
        ({"hooks": ".a:b"}, "cannot be loaded"),
        ({"max_concurrent": 100_000_000}, "max_concurrent"),
        ({"start_seconds": float("nan")}, "start_seconds"),
        ({"grace_seconds": float("inf")}, "grace_seconds"),
    ],
)
def test_a_wrong_config_is_refused_in_plain_words(
    arena: Arena, tmp_path: Path, config: dict[str, Any], message: str
) -> None:
    job, run_config = job_named("once_warm"), acting(tmp_path, {}) | {"execution": {"config": config}}
    with arena.settings(), pytest.raises(DagsterUnmetExecutorRequirementsError, match=message):
        execute_job(job, arena.instance, run_config=run_config, raise_on_error=True)


def test_a_field_that_does_not_exist_is_refused(arena: Arena, tmp_path: Path) -> None:
    run_config = acting(tmp_path, {}) | {"execution": {"config": {"max_concurent": 1}}}
    with arena.settings(), pytest.raises(dg.DagsterInvalidConfigError, match="max_concurent"):
        execute_job(job_named("once_warm"), arena.instance, run_config=run_config, raise_on_error=True)
