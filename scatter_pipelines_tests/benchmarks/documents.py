"""`documents`: real documents through `scatter run`, beside the same functions in a bare pool of as many processes."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from scatter_pipelines.settings import load_settings
from scatter_pipelines_tests.benchmarks.material import make_long_papers
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.place import PACKAGE
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured
from scatter_pipelines_tests.benchmarks.shell import Command, scatter_run, timed

DOCUMENTS, FEW = 60, 3
AT_MOST = 1.25


@dataclass(frozen=True)
class Pool:
    """Seconds of the whole command and its CPU, and what the pool says of itself."""

    wall: float
    cpu: float
    said: dict[str, Any]


def run(options: Options) -> list[Measure]:
    source = options.documents or make_long_papers(options.folder / "papers", FEW if options.small else DOCUMENTS)
    competitors: dict[str, Callable[[], Any]] = {
        "scatter run": partial(scatter_run, options.folder, source),
        "bare pool": partial(plain_pool, options.folder, source),
    }
    results = interleave(competitors, options.rounds)
    pools: list[Pool] = results["bare pool"]
    commands: list[Command] = results["scatter run"]
    return [*_pool_measures(pools), *_scatter_measures(commands, pools, judge=not options.small)]


def plain_pool(folder: Path, source: Path) -> Pool:
    """One round of the bare pool, with as many processes as a run has workers."""
    output, errors = folder / "pool.out", folder / "pool.err"
    workers = str(load_settings().worker_count())
    command = [sys.executable, "-m", f"{PACKAGE}.plain_pool", str(source), workers]
    wall, cpu, status = timed(command, output, errors, lambda pid: None)
    if status:
        raise RuntimeError(f"The bare pool ended with {status}:\n{errors.read_text(errors='replace')[-3000:]}")
    return Pool(wall, cpu, json.loads(output.read_text(encoding="utf-8")))


def _pool_measures(pools: list[Pool]) -> list[Measure]:
    said = pools[0].said
    note = f"{said['documents']} documents, {said['pages']} pages, {said['errors']} in error"
    return [
        measured("bare pool: work", "s", [pool.said["work"] for pool in pools], note),
        measured("bare pool: start", "s", [pool.said["start"] for pool in pools], "until its processes are ready"),
        measured("bare pool: command", "s", [pool.wall for pool in pools], "with imports and the listing"),
        measured("bare pool: CPU", "s", [pool.cpu for pool in pools]),
    ]


def _scatter_measures(commands: list[Command], pools: list[Pool], *, judge: bool) -> list[Measure]:
    work, _start, command, cpu = _pool_measures(pools)
    counts = ", ".join(f"{count} {name}" for name, count in commands[0].summary["counts"].items() if count)
    return [
        beside(measured("scatter run: task", "s", [one.task for one in commands], counts), work, AT_MOST, judge=judge),
        beside(measured("scatter run: command", "s", [one.wall for one in commands]), command),
        beside(measured("scatter run: CPU", "s", [one.cpu for one in commands]), cpu),
    ]
