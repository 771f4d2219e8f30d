"""The same mapped step that does nothing, as one job for each Dagster executor."""

from collections.abc import Iterator

import dagster as dg

WORKERS = 2
"""Steps at once, with every executor that has a say in it."""


class Numbers(dg.IOManager):
    """Writes nothing: the number is the end of its mapping key, as the ids of the project's own job are."""

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        """The number is in the key already."""

    def load_input(self, context: dg.InputContext) -> int:
        upstream = context.upstream_output
        if upstream is None or upstream.mapping_key is None:
            raise RuntimeError("A number comes from a mapped output alone.")
        return int(upstream.mapping_key.rpartition("_")[2])


def do_nothing(number: int) -> int:
    """The work of one document in every competitor."""
    return number


class Count(dg.Config):
    count: int


@dg.op(out=dg.DynamicOut(int, io_manager_key="numbers_io"))
def numbers(config: Count) -> Iterator[dg.DynamicOutput[int]]:
    for number in range(config.count):
        yield dg.DynamicOutput(number, mapping_key=f"document_{number}")


@dg.op(ins={"number": dg.In(int, input_manager_key="numbers_io")}, out=dg.Out(dg.Nothing))
def nothing(number: int) -> None:
    do_nothing(number)


@dg.graph
def scatter_nothing() -> None:
    numbers().map(nothing)


def executors() -> dict[str, dg.ExecutorDefinition]:
    """By the name of their job; without the warm pool where the package does not have it."""
    found = {"in_process": dg.in_process_executor} | {
        f"multiprocess_{method}": dg.multiprocess_executor.configured(
            {"max_concurrent": WORKERS, "start_method": {method: {}}}, name=f"multiprocess_{method}"
        )
        for method in ("spawn", "forkserver")
    }
    try:
        from scatter_pipelines.executor import warm_pool_executor
    except ImportError:
        return found
    return {"warm_pool": warm_pool_executor.configured({"max_concurrent": WORKERS}, name="warm_pool_of_two"), **found}


defs = dg.Definitions(
    jobs=[scatter_nothing.to_job(name=name, executor_def=executor) for name, executor in executors().items()],
    resources={"numbers_io": Numbers()},
)
