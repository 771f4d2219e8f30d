"""What follows a closing: the assets' materialisation in Dagster, and the user's own command.

Happens at least once for each closing, by whoever comes first; who comes second finds it marked.
"""

from functools import partial
from typing import Any

import dagster as dg
from dagster import DagsterInstance

from scatter_pipelines.defs.assets import TASKS, exported_table, extraction_results, source_documents
from scatter_pipelines.model.result import Task
from scatter_pipelines.store import tasks
from scatter_pipelines.work.notify import notify
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import details


def register_task(instance: DagsterInstance, task_id: str) -> None:
    """Makes the task's partition, if it is not there."""
    instance.add_dynamic_partitions(str(TASKS.name), [task_id])


def announce(runtime: Runtime, instance: DagsterInstance) -> list[Task]:
    """Tells of every closing not told of yet."""
    waiting = runtime.database.run(tasks.unannounced)
    for task in waiting:
        register_task(instance, task.id)
        for event in closing_events(runtime, task):
            instance.report_runless_asset_event(event)
        notify(
            runtime.settings,
            {"event": "closed", "task_id": task.id, "status": task.status, "closing": task.closing},
        )
        runtime.database.run(partial(tasks.mark_announced, task_id=task.id, closing=task.closing))
    return waiting


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
        "cost_usd": float(known["usage"]["cost_usd"]),
        "errors": dg.MetadataValue.md(error_table(known["error_codes"])),
    }
    return [
        dg.AssetMaterialization(source_documents.key, metadata=sources, partition=task.id),
        dg.AssetMaterialization(extraction_results.key, metadata=outcome, partition=task.id),
    ]


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
