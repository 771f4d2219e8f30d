"""The composition root: the only place where settings, resources and definitions meet."""

from importlib import import_module

import dagster as dg

from scatter_pipelines.defs.assets import ASSETS
from scatter_pipelines.defs.extract import build_extract_job
from scatter_pipelines.defs.jobs import build_jobs
from scatter_pipelines.defs.resources import Pipeline, ResultIds
from scatter_pipelines.defs.schedules import build_sweep_schedule
from scatter_pipelines.defs.sensors import build_sensors
from scatter_pipelines.executor import warm_pool_executor
from scatter_pipelines.settings import Settings, load_settings

MEGABYTE = 1024 * 1024


def extract_executor(settings: Settings) -> dg.ExecutorDefinition:
    """The executor that the settings name, as they want it."""
    if settings.llm_model:
        # Here, so that workers are born with it: importing openai takes each of them a second.
        import_module("scatter_pipelines.extraction.llm.endpoint").warm_up()
    if settings.executor == "in_process":
        return dg.in_process_executor
    if settings.executor == "multiprocess":
        return dg.multiprocess_executor.configured({"max_concurrent": settings.workers})
    return warm_pool_executor.configured(
        {
            "max_concurrent": settings.workers,
            "max_waiting": settings.waiting_count(),
            "grace_seconds": settings.hang_seconds,
            "memory_mb": max(1, settings.worker_memory // MEGABYTE),
            "recycle_steps": settings.recycle_documents,
            "recycle_mb": settings.recycle_memory // MEGABYTE,
            "hooks": "scatter_pipelines.defs.oversee:DocumentHooks",
        }
    )


def build_defs(settings: Settings) -> dg.Definitions:
    """Everything Dagster shows, bound to its resources. Connects to nothing."""
    extract_documents = build_extract_job(extract_executor(settings))
    jobs = build_jobs(dg.in_process_executor)
    return dg.Definitions(
        assets=ASSETS,
        jobs=[extract_documents, *jobs.values()],
        sensors=build_sensors(extract_documents, jobs["export_results"]),
        schedules=[build_sweep_schedule(jobs["sweep_stale"])],
        resources={"pipeline": Pipeline(), "result_ids": ResultIds()},
    )


defs = build_defs(load_settings())
