"""`growth`: what a document costs in small and large tasks, and how much memory a task takes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scatter_pipelines_tests.benchmarks import database
from scatter_pipelines_tests.benchmarks.material import make_notes
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.peaks import Peaks
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured
from scatter_pipelines_tests.benchmarks.shell import Command, scatter_run

SIZES, FEW = (100, 1_000, 10_000), (2, 4)
AT_MOST = 1.15
RESULTS = (
    "SELECT count(*), coalesce(sum(pg_column_size(r.*)), 0) FROM scatter.extraction_result r "
    "WHERE task_id = %s AND status = 'completed'"
)


@dataclass(frozen=True)
class Task:
    """One `scatter run` of `count` documents. Sizes in bytes, peaks in megabytes."""

    count: int
    command: Command
    events: dict[str, int]
    results: int
    result_bytes: int
    peaks: dict[str, float]


def run(options: Options) -> list[Measure]:
    sizes = FEW if options.small else SIZES
    sources = {size: make_notes(options.folder / f"notes-{size}", size) for size in sizes}
    competitors: dict[str, Callable[[], Task]] = {
        f"{size} documents": partial(one_task, options.folder, source, size) for size, source in sources.items()
    }
    results = list(interleave(competitors, options.rounds).values())
    judge = not options.small
    return [
        *_costs(results, "task", lambda task: task.command.task, judge=judge),
        *_costs(results, "command", lambda task: task.command.wall, judge=judge),
        *_costs(results, "CPU", lambda task: task.command.cpu, judge=judge),
        *(measure for tasks in results for measure in _sizes(tasks)),
        *(measure for tasks in results for measure in _peaks(tasks)),
    ]


def one_task(folder: Path, source: Path, count: int) -> Task:
    before, peaks = database.last_event(), Peaks()
    command = scatter_run(folder, source, peaks)
    completed, size = database.one_row(RESULTS, command.summary["task_id"])
    return Task(count, command, database.events_since(before), int(completed), int(size), peaks.megabytes)


def _costs(results: list[list[Task]], label: str, seconds: Callable[[Task], float], *, judge: bool) -> list[Measure]:
    """Milliseconds a document, each size beside the next smaller one; the target holds for the largest."""
    measures: list[Measure] = []
    for tasks in results:
        values = [1000 * seconds(task) / task.count for task in tasks]
        one = measured(f"{tasks[0].count:,} documents: {label}", "ms/document", values)
        at_most = AT_MOST if tasks is results[-1] else None
        measures.append(beside(one, measures[-1] if measures else None, at_most, judge=judge))
    return measures


def _sizes(tasks: list[Task]) -> list[Measure]:
    count = tasks[0].count
    name = f"{count:,} documents"
    return [
        measured(f"{name}: event rows", "rows/document", [task.events["rows"] / count for task in tasks]),
        measured(f"{name}: event bytes", "bytes/document", [task.events["bytes"] / count for task in tasks]),
        measured(f"{name}: results completed", "rows", [task.results for task in tasks]),
        measured(f"{name}: result bytes", "bytes/document", [task.result_bytes / count for task in tasks]),
    ]


def _peaks(tasks: list[Task]) -> list[Measure]:
    name = f"{tasks[0].count:,} documents: most memory of"
    roles = [role for role in tasks[0].peaks if all(role in task.peaks for task in tasks)]
    return [
        measured(f"{name} {role}", "MB", [task.peaks[role] for task in tasks], "shared memory counted once")
        for role in roles
    ]
