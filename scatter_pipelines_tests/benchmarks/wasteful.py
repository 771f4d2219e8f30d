"""The warm pool with one kind of waste put back: `python -m ...wasteful NAME COUNT`.

Prints one line of JSON, a list of runs: the first of one document, then one of COUNT.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import dagster as dg
from dagster import DagsterInstance
from dagster._core.execution.api import create_execution_plan
from sqlalchemy.pool import NullPool

from scatter_pipelines.defs import storage
from scatter_pipelines.executor import parent, warm_pool_executor, worker
from scatter_pipelines.executor.internals import ExecutionPlan, ExecutionStep
from scatter_pipelines.executor.plans import StepOrder
from scatter_pipelines_tests.benchmarks.clocks import adopt_orphans
from scatter_pipelines_tests.benchmarks.execute import dagster_run, find_job
from scatter_pipelines_tests.benchmarks.noop import WORKERS, Numbers, nothing, numbers

MODULE = "scatter_pipelines_tests.benchmarks.wasteful"


@dg.op(out=dg.DynamicOut(int))
def filed_numbers(context: dg.OpExecutionContext) -> Any:
    """Values in pickle files, as Dagster's default IO manager keeps them."""
    for number in range(context.op_config["count"]):
        yield dg.DynamicOutput(number, mapping_key=f"document_{number}")


@dg.op
def nothing_filed(number: int) -> int:
    return number


@dg.graph
def plain() -> None:
    numbers().map(nothing)


@dg.graph
def filed() -> None:
    dg.OpDefinition(
        compute_fn=filed_numbers.compute_fn, name="numbers", outs={"result": dg.DynamicOut(int)},
        config_schema={"count": int},
    )().map(nothing_filed)  # fmt: skip


POOL = warm_pool_executor.configured({"max_concurrent": WORKERS}, name="warm_pool_of_two")
defs = dg.Definitions(
    jobs=[graph.to_job(executor_def=POOL) for graph in (plain, filed)], resources={"numbers_io": Numbers()}
)


def connect_for_each_statement() -> None:
    create = storage.create_pg_engine

    def unpooled(url: str, provider: Any, **more: Any) -> Any:
        kept = {name: more[name] for name in ("isolation_level", "connect_args") if name in more}
        return create(url, provider, poolclass=NullPool, **kept)

    storage.create_pg_engine = unpooled


def write_events_one_by_one() -> None:
    storage.ScatterEventLog.batches_any_event = False


def commit_events_to_disk() -> None:
    engine = storage._engine
    storage._engine = lambda url, _options="": engine(url)


def capture_with_processes() -> None:
    worker.captures_itself = lambda _manager: True
    worker.Worker._make_capture = lambda _self: None  # type: ignore[method-assign]


class Forgetful(dict[str, Any]):
    """Keeps no resources for the next step."""

    def __setitem__(self, key: str, value: Any) -> None:
        """Forgotten at once."""


def make_resources_for_each_step() -> None:
    begin = worker.Worker.__init__

    def forget(self: worker.Worker, *arguments: Any) -> None:
        begin(self, *arguments)
        self._contexts = Forgetful()

    worker.Worker.__init__ = forget  # type: ignore[method-assign]


def plan_each_step() -> None:
    find = worker.plan_of_step

    def anew(plan: ExecutionPlan, order: StepOrder) -> tuple[ExecutionPlan, ExecutionStep]:
        create_execution_plan(find_job("plain", MODULE), {"ops": {"numbers": {"config": {"count": 1}}}})
        return find(plan, order)

    worker.plan_of_step = anew


def send_the_whole_state() -> None:
    parent.known_of_step = lambda _step, known: known


WASTES: dict[str, tuple[str, Callable[[], None]]] = {
    "as it is": ("plain", lambda: None),
    "a connection for each statement": ("plain", connect_for_each_statement),
    "an insert for each event": ("plain", write_events_one_by_one),
    "event log committed to disk": ("plain", commit_events_to_disk),
    "values in pickle files": ("filed", lambda: None),
    "log capture in processes": ("plain", capture_with_processes),
    "resources made for each step": ("plain", make_resources_for_each_step),
    "a plan made for each step": ("plain", plan_each_step),
    "the whole known state to each step": ("plain", send_the_whole_state),
}


def main() -> None:
    name, count = sys.argv[1], int(sys.argv[2])
    adopt_orphans()
    job, put_back = WASTES[name]
    put_back()
    with DagsterInstance.get() as instance:
        print(json.dumps([dagster_run(instance, find_job(job, MODULE), one) for one in (1, count)]))


if __name__ == "__main__":
    main()
