"""procrastinate's jobs on PostgreSQL, in an environment of its own: `python procrastinate_jobs.py URL COUNT WORKERS`.

URL names a database of its own; WORKERS processes work on it. With `work` for WORKERS it is one of those. What is left
is a row a job and two rows of events, in that database.
"""

import json
import os
import subprocess
import sys
import time

import procrastinate
import psycopg

URL = sys.argv[1]
WARM_UP = 10
PATIENCE = 600
CONCURRENCY = 10
"""Jobs at once in each process: faster than one."""

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=URL))


@app.task(name="do_nothing")
async def do_nothing(number: int) -> int:
    return number


def run_jobs(count: int) -> float:
    """Seconds from the first job's submit to the last one's end."""
    start = time.perf_counter()
    do_nothing.batch_defer(*({"number": number} for number in range(count)))
    wait_until_done()
    return time.perf_counter() - start


def wait_until_done() -> None:
    deadline = time.monotonic() + PATIENCE
    with psycopg.connect(URL, autocommit=True) as connection:
        while connection.execute(
            "SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE status IN ('todo', 'doing'))"
        ).fetchone() != (False,):
            if time.monotonic() > deadline:
                raise TimeoutError("The jobs were not done in time.")
            time.sleep(0.01)


def main() -> None:
    count = int(sys.argv[2])
    command = [sys.executable, __file__, URL, "0", "work"]
    with app.open():
        app.schema_manager.apply_schema()
        workers = [subprocess.Popen(command, stdout=sys.stderr, env=os.environ) for _ in range(int(sys.argv[3]))]
        try:
            run_jobs(WARM_UP * len(workers))
            print(json.dumps({"seconds": run_jobs(count), "count": count}))
        finally:
            for worker in workers:
                worker.terminate()
                worker.wait()


if __name__ == "__main__":
    if sys.argv[3] == "work":
        app.run_worker(concurrency=CONCURRENCY, fetch_job_polling_interval=0.05)
    else:
        main()
