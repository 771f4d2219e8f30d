"""Writing a task's results to a file."""

from pathlib import Path

from scatter_pipelines.export.formats import export_file
from scatter_pipelines.store import tasks
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import result_rows


def export_task(runtime: Runtime, task_id: str, format_name: str, path: Path) -> int:
    """How many results were written."""
    return export_file(result_rows(runtime, task_id), format_name, path, field_names(runtime, task_id))


def field_names(runtime: Runtime, task_id: str) -> list[str]:
    task = runtime.database.run(lambda connection: tasks.require(connection, task_id))
    return [field["name"] for field in task.template["fields"]]


def export_folder(runtime: Runtime, task_id: str) -> Path:
    """Where the exports of a task go by themselves."""
    return runtime.settings.home_path() / "exports" / task_id
