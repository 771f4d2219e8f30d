"""The schedule that sweeps: it looks each minute and starts a run only where something is to be repaired."""

import dagster as dg

from scatter_pipelines.defs.resources import Pipeline
from scatter_pipelines.defs.runs import DagsterRuns
from scatter_pipelines.work.sweep import survey


def build_sweep_schedule(sweep_stale: dg.JobDefinition) -> dg.ScheduleDefinition:
    @dg.schedule(job=sweep_stale, cron_schedule="* * * * *", default_status=dg.DefaultScheduleStatus.RUNNING)
    def sweep_schedule(context: dg.ScheduleEvaluationContext, pipeline: Pipeline) -> dg.RunRequest | dg.SkipReason:
        """Sweeps stale claims, leases and runs, and raises alerts."""
        found = survey(pipeline.runtime, DagsterRuns(context.instance))
        return dg.RunRequest() if found.needed else dg.SkipReason(f"Nothing to repair: {found.text()}.")

    return sweep_schedule
