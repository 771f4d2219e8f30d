"""`store`: what submitting, claiming, aggregating, sweeping and dispatching cost where there are many rows."""

from scatter_pipelines_tests.benchmarks import store_claims, store_submit, store_ticks
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.rounds import Options


def run(options: Options) -> list[Measure]:
    return [*store_submit.run(options), *store_claims.run(options), *store_ticks.run(options)]
