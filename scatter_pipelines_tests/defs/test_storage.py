"""Dagster's storage on our server, as processes open it."""

import subprocess
import sys

PROCESSES = 4
OPEN = """
import sys
from scatter_pipelines.defs.storage import ScatterStorage
print("ready", flush=True)
sys.stdin.readline()
ScatterStorage.from_config_value(None, {})
"""


def test_processes_that_open_a_new_database_at_once_make_its_tables_once(environment: dict[str, str]) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    ends = [(process.communicate(timeout=90), process.returncode) for process in processes]
    assert ends == [(("", ""), 0)] * PROCESSES
