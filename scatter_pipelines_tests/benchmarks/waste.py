"""`waste`: what each thing that the warm pool does not do would cost a document, were it done."""

from functools import partial

from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.place import run_child
from scatter_pipelines_tests.benchmarks.rounds import Options, beside, interleave, measured
from scatter_pipelines_tests.benchmarks.wasteful import WASTES

COUNT = 200


def run(options: Options) -> list[Measure]:
    count = 5 if options.small else COUNT
    competitors = {name: partial(run_child, options.folder, "wasteful", name, count) for name in WASTES}
    results = interleave(competitors, options.rounds)
    found = {
        (name, what): measured(
            f"{name}: {what}", "ms/document", [1000 * runs[-1][what] / runs[-1]["count"] for runs in rounds]
        )
        for name, rounds in results.items()
        for what in ("wall", "cpu", "database_cpu")
    }
    return [beside(one, found["as it is", what]) for (name, what), one in found.items()]
