"""On what the numbers were taken. No names of machines and no paths."""

import platform
import subprocess
from importlib.metadata import version
from typing import Any

import psutil

from scatter_pipelines.settings import load_settings
from scatter_pipelines_tests.benchmarks.clocks import cores
from scatter_pipelines_tests.benchmarks.database import server_version
from scatter_pipelines_tests.benchmarks.place import PROJECT


def machine_facts() -> dict[str, Any]:
    """Memory is in gigabytes; `changed` tells whether the work tree differs from the commit."""
    return {
        "cores": cores(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "dagster": version("dagster"),
        "postgresql": server_version(),
        "executor": load_settings().executor,
        "commit": _git("rev-parse", "--short=12", "HEAD"),
        "changed": _git("diff-index", "--name-only", "HEAD") not in ("", None),
    }


def _git(*arguments: str) -> str | None:
    """What git says, or None where there is no repository."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
