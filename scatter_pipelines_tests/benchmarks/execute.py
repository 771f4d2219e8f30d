"""One competitor of `executors` in a process of its own: `python -m ...execute NAME COUNT TIMES`.

Prints one line of JSON: a list of runs, the first two of one document each, then TIMES runs of COUNT documents. With
0 for TIMES there is one run of one document.
"""

import json
import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from typing import Any

from dagster import DagsterInstance, execute_job
from dagster._core.definitions.reconstruct import ReconstructableJob, ReconstructableRepository

from scatter_pipelines_tests.benchmarks.clocks import adopt_orphans, cost_of, postmaster_pid
from scatter_pipelines_tests.benchmarks.database import events_of_run
from scatter_pipelines_tests.benchmarks.noop import WORKERS, do_nothing

MODULE = "scatter_pipelines_tests.benchmarks.noop"
BARE = "bare_pool"


def main() -> None:
    name, count, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    adopt_orphans()
    counts = [1, 1, *[count] * times] if times else [1]
    if name == BARE:
        runs = [bare_run(one) for one in counts]
    else:
        with DagsterInstance.get() as instance:
            runs = [dagster_run(instance, find_job(name), one) for one in counts]
    print(json.dumps(runs))


def find_job(name: str, module: str = MODULE) -> ReconstructableJob:
    return ReconstructableRepository.for_module(module, "defs", None).get_reconstructable_job(name)


def dagster_run(instance: DagsterInstance, job: ReconstructableJob, count: int) -> dict[str, Any]:
    """One run, from the start of `execute_job` to its end."""
    config = {"ops": {"numbers": {"config": {"count": count}}}}
    ended: list[str] = []

    def work() -> None:
        with execute_job(job, instance=instance, run_config=config, raise_on_error=True) as result:
            ended.append(result.run_id)

    cost = measured(count, work)
    return cost | events_of_run(ended[0])


def bare_run(count: int) -> dict[str, Any]:
    """The same function in a pool that is forked for the run, as the warm pool's is. No database."""

    def work() -> None:
        with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("fork")) as pool:
            list(pool.map(do_nothing, range(count)))

    return measured(count, work) | {"rows": 0, "bytes": 0}


def measured(count: int, work: Callable[[], None]) -> dict[str, Any]:
    return {"count": count, **asdict(cost_of(work, postmaster_pid()))}


if __name__ == "__main__":
    main()
