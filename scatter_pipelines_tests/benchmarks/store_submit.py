"""Submitting many small documents: time with and without looking at them, and memory a document.

As a program, `python -m ...store_submit FOLDER`: one submit. Prints one line of JSON: seconds of the whole and of
listing and hashing, and bytes of the most memory that the process had.
"""

import json
import resource
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from scatter_pipelines.work import submit as submitting
from scatter_pipelines.work.runtime import open_runtime
from scatter_pipelines.work.submit import Submission, submit
from scatter_pipelines_tests.benchmarks.material import make_notes
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.place import run_child
from scatter_pipelines_tests.benchmarks.rounds import Options, interleave, measured
from scatter_pipelines_tests.benchmarks.store_load import empty

SIZES, FEW = (5_000, 50_000), (50, 500)
SECONDS = 20
STATUS = Path("/proc/self/status")


def run(options: Options) -> list[Measure]:
    small, large = FEW if options.small else SIZES
    sources = {size: make_notes(options.folder / f"store-notes-{size}", size) for size in (small, large)}
    results = interleave(
        {f"submit {size}": partial(_one_submit, options.folder, source) for size, source in sources.items()},
        options.rounds,
    )
    few, many = results.values()
    name = f"submit of {large:,} documents"
    writing = measured(f"{name}, listing and hashing aside", "s", [one["whole"] - one["listing"] for one in many])
    grown = [(more["peak"] - less["peak"]) / (large - small) for less, more in zip(few, many, strict=True)]
    return [
        measured(name, "s", [one["whole"] for one in many]),
        measured(f"{name}, listing and hashing", "s", [one["listing"] for one in many]),
        replace(
            writing, target=f"under {SECONDS} s", met=None if options.small else writing.value < SECONDS
        ),
        measured(f"memory of a submit, {large:,} against {small:,}", "bytes/document", grown, "peak of the process"),
    ]  # fmt: skip


def _one_submit(folder: Path, source: Path) -> Any:
    done = run_child(folder, "store_submit", source)
    empty()
    return done


def main() -> None:
    listing = 0.0
    list_documents = submitting.list_documents

    def timed(*arguments: Any, **more: Any) -> Any:
        nonlocal listing
        begun = time.perf_counter()
        found = list_documents(*arguments, **more)
        listing = time.perf_counter() - begun
        return found

    submitting.list_documents = timed  # type: ignore[attr-defined]
    with open_runtime() as runtime:
        begun = time.perf_counter()
        submit(runtime, Submission([sys.argv[1]]))
        whole = time.perf_counter() - begun
    print(json.dumps({"whole": whole, "listing": listing, "peak": peak_memory()}))


def peak_memory() -> int:
    """Of this program alone; what `getrusage` says may be of the one that started it."""
    if STATUS.exists():
        lines = STATUS.read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
