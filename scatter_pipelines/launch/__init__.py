"""The one door from the shell to Dagster: work on a task here, tell of closings, sweep, start the UI."""

from scatter_pipelines.launch.foreground import run_task
from scatter_pipelines.launch.instance import announce_closings, sweep_with_dagster
from scatter_pipelines.launch.ui import become_ui, check_port

__all__ = ["announce_closings", "become_ui", "check_port", "run_task", "sweep_with_dagster"]
