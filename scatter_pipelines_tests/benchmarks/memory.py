"""The last part of `growth`: whether a worker grows with the documents it has done, when it is never replaced."""

import os

from scatter_pipelines_tests.benchmarks.material import make_small_papers
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.memory_job import FOLDER_VARIABLE
from scatter_pipelines_tests.benchmarks.place import run_child
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured

PAPERS = 100
EARLY, LATE = 100, 1_000
AT_MOST = 1.1
MEGABYTE = 1024 * 1024


def run(options: Options) -> list[Measure]:
    early, late, papers = (2, 4, 2) if options.small else (EARLY, LATE, PAPERS)
    os.environ[FOLDER_VARIABLE] = str(make_small_papers(options.folder / "small-papers", papers))
    compete = {"one worker": lambda: run_child(options.folder, "memory_child", late, early)}
    rounds = interleave(compete, options.rounds)["one worker"]
    before = measured(f"worker after {early:,} documents", "MB", [one["early"] / MEGABYTE for one in rounds])
    after = measured(f"worker after {late:,} documents", "MB", [one["late"] / MEGABYTE for one in rounds])
    return [before, beside(after, before, AT_MOST, judge=not options.small)]
