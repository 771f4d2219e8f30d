"""The jobs beside extraction: aggregate, sweep, export, operators' actions. Each is one op and one call of `work`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import dagster as dg

from scatter_pipelines.defs.announce import announce, export_closings, export_to, register_task
from scatter_pipelines.defs.configs import (
    ExportConfig,
    ForceFinalizeConfig,
    RetryConfig,
    TaskConfig,
    cancel_config,
    export_config,
    force_finalize_config,
    retry_config,
)
from scatter_pipelines.defs.resources import Pipeline, plain_failures
from scatter_pipelines.defs.runs import DagsterRuns
from scatter_pipelines.model.result import Task
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.export import export_folder
from scatter_pipelines.work.sweep import sweep


@dg.op(name="aggregate", out=dg.Out(dg.Nothing))
def aggregate_op(context: dg.OpExecutionContext, pipeline: Pipeline) -> None:
    """Ends stale claims, closes finished tasks and tells of it."""
    tick = aggregate(pipeline.runtime)
    announced = announce(pipeline.runtime, context.instance)
    _record_exports(context, pipeline, announced)
    context.log.info(f"{len(tick.swept)} claims swept, {len(tick.closed)} tasks closed, {len(announced)} announced.")


@dg.op(name="sweep", out=dg.Out(dg.Nothing))
def sweep_op(context: dg.OpExecutionContext, pipeline: Pipeline) -> None:
    """Repairs what dead runs left behind."""
    done = sweep(pipeline.runtime, DagsterRuns(context.instance))
    for claim in done.claims:
        context.log.warning(f"{claim.filename} (task {claim.task_id}) is {claim.status} again: {claim.message}")
    for run_id in done.failed_runs:
        context.log.warning(f"Run {run_id} gave no sign of life and was reported failed.")
    for task_id in done.stalled:
        context.log.error(f"Task {task_id} does not get on.")
    context.log.info(f"{len(done.claims)} claims, {len(done.leases)} leases, {len(done.failed_runs)} runs repaired.")


@dg.op(name="retry", out=dg.Out(dg.Nothing))
def retry_op(context: dg.OpExecutionContext, config: RetryConfig, pipeline: Pipeline) -> None:
    """Gives failed and cancelled documents a new life."""
    with plain_failures():
        task = operate.find_task(pipeline.runtime, config.task_id)
        rows = operate.retry(pipeline.runtime, task.id, config.code)
    context.log.info(f"{rows} documents of task {task.id} are tried again.")


@dg.op(name="cancel", out=dg.Out(dg.Nothing))
def cancel_op(context: dg.OpExecutionContext, config: TaskConfig, pipeline: Pipeline) -> None:
    """Cancels what is not done."""
    with plain_failures():
        task = operate.find_task(pipeline.runtime, config.task_id)
        rows = operate.cancel(pipeline.runtime, task.id)
    context.log.info(f"{rows} documents of task {task.id} were cancelled.")


@dg.op(name="finalize", out=dg.Out(dg.Nothing))
def finalize_op(context: dg.OpExecutionContext, config: ForceFinalizeConfig, pipeline: Pipeline) -> None:
    """Ends a task past every filter."""
    with plain_failures():
        task = operate.find_task(pipeline.runtime, config.task_id)
        rows, closing = operate.force_finalize(pipeline.runtime, task.id, config.reason)
    _record_exports(context, pipeline, announce(pipeline.runtime, context.instance))
    closed = f"closed as {closing.status}" if closing else "not closed: its rows do not add up"
    context.log.info(f"Task {task.id} is {closed}; {rows} documents were ended.")


@dg.op(name="export", out=dg.Out(dg.Nothing))
def export_op(context: dg.OpExecutionContext, config: ExportConfig, pipeline: Pipeline) -> None:
    """Writes a task's results to files."""
    with plain_failures():
        task = operate.find_task(pipeline.runtime, config.task_id)
        folder = Path(config.folder).expanduser() if config.folder else export_folder(pipeline.runtime, task.id)
        event = export_to(pipeline.runtime, task.id, config.formats, folder.absolute())
    register_task(context.instance, task.id)
    context.log_event(event)
    context.log.info(f"The results of task {task.id} were written to {folder.absolute()}.")


def _record_exports(context: dg.OpExecutionContext, pipeline: Pipeline, closed: Sequence[Task]) -> None:
    with plain_failures():
        for event in export_closings(pipeline.runtime, closed):
            context.log_event(event)


def _job(
    name: str, op: dg.OpDefinition, config: dg.ConfigMapping | None, executor: dg.ExecutorDefinition
) -> dg.JobDefinition:
    compose: Callable[[], None] = lambda: op()  # noqa: E731
    compose.__name__ = name
    description = op.description
    return dg.graph(name=name, description=description)(compose).to_job(config=config, executor_def=executor)


def build_jobs(executor: dg.ExecutorDefinition) -> dict[str, dg.JobDefinition]:
    """The jobs by name."""
    jobs = (
        _job("aggregate_tasks", aggregate_op, None, executor),
        _job("sweep_stale", sweep_op, None, executor),
        _job("retry_documents", retry_op, retry_config, executor),
        _job("cancel_task", cancel_op, cancel_config, executor),
        _job("force_finalize", finalize_op, force_finalize_config, executor),
        _job("export_results", export_op, export_config, executor),
    )
    return {job.name: job for job in jobs}
