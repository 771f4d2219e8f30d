"""Where a benchmark runs: a temporary home with an embedded server of its own, and the child processes it starts."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scatter_pipelines.store.embedded import ensure_server, stop_server

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE = "scatter_pipelines_tests.benchmarks"
KEPT = ("SCATTER_EXECUTOR",)
"""Settings from outside that may be compared; all others are the defaults."""


@contextmanager
def temporary_home() -> Iterator[Path]:
    """A folder with SCATTER_HOME and DAGSTER_HOME in it, in this process's environment; all gone at the end.

    Its server is there for the whole time, so that no competitor pays for its start.
    """
    before = dict(os.environ)
    folder = Path(tempfile.mkdtemp(prefix="scatter-bench-"))
    home, dagster_home = folder / "scatter", folder / "dagster"
    dagster_home.mkdir()
    shutil.copy(PROJECT / "dagster.yaml", dagster_home)
    _replace_settings({"SCATTER_HOME": str(home), "DAGSTER_HOME": str(dagster_home)})
    try:
        home.mkdir()
        ensure_server(home)
        yield folder
    finally:
        stop_server(home)
        _remove(folder)
        os.environ.clear()
        os.environ.update(before)


def _remove(folder: Path) -> None:
    """The server's guardian may still write its last file while the folder is deleted."""
    deadline = time.monotonic() + 5
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.1)


def _replace_settings(ours: dict[str, str]) -> None:
    for name in list(os.environ):
        if name.startswith(("SCATTER_", "DAGSTER_")) and name not in KEPT:
            del os.environ[name]
    os.environ.update(ours | {"SCATTER_EMBEDDED_GRACE_SECONDS": "1"})


def run_child(folder: Path, module: str, *arguments: object) -> Any:
    """What a module of this package prints as its last line, as JSON."""
    return run_json(folder, [sys.executable, "-m", f"{PACKAGE}.{module}", *map(str, arguments)])


def run_json(folder: Path, command: list[str]) -> Any:
    """What a command prints as its last line, as JSON. What it logs is shown only if it fails."""
    log = folder / "child.log"
    with log.open("wb") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=PROJECT, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[1:]} ended with {done.returncode}:\n{log.read_text(errors='replace')[-3000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
