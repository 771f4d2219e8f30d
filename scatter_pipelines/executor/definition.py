"""`warm_pool_executor`: its config, and what it refuses."""

import os
from typing import Any

import dagster as dg
from dagster import DagsterUnmetExecutorRequirementsError

from scatter_pipelines.executor.hooks import load_factory
from scatter_pipelines.executor.internals import (
    RetryMode,
    get_retries_config,
    get_tag_concurrency_limits_config,
    multiple_process_executor_requirements,
)
from scatter_pipelines.executor.parent import WarmPoolExecutor
from scatter_pipelines.executor.watch import Limits

MEGABYTE = 1024 * 1024


def _number(kind: Any, default: float, description: str) -> dg.Field:
    return dg.Field(kind, default_value=default, description=description)


WARM_POOL_CONFIG = {
    "max_concurrent": _number(int, 0, "Workers, and so steps at once; 0: as many as there are processors."),
    "tag_concurrency_limits": get_tag_concurrency_limits_config(),
    "retries": get_retries_config(),
    "start_seconds": _number(float, 30.0, "A worker that is not ready by then, or stopped for as long, is killed."),
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
    if negative := [name for name, value in config.items() if isinstance(value, int | float) and value < 0]:
        raise DagsterUnmetExecutorRequirementsError(f"The executor's {', '.join(negative)} must not be negative.")
    try:
        factory = load_factory(config["hooks"])
    except ValueError as error:
        raise DagsterUnmetExecutorRequirementsError(str(error)) from error
    return WarmPoolExecutor(
        workers=config["max_concurrent"] or os.cpu_count() or 1,
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
