"""`executors`: what one mapped step that does nothing costs on each executor, and in a bare pool."""

from collections.abc import Callable
from functools import partial
from typing import Any

from scatter_pipelines.settings import Settings
from scatter_pipelines_tests.benchmarks.execute import BARE
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.noop import executors
from scatter_pipelines_tests.benchmarks.place import run_child
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured

SPAWN, WARM = "multiprocess_spawn", "warm_pool"
TIMES_FASTER = 150
STOCK_COUNT, COUNT = 20, 1000

Runs = list[dict[str, Any]]


def run(options: Options) -> list[Measure]:
    results = interleave(competitors(options), options.rounds)
    walls = {name: per_document(name, rounds, "wall") for name, rounds in results.items()}
    measures = []
    for name, rounds in results.items():
        measures += [_wall(name, walls, options), *_others(name, rounds)]
    return measures


def competitors(options: Options) -> dict[str, Callable[[], Runs]]:
    """By name; each runs in a process of its own."""
    return {
        name: partial(run_child, options.folder, "execute", name, *_size(name, options)) for name in _names(options)
    }


def warm_pool(options: Options) -> Runs:
    """One round of the warm pool alone, for those who compare something else with it."""
    return run_child(options.folder, "execute", WARM, *_size(WARM, options))


def _names(options: Options) -> list[str]:
    """A quick look leaves out the executors whose first run alone takes seconds."""
    stock = [name for name in executors() if not (options.small and name.startswith("multiprocess"))]
    return [*stock, BARE]


def _size(name: str, options: Options) -> tuple[int, int]:
    """Documents of a run, and runs: runs as long as the project's shards, few steps where each starts a process."""
    if options.small:
        return 5, 1
    if name.startswith("multiprocess"):
        return STOCK_COUNT, 1
    shard = Settings().shard_size
    return shard, max(1, COUNT // shard)


def per_document(name: str, rounds: list[Runs], what: str) -> Measure:
    """Milliseconds of `what` a document, the run's fixed cost included."""
    label = {"wall": "wall", "cpu": "CPU", "database_cpu": "CPU of PostgreSQL"}[what]
    values = [each(timed(runs), what) for runs in rounds]
    counts = timed(rounds[0])
    return measured(f"{name}: {label}", "ms/document", values, f"{len(counts)} x {counts[0]['count']}")


def timed(runs: Runs) -> Runs:
    """The runs that count: those after the two of one document."""
    return runs[2:] or runs


def each(runs: Runs, what: str) -> float:
    """Milliseconds of `what` a document."""
    return 1000 * sum(run[what] for run in runs) / sum(run["count"] for run in runs)


def _wall(name: str, walls: dict[str, Measure], options: Options) -> Measure:
    if name != WARM:
        return beside(walls[name], walls.get(WARM))
    target = f"1/{TIMES_FASTER} of the other or less"
    return beside(walls[name], walls.get(SPAWN), 1 / TIMES_FASTER, target=target, judge=not options.small)


def _others(name: str, rounds: list[Runs]) -> list[Measure]:
    first = measured(f"{name}: first run of one", "s", [runs[0]["wall"] for runs in rounds], "imports and caches cold")
    second = measured(
        f"{name}: run of one", "s", [runs[:2][-1]["wall"] for runs in rounds], "what a run costs by itself"
    )
    measures = [per_document(name, rounds, "cpu"), first, second]
    if name == BARE:
        return measures
    return [
        *measures,
        per_document(name, rounds, "database_cpu"),
        measured(f"{name}: event rows", "rows/document", [_each_more(runs, "rows") for runs in rounds]),
        measured(f"{name}: event bytes", "bytes/document", [_each_more(runs, "bytes") for runs in rounds]),
    ]


def _each_more(runs: Runs, what: str) -> float:
    """What one more document adds: the difference between a run of many and one of a single document."""
    one, many = runs[:2][-1], runs[-1]
    if many["count"] == one["count"]:
        return float(many[what])
    return (many[what] - one[what]) / (many["count"] - one["count"])
