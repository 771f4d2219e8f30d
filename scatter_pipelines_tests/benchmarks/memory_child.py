"""One run of the memory job: `python -m ...memory_child COUNT EARLY`.

Prints one line of JSON: bytes of the worker after EARLY documents and after COUNT.
"""

import json
import sys
from typing import Any

from dagster import DagsterInstance, execute_job

from scatter_pipelines_tests.benchmarks.execute import find_job
from scatter_pipelines_tests.benchmarks.memory_job import DOCUMENTS, RESIDENT

MODULE = "scatter_pipelines_tests.benchmarks.memory_job"


def main() -> None:
    count, early = int(sys.argv[1]), int(sys.argv[2])
    config = {"ops": {"numbers": {"config": {"count": count}}}}
    with (
        DagsterInstance.get() as instance,
        execute_job(find_job("read_papers", MODULE), instance, run_config=config, raise_on_error=True) as result,
    ):
        sizes = dict(_sizes(result.all_events))
    print(json.dumps({"early": sizes[early], "late": sizes[count]}))


def _sizes(events: Any) -> list[tuple[int, int]]:
    """Documents done and bytes, after each document."""
    found = [event.step_output_data.metadata for event in events if event.is_successful_output]
    return [(int(one[DOCUMENTS].value), int(one[RESIDENT].value)) for one in found if DOCUMENTS in one]


if __name__ == "__main__":
    main()
