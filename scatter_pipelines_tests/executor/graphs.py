"""The code location of the executor's tests: each job in a form for the warm pool and one for each of Dagster's own.

A new worker that finds a file in the folder named by DEATHS removes it and kills itself; by STOPS, it stops itself.
"""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.definitions.reconstruct import ReconstructableJob, ReconstructableRepository

from scatter_pipelines.executor import warm_pool_executor
from scatter_pipelines_tests.executor import acting, failing, plain, surroundings

EXECUTORS: dict[str, dg.ExecutorDefinition] = {
    "warm": warm_pool_executor,
    "here": dg.in_process_executor,
    "processes": dg.multiprocess_executor,
}
OUT_OF_PROCESS = {"failed_branch", "without_resource", "with_late_resource", "dying"}
"""Graphs that run in processes of Dagster's too, which costs seconds."""

DEATHS = "EXECUTOR_TESTS_DEATHS"
STOPS = "EXECUTOR_TESTS_STOPS"
PROJECT = Path(__file__).parents[2]
IMPORTED_IN = os.getpid()


def _misbehave() -> None:
    """In a new process: only what was forked by a fork of the importing process is a worker."""
    if os.getppid() == IMPORTED_IN:
        return
    for variable, number in ((DEATHS, signal.SIGKILL), (STOPS, signal.SIGSTOP)):
        with suppress(KeyError, OSError, StopIteration):
            next(Path(os.environ[variable]).iterdir()).unlink()
            os.kill(os.getpid(), number)


os.register_at_fork(after_in_child=_misbehave)


def _jobs(forms: list[str], names: set[str] | None = None) -> list[Any]:
    simple = acting.GRAPHS + plain.GRAPHS + failing.GRAPHS
    graphs: list[tuple[dg.GraphDefinition, dict[str, Any]]] = [(graph, {}) for graph in simple]
    return [
        graph.to_job(name=f"{graph.name}_{form}", executor_def=EXECUTORS[form], **details)
        for graph, details in graphs + surroundings.GRAPHS
        for form in forms
        if names is None or graph.name in names
    ]


def _asset_job(form: str) -> Any:
    return dg.define_asset_job(f"materialized_{form}", surroundings.ASSETS, executor_def=EXECUTORS[form])


FORMS = ["warm", "here"]
defs = dg.Definitions(assets=surroundings.ASSETS, jobs=[*_jobs(FORMS), *map(_asset_job, FORMS)])
few = dg.Definitions(jobs=_jobs(["processes"], OUT_OF_PROCESS))
"""Apart, since each process of Dagster's own makes all definitions anew."""


def job_named(name: str) -> ReconstructableJob:
    attribute = "few" if name.endswith("_processes") else "defs"
    return ReconstructableRepository.for_module(__name__, attribute, str(PROJECT)).get_reconstructable_job(name)
