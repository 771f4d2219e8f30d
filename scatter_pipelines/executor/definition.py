"""`warm_pool_executor`: its config, what it refuses, and what a run of it is made of."""

import math
import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import dagster as dg
from dagster import DagsterUnmetExecutorRequirementsError

from scatter_pipelines.executor.blackbox import make_boxes
from scatter_pipelines.executor.history import History, diverted
from scatter_pipelines.executor.hooks import Bench, Factory, load_factory, make_boards
from scatter_pipelines.executor.internals import (
    ActiveExecution,
    DagsterEvent,
    ExecutionPlan,
    Executor,
    InstanceConcurrencyContext,
    PlanOrchestrationContext,
    RetryMode,
    get_retries_config,
    get_tag_concurrency_limits_config,
    is_pooled,
    multiple_process_executor_requirements,
)
from scatter_pipelines.executor.parent import Run
from scatter_pipelines.executor.pool import Pool
from scatter_pipelines.executor.watch import Limits
from scatter_pipelines.executor.worker import Assignment

MEGABYTE = 1024 * 1024


class WarmPoolExecutor(Executor):
    """What `warm_pool_executor` gives to Dagster: it sets up a run's pool, and takes it down."""

    def __init__(
        self,
        workers: int,
        waiting: int,
        retries: RetryMode,
        tag_concurrency_limits: list[dict[str, Any]] | None,
        limits: Limits,
        factory: Factory,
    ) -> None:
        self._workers = workers
        self._waiting = waiting
        self._retries = retries
        self._tag_limits = tag_concurrency_limits
        self._limits = limits
        self._factory = factory

    @property
    def retries(self) -> RetryMode:
        return self._retries

    def execute(self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan) -> Iterator[DagsterEvent]:
        most = self._workers + self._waiting
        boards, boxes = make_boards(most), make_boxes(most)
        assignment = Assignment(
            job=plan_context.reconstructable_job,
            run=plan_context.dagster_run,
            run_config=plan_context.run_config,
            instance_ref=plan_context.instance.get_ref(),
            plan=execution_plan,
            retries=self._retries,
            boards=boards,
            boxes=boxes,
        )
        with ExitStack() as stack:
            pool = stack.enter_context(Pool(self._workers, self._waiting, assignment.work))
            history = History(plan_context.instance, plan_context.run_id)
            stack.callback(history.close)
            stack.enter_context(diverted(plan_context.instance, history.take))
            concurrency = stack.enter_context(
                InstanceConcurrencyContext(plan_context.instance, plan_context.dagster_run)
            )
            overseer = stack.enter_context(self._factory(self._bench(plan_context, boards)))
            active = stack.enter_context(
                ActiveExecution(
                    execution_plan,
                    retry_mode=self._retries,
                    tag_concurrency_limits=self._tag_limits,
                    instance_concurrency_context=concurrency,
                )
            )
            choosy = bool(self._tag_limits) or any(map(is_pooled, execution_plan.steps))
            yield from Run(plan_context, active, pool, history, overseer, self._limits, boxes, choosy).events()

    @staticmethod
    def _bench(context: PlanOrchestrationContext, boards: list[memoryview]) -> Bench:
        return Bench(context.run_id, context.instance, context.log, boards)


def _number(kind: Any, default: float, description: str) -> dg.Field:
    return dg.Field(kind, default_value=default, description=description)


MOST_WORKERS = 1_000

WARM_POOL_CONFIG = {
    "max_concurrent": _number(int, 0, "Workers, and so steps at once; 0: as many as there are processors."),
    "max_waiting": _number(int, 0, "Workers beyond these, while as many steps say that they wait for somebody else."),
    "tag_concurrency_limits": get_tag_concurrency_limits_config(),
    "retries": get_retries_config(),
    "start_seconds": _number(
        float, 30.0, "A worker that is not ready, or not gone, by then, or is stopped for as long, is killed."
    ),
    "grace_seconds": _number(float, 10.0, "How long steps in flight may go on after the run is terminated."),
    "step_seconds": _number(float, 0.0, "Limit of one step, after which its worker is killed; 0: none."),
    "memory_mb": _number(int, 0, "Limit of a worker's resident memory, past which it is killed; 0: none."),
    "recycle_steps": _number(int, 0, "A worker is replaced after so many steps; 0: never."),
    "recycle_mb": _number(int, 0, "A worker whose resident memory is above this is replaced; 0: never."),
    "hooks": dg.Field(str, default_value="", description="Factory of an overseer of the steps, as module:attribute."),
}


@dg.executor(name="warm_pool", config_schema=WARM_POOL_CONFIG, requirements=multiple_process_executor_requirements())
def warm_pool_executor(context: dg.InitExecutorContext) -> WarmPoolExecutor:
    """Runs steps in worker processes that live as long as the run.

    The run worker forks them, hands them steps, writes their events to the event log, and kills and replaces the ones
    that die, hang or grow. A step whose worker was lost fails, or is retried by its op's retry policy. Jobs must be
    reconstructable and the instance persistent, as for Dagster's multiprocess executor.
    """
    config: dict[str, Any] = dict(context.executor_config)
    if wrong := [
        name for name, value in config.items() if isinstance(value, int | float) and not 0 <= value < math.inf
    ]:
        raise DagsterUnmetExecutorRequirementsError(f"The executor's {', '.join(wrong)} must be 0 or more.")
    for name in ("max_concurrent", "max_waiting"):
        if config[name] > MOST_WORKERS:
            raise DagsterUnmetExecutorRequirementsError(f"The executor's {name} must be {MOST_WORKERS} or less.")
    try:
        factory = load_factory(config["hooks"])
    except ValueError as error:
        raise DagsterUnmetExecutorRequirementsError(str(error)) from error
    return WarmPoolExecutor(
        workers=config["max_concurrent"] or os.cpu_count() or 1,
        waiting=config["max_waiting"],
        retries=RetryMode.from_config(config["retries"]) or RetryMode.ENABLED,
        tag_concurrency_limits=config.get("tag_concurrency_limits"),
        limits=Limits(
            start_seconds=config["start_seconds"],
            grace_seconds=config["grace_seconds"],
            step_seconds=config["step_seconds"],
            memory=config["memory_mb"] * MEGABYTE,
            recycle_steps=config["recycle_steps"],
            recycle_memory=config["recycle_mb"] * MEGABYTE,
        ),
        factory=factory,
    )
