"""`peers`: what people would pick instead, with the same task that does nothing, beside the warm pool."""

import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.embedded import ensure_server
from scatter_pipelines_tests.benchmarks import executors
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.noop import WORKERS
from scatter_pipelines_tests.benchmarks.place import PROJECT, run_json
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured

PYTHON = PROJECT / ".venv-peers" / "bin" / "python"
SCRIPTS = Path(__file__).parent
COUNT, FEW = 1_000, 20
WARM, PREFECT = "warm_pool", "Prefect task.map on threads"


def run(options: Options) -> list[Measure]:
    if not PYTHON.exists():
        raise SystemExit("The peers are not installed; `make bench PEERS=1` does that.")
    count = FEW if options.small else COUNT
    competitors: dict[str, Callable[[], dict[str, Any]]] = {
        WARM: partial(warm_pool, options),
        PREFECT: partial(in_new_folder, options, "prefect_map.py", count),
        "Celery chord on Redis": partial(in_new_folder, options, "celery_chord.py", count),
        "procrastinate": partial(in_new_database, options, count),
    }
    return _measures(interleave(competitors, options.rounds), judge=not options.small)


def warm_pool(options: Options) -> dict[str, Any]:
    """As in `executors`: after a run of one document, in the same process."""
    runs = executors.timed(executors.warm_pool(options))
    return {"seconds": sum(run["wall"] for run in runs), "count": sum(run["count"] for run in runs)}


def in_new_folder(options: Options, script: str, count: int) -> Any:
    """Sockets of servers lie in the folder, so its name is short."""
    folder = options.folder / uuid.uuid4().hex[:6]
    folder.mkdir()
    return run_json(options.folder, [str(PYTHON), str(SCRIPTS / script), str(folder), str(count), str(WORKERS)])


def in_new_database(options: Options, count: int) -> Any:
    """On the server that the warm pool uses too."""
    server, name = ensure_server(load_settings().home_path()), f"peer_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = server.url(name, driver="")
    return run_json(
        options.folder, [str(PYTHON), str(SCRIPTS / "procrastinate_jobs.py"), url, str(count), str(WORKERS)]
    )


def _measures(results: dict[str, list[dict[str, Any]]], *, judge: bool) -> list[Measure]:
    walls = {
        name: measured(name, "ms/document", [1000 * one["seconds"] / one["count"] for one in rounds])
        for name, rounds in results.items()
    }
    recorded = [1000 * (one["seconds"] + one["more"]) / one["count"] for one in results[PREFECT]]
    walls[f"{PREFECT}, all recorded"] = measured(
        f"{PREFECT}, all recorded", "ms/document", recorded, "until its database has all task runs as completed"
    )
    warm = walls.pop(WARM)
    return [
        beside(warm, walls[PREFECT], 1, target="no slower", judge=judge),
        *(beside(wall, warm) for wall in walls.values()),
    ]
