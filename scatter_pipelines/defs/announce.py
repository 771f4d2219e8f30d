"""What follows a closing: the assets' materialisation in Dagster, and the user's own command.

Happens at least once for each closing, by whoever comes first; who comes second finds it marked.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
from dagster import DagsterInstance

from scatter_pipelines.defs.assets import TASKS, exported_table, extraction_results, source_documents
from scatter_pipelines.model.result import Task
from scatter_pipelines.store import tasks
from scatter_pipelines.work.export import export_folder, export_task
from scatter_pipelines.work.notify import notify
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import details

FORMATS_ON_CLOSE = ("jsonl", "csv")


def register_task(instance: DagsterInstance, task_id: str) -> None:
    """Makes the task's partition, if it is not there."""
    instance.add_dynamic_partitions(str(TASKS.name), [task_id])


def announce(runtime: Runtime, instance: DagsterInstance) -> list[Task]:
    """Tells of every closing not told of yet; empty where somebody else is at it."""
    with runtime.database.transaction() as connection:
        if not tasks.try_announcing(connection):
            return []
        waiting = runtime.database.run(tasks.unannounced)
        for task in waiting:
            _tell(runtime, instance, task)
            runtime.database.run(partial(tasks.mark_announced, task_id=task.id, closing=task.closing))
        return waiting


def _tell(runtime: Runtime, instance: DagsterInstance, task: Task) -> None:
    register_task(instance, task.id)
    for event in closing_events(runtime, task):
        instance.report_runless_asset_event(event)
    closing: dict[str, str | int] = {
        "event": "closed",
        "task_id": task.id,
        "status": str(task.status),
        "closing": task.closing,
    }
    notify(runtime.settings, closing)


def export_closings(runtime: Runtime, closed: Sequence[Task]) -> list[dg.AssetMaterialization]:
    """Writes the exports of tasks that were closed without a sensor; the materialisations to record."""
    if not runtime.settings.export_on_close:
        return []
    return [export_to(runtime, task.id, FORMATS_ON_CLOSE, export_folder(runtime, task.id)) for task in closed]


def export_to(runtime: Runtime, task_id: str, formats: Sequence[str], folder: Path) -> dg.AssetMaterialization:
    """Writes a task's results in some formats; the materialisation to record."""
    paths = {name: str(folder / f"results.{name}") for name in formats}
    rows = 0
    for name, path in paths.items():
        rows = export_task(runtime, task_id, name, Path(path))
    return export_event(task_id, paths, rows)


def closing_events(runtime: Runtime, task: Task) -> list[dg.AssetMaterialization]:
    """The materialisations of one closing."""
    known = details(runtime, task.id)
    sources: dict[str, Any] = {
        "documents": task.expected_count,
        "sources": dg.MetadataValue.json(list(task.sources)),
        "template": task.template_name,
    }
    outcome: dict[str, Any] = {
        "status": task.status,
        "closing": task.closing,
        **{f"documents_{name}": count for name, count in known["counts"].items()},
        "documents_missing_required": known["documents_missing_required"],
        "duration_seconds": known["elapsed_seconds"],
        "pages": known["pages"],
        **_usage(known["usage"]),
        "errors": dg.MetadataValue.md(error_table(known["error_codes"])),
    }
    return [
        dg.AssetMaterialization(source_documents.key, metadata=sources, partition=task.id),
        dg.AssetMaterialization(extraction_results.key, metadata=outcome, partition=task.id),
    ]


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is not known, which Dagster has no value for."""
    return {name: float(value) if name == "cost_usd" else value for name, value in usage.items() if value is not None}


def error_table(codes: dict[str, int]) -> str:
    """Markdown: how often each code occurred."""
    if not codes:
        return "No document ended in an error."
    rows = "\n".join(f"| {code} | {count} |" for code, count in codes.items())
    return f"| code | documents |\n|---|---|\n{rows}"


def export_event(task_id: str, paths: dict[str, str], rows: int) -> dg.AssetMaterialization:
    """The materialisation of an export."""
    metadata: dict[str, Any] = {"rows": rows} | {name: dg.MetadataValue.path(path) for name, path in paths.items()}
    return dg.AssetMaterialization(exported_table.key, metadata=metadata, partition=task_id)
