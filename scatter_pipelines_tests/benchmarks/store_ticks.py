"""What the aggregator, the sweeper and the dispatcher ask of a database of a million rows while workers write."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from scatter_pipelines.store import shards
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import counts_of
from scatter_pipelines.work.sweep import sweep
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.rounds import Options, interleave, measured
from scatter_pipelines_tests.benchmarks.store_claimers import writing
from scatter_pipelines_tests.benchmarks.store_load import Size, beat, dead_tuples, finish, loaded, writable
from scatter_pipelines_tests.work.fake_runs import FakeRuns

SIZE, FEW = Size(tasks=1_000, documents=1_000), Size(tasks=10, documents=100)
WRITERS = 2
WRITABLE = 100_000
CLOSABLE, FEW_CLOSABLE = 20, 2
MILLISECONDS = 100
SHARDS = 8


def run(options: Options) -> list[Measure]:
    size = FEW if options.small else SIZE
    with loaded(size), open_runtime() as runtime:
        beat()
        aggregate(runtime)
        ids = writable(size.tasks // 2, WRITABLE)
        with writing(ids, WRITERS):
            results = interleave(_competitors(runtime, FEW_CLOSABLE if options.small else CLOSABLE), options.rounds)
        dead = dead_tuples()
    note = f"wall time of the statements; {size.rows:,} rows, {dead:,} dead, {WRITERS} writers"
    measures = [measured(name, "ms", times, note) for name, times in results.items()]
    judged = [
        replace(one, target=f"under {MILLISECONDS} ms", met=None if options.small else one.value < MILLISECONDS)
        for one in measures[:2]
    ]
    return [*judged, *measures[2:]]


def _competitors(runtime: Runtime, closable: int) -> dict[str, Callable[[], float]]:
    def close() -> object:
        closed = aggregate(runtime).closed
        assert len(closed) == closable, f"{len(closed)} tasks were closed"
        return closed

    timed = partial(_milliseconds, runtime)
    return {
        "aggregator tick": lambda: timed(beat, lambda: aggregate(runtime)),
        "sweep": lambda: timed(beat, lambda: sweep(runtime, FakeRuns())),
        "dispatchable shards": lambda: timed(beat, lambda: _dispatchable(runtime)),
        f"aggregator tick that closes {closable}": lambda: timed(lambda: (beat(), finish(closable)), close),
        "counts of a task": lambda: timed(beat, lambda: counts_of(runtime, "load-00002")),
    }


def _dispatchable(runtime: Runtime) -> object:
    settings = runtime.settings
    return runtime.database.run(
        lambda c: shards.dispatchable(
            c, stale_seconds=settings.stale_seconds, dispatch_seconds=settings.dispatch_seconds, most=SHARDS
        )
    )


def _milliseconds(runtime: Runtime, before: Callable[[], object], work: Callable[[], object]) -> float:
    """Inside `database.run`: round trips, statements and commits."""
    before()
    spent, run_ = 0.0, runtime.database.run

    def timed(*arguments: Any, **more: Any) -> Any:
        nonlocal spent
        begun = time.perf_counter()
        try:
            return run_(*arguments, **more)
        finally:
            spent += time.perf_counter() - begun

    runtime.database.run = timed  # type: ignore[method-assign]
    try:
        work()
    finally:
        runtime.database.run = run_  # type: ignore[method-assign]
    return 1000 * spent
