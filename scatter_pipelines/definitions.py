"""The composition root: the only place where settings, resources and definitions meet."""

import dagster as dg

from scatter_pipelines.defs.assets import ASSETS
from scatter_pipelines.defs.extract import build_extract_job
from scatter_pipelines.defs.jobs import build_jobs
from scatter_pipelines.defs.resources import Pipeline, ResultIds
from scatter_pipelines.defs.schedules import build_sweep_schedule
from scatter_pipelines.defs.sensors import build_sensors
from scatter_pipelines.settings import Settings, load_settings

EXECUTORS: dict[str, dg.ExecutorDefinition] = {
    "in_process": dg.in_process_executor,
    "multiprocess": dg.multiprocess_executor,
}


def build_defs(settings: Settings) -> dg.Definitions:
    """Everything Dagster shows, bound to its resources. Connects to nothing."""
    extract_documents = build_extract_job(EXECUTORS[settings.executor])
    jobs = build_jobs(dg.in_process_executor)
    return dg.Definitions(
        assets=ASSETS,
        jobs=[extract_documents, *jobs.values()],
        sensors=build_sensors(extract_documents, jobs["export_results"]),
        schedules=[build_sweep_schedule(jobs["sweep_stale"])],
        resources={"pipeline": Pipeline(), "result_ids": ResultIds()},
    )


defs = build_defs(load_settings())
