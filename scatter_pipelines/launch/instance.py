"""The Dagster instance as the shell reaches it, and what the shell has it told."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dagster import DagsterInstance

from scatter_pipelines.defs.announce import announce, export_closings
from scatter_pipelines.defs.runs import DagsterRuns
from scatter_pipelines.errors import UsageError
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.sweep import Sweep, sweep

PROJECT = Path(__file__).resolve().parents[2]


def dagster_home() -> Path:
    """The folder with `dagster.yaml`: DAGSTER_HOME, the current folder, or the project itself."""
    named = os.environ.get("DAGSTER_HOME")
    for folder in [Path(named)] if named else [Path.cwd(), PROJECT]:
        if (folder / "dagster.yaml").is_file():
            return folder.absolute()
    raise UsageError(
        "settings_invalid",
        f"There is no dagster.yaml in {named or Path.cwd()}: work in the project's folder or set DAGSTER_HOME to it.",
    )


def environment(runtime: Runtime) -> dict[str, str]:
    """What a child process needs to find the same instance and the same home."""
    return {
        **os.environ,
        "DAGSTER_HOME": str(dagster_home()),
        "SCATTER_HOME": str(runtime.settings.home_path()),
        "SCATTER_WORKERS": str(runtime.settings.workers),
    }


@contextmanager
def open_instance(runtime: Runtime) -> Iterator[DagsterInstance]:
    """The Dagster instance of this project."""
    os.environ.update(environment(runtime))
    with DagsterInstance.get() as instance:
        yield instance


def announce_closings(runtime: Runtime) -> int:
    """Records in Dagster what was closed, and writes its exports; how many tasks."""
    with open_instance(runtime) as instance:
        announced = announce(runtime, instance)
        for event in export_closings(runtime, announced):
            instance.report_runless_asset_event(event)
        return len(announced)


def sweep_with_dagster(runtime: Runtime) -> Sweep:
    """One sweep that also reports dead runs failed."""
    with open_instance(runtime) as instance:
        return sweep(runtime, DagsterRuns(instance))
