"""Prefect's `task.map` on threads, in an environment of its own: `python prefect_map.py FOLDER COUNT`.

Its temporary server keeps its SQLite database, with a row a task run, in FOLDER, and ends with this process.
Threads are as many as Prefect wants by itself, which is faster than one a processor.
"""

import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

FOLDER, COUNT = Path(sys.argv[1]), int(sys.argv[2])
WARM_UP = 10
SETTLE_SECONDS = 300

os.environ |= {
    "PREFECT_HOME": str(FOLDER),
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_LEVEL": "ERROR",
}

from prefect import flow, task  # noqa: E402  its settings are read at import
from prefect.task_runners import ThreadPoolTaskRunner  # noqa: E402


@task
def do_nothing(number: int) -> int:
    return number


@flow(task_runner=ThreadPoolTaskRunner())
def do_all(count: int) -> float:
    """Seconds of the mapped tasks alone."""
    start = time.perf_counter()
    futures = do_nothing.map(range(count))
    futures.result()
    return time.perf_counter() - start


def recorded() -> int:
    """Task runs that the server has as completed."""
    with closing(sqlite3.connect(FOLDER / "prefect.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM task_run WHERE state_type = 'COMPLETED'").fetchone()[0])


def seconds_until_recorded(expected: int) -> float:
    """The server writes what happened a little later."""
    start = time.perf_counter()
    while recorded() < expected:
        if time.perf_counter() - start > SETTLE_SECONDS:
            raise TimeoutError(f"Prefect recorded {recorded()} of {expected} task runs in {SETTLE_SECONDS} s.")
        time.sleep(0.1)
    return time.perf_counter() - start


def main() -> None:
    do_all(WARM_UP)
    seconds_until_recorded(WARM_UP)
    seconds = do_all(COUNT)
    print(json.dumps({"seconds": seconds, "count": COUNT, "more": seconds_until_recorded(WARM_UP + COUNT)}))


if __name__ == "__main__":
    main()
