"""`calls`: documents that wait for an LLM endpoint, beside the most that its slots allow."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from scatter_pipelines_tests.benchmarks import database
from scatter_pipelines_tests.benchmarks.material import make_notes
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.peaks import Peaks
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured
from scatter_pipelines_tests.benchmarks.shell import Command, scatter_run
from scatter_pipelines_tests.llm.running import Endpoint, standing_in

SLOTS, SECONDS, DOCUMENTS = 50, 2.0, 1_000
FEW_SLOTS, SHORT, FEW = 3, 0.1, 6
AT_LEAST = 20.0
"""Documents a second; with 50 slots and calls of 2 seconds no more than 25 are possible."""
TEMPLATE = """\
name: calls
version: 1
fields:
  - {name: patients, type: integer, description: How many patients were enrolled.}
"""
CALLS = """
    -- seconds from the first call to the end of the last, and how many calls there were
    SELECT extract(epoch FROM max(ended_at) - min(started_at))::float8, count(*)
      FROM scatter.llm_call WHERE task_id = %s
"""


@dataclass(frozen=True)
class Task:
    """One `scatter run`. `in_flight`: the most calls that the endpoint saw at once."""

    command: Command
    asked: int
    seconds: float
    in_flight: int
    peaks: dict[str, float]


def run(options: Options) -> list[Measure]:
    slots, seconds, count = (FEW_SLOTS, SHORT, FEW) if options.small else (SLOTS, SECONDS, DOCUMENTS)
    source = make_notes(options.folder / "asked", count)
    template = options.folder / "calls.yaml"
    template.write_text(TEMPLATE, encoding="utf-8")
    compete: dict[str, Callable[[], Task]] = {
        f"{slots} slots": partial(one_task, options.folder, source, template, slots, seconds)
    }
    tasks = interleave(compete, options.rounds)[f"{slots} slots"]
    return _measures(tasks, count, slots, seconds, judge=not options.small)


def one_task(folder: Path, source: Path, template: Path, slots: int, seconds: float) -> Task:
    with standing_in(folder / f"endpoint-{os.urandom(4).hex()}") as endpoint, asking(endpoint, slots):
        endpoint.reads(patients=r"enrolled (\d+) patients")
        endpoint.takes(seconds)
        peaks = Peaks()
        options = ("--template", str(template), "--engine", "llm", "--no-cache")
        command = scatter_run(folder, source, peaks, options)
        spent, asked = database.one_row(CALLS, command.summary["task_id"])
        return Task(command, int(asked), float(spent), endpoint.most_in_flight(), peaks.megabytes)


@contextmanager
def asking(endpoint: Endpoint, slots: int) -> Iterator[None]:
    """The settings of the commands below, in this process's environment."""
    ours = {"BASE_URL": endpoint.url, "MODEL": "stand-in", "SLOTS": slots, "INPUT_USD": 1, "OUTPUT_USD": 1}
    names = {f"SCATTER_LLM_{name}": str(value) for name, value in ours.items()}
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]


def _measures(tasks: list[Task], count: int, slots: int, seconds: float, *, judge: bool) -> list[Measure]:
    note = f"{count} documents, calls of {seconds:g} s"
    most = measured("slots / seconds of a call", "documents/s", [slots / seconds for _ in tasks], "the most possible")
    rate = measured("calls answered", "documents/s", [task.asked / task.seconds for task in tasks], note)
    whole = measured("task, from submit to closing", "documents/s", [count / task.command.task for task in tasks])
    return [
        most,
        replace(beside(rate, most, target=f"at least {AT_LEAST:g}"), met=rate.value >= AT_LEAST if judge else None),
        beside(whole, most),
        measured("calls at once", "calls", [task.in_flight for task in tasks], f"the most of {slots} slots"),
        measured("CPU", "ms/document", [1000 * task.command.cpu / count for task in tasks]),
        *(
            measured(f"most memory of {role}", "MB", [task.peaks[role] for task in tasks], "shared memory counted once")
            for role in tasks[0].peaks if all(role in task.peaks for task in tasks)
        ),
    ]  # fmt: skip
