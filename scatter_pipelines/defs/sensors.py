"""The sensors: dispatch shards, close tasks, watch the inbox. A tick is one call of `work`, safe twice at once."""

from collections.abc import Iterator

import dagster as dg

from scatter_pipelines.defs.announce import announce, register_task
from scatter_pipelines.defs.resources import Pipeline, usage_text
from scatter_pipelines.defs.runs import DagsterRuns, dispatch_request
from scatter_pipelines.errors import UsageError
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.dispatch import dispatch
from scatter_pipelines.work.inbox import take_inbox
from scatter_pipelines.work.status import recently_closed

INTERVAL_SECONDS = 5
RUNNING = dg.DefaultSensorStatus.RUNNING


def build_sensors(extract_documents: dg.JobDefinition, export_results: dg.JobDefinition) -> list[dg.SensorDefinition]:
    @dg.sensor(job=extract_documents, minimum_interval_seconds=INTERVAL_SECONDS, default_status=RUNNING)
    def dispatch_sensor(
        context: dg.SensorEvaluationContext, pipeline: Pipeline
    ) -> Iterator[dg.RunRequest | dg.SkipReason]:
        """One run for each shard that has due documents and that nobody works on."""
        opened = dispatch(pipeline.runtime, DagsterRuns(context.instance))
        if not opened:
            yield dg.SkipReason("No shard is due that is not at work or queued already.")
        for shard in opened:
            register_task(context.instance, shard.task_id)
            yield dispatch_request(shard.task_id, shard.shard, shard.round)

    @dg.sensor(job=export_results, minimum_interval_seconds=INTERVAL_SECONDS, default_status=RUNNING)
    def aggregator_sensor(
        context: dg.SensorEvaluationContext, pipeline: Pipeline
    ) -> Iterator[dg.RunRequest | dg.SkipReason]:
        """Ends stale claims, closes finished tasks, tells of it, and has their results exported."""
        tick = aggregate(pipeline.runtime)
        announced = announce(pipeline.runtime, context.instance)
        exports = recently_closed(pipeline.runtime) if pipeline.runtime.settings.export_on_close else []
        if not exports:
            yield dg.SkipReason(
                f"{len(tick.swept)} claims swept, {len(tick.closed)} tasks closed, {len(announced)} announced."
            )
        for task in exports:
            # Asked for again in every tick for a while: a tick that dies loses no export, and the key lets it run once.
            yield dg.RunRequest(run_key=f"{task.id}:{task.closing}", run_config={"task_id": task.id})

    @dg.sensor(minimum_interval_seconds=INTERVAL_SECONDS, default_status=RUNNING, job=extract_documents)
    def inbox_sensor(context: dg.SensorEvaluationContext, pipeline: Pipeline) -> dg.SkipReason:
        """Submits what has settled in the inbox; the dispatch sensor sees to the rest."""
        try:
            task = take_inbox(pipeline.runtime)
        except UsageError as error:
            return dg.SkipReason(usage_text(error))
        if task is None:
            return dg.SkipReason(f"Nothing new has settled in {pipeline.runtime.settings.inbox_path()}.")
        register_task(context.instance, task.id)
        return dg.SkipReason(f"Task {task.id} was made of {task.expected_count} documents.")

    return [dispatch_sensor, aggregator_sensor, inbox_sensor]
