"""Graphs with something around their ops: resources, hooks, assets proper, priorities, a step launcher."""

import os
import signal
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.definitions.step_launcher import StepLauncher

from scatter_pipelines_tests.executor.failing import EAGER, by_policy_of_the_job
from scatter_pipelines_tests.executor.plain import double, increment, numbers, seven

FOLDER = {"folder": dg.Field(str)}


@dg.resource
def broken(_context: dg.InitResourceContext) -> object:
    raise ValueError("cannot be made")


@dg.resource(config_schema=FOLDER)
def second_try(context: dg.InitResourceContext) -> str:
    """Can be made if it was tried before."""
    tried = Path(context.resource_config["folder"]) / "tried"
    if not tried.exists():
        tried.touch()
        raise ValueError("not yet")
    return "made"


@dg.resource(config_schema=FOLDER)
def counted(context: dg.InitResourceContext) -> Iterator[str]:
    """Leaves a line when it is made and one when it is taken down."""
    lines = Path(context.resource_config["folder"]) / "counted"
    _add(lines, f"made {os.getpid()}")
    yield "counted"
    _add(lines, f"down {os.getpid()}")


@dg.resource(config_schema={"folder": dg.Field(str), "seconds": dg.Field(float)})
def slow_to_leave(context: dg.InitResourceContext) -> Iterator[str]:
    """Takes so long to be taken down, and leaves a line when it is."""
    yield "slow"
    time.sleep(context.resource_config["seconds"])
    _add(Path(context.resource_config["folder"]) / "down", f"{os.getpid()}")


@dg.resource
def stubborn(_context: dg.InitResourceContext) -> Iterator[str]:
    yield "stubborn"
    raise ValueError("will not be taken down")


def _add(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


@dg.op(required_resource_keys={"broken"})
def needs_broken() -> int:
    return 1


@dg.op(required_resource_keys={"second_try"}, retry_policy=EAGER)
def needs_second_try(context: dg.OpExecutionContext) -> dg.Output[str]:
    return dg.Output(context.resources.second_try, metadata={"retries": context.retry_number})


@dg.op(required_resource_keys={"counted"})
def needs_counted(number: int) -> dg.Output[int]:
    return dg.Output(number, metadata={"pid": os.getpid()})


@dg.op(required_resource_keys={"slow"})
def needs_slow(number: int) -> dg.Output[int]:
    return dg.Output(number, metadata={"pid": os.getpid()})


@dg.op(required_resource_keys={"stubborn"})
def needs_stubborn() -> int:
    return 1


@dg.graph
def with_stubborn_resource() -> None:
    increment(needs_stubborn())


@dg.graph
def without_resource() -> None:
    increment(needs_broken())


@dg.graph
def with_late_resource() -> None:
    needs_second_try()


@dg.graph
def with_counted_resource() -> None:
    numbers().map(needs_counted)


@dg.graph
def with_slow_resource() -> None:
    numbers().map(needs_slow)


@dg.success_hook
def cheer(context: dg.HookContext) -> None:
    context.log.info(f"{context.op.name} made it")


@dg.failure_hook
def mourn(context: dg.HookContext) -> None:
    context.log.info(f"{context.op.name} did not: {type(context.op_exception).__name__}")


@dg.success_hook
def stumble(context: dg.HookContext) -> None:
    raise ValueError("a hook fails")


@dg.success_hook
def take_along(context: dg.HookContext) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dg.op
def breaking() -> int:
    raise ValueError("broken")


@dg.op(retry_policy=EAGER)
def breaking_once(context: dg.OpExecutionContext) -> int:
    return 1 // context.retry_number


@dg.graph
def hooked() -> None:
    numbers().map(double)
    increment(breaking.with_hooks({cheer, mourn})())
    breaking_once.with_hooks({cheer, mourn})()
    seven.with_hooks({cheer, mourn, stumble})()


@dg.graph
def with_a_deadly_hook() -> None:
    double(seven.with_hooks({take_along})())


@dg.op(tags={"dagster/priority": "-1"})
def unimportant() -> int:
    return 1


@dg.op(tags={"dagster/priority": "5"})
def important() -> int:
    return 1


@dg.graph
def by_priority() -> None:
    unimportant()
    seven()
    important()


class NeverLaunches(StepLauncher):
    def launch_step(self, step_context: Any) -> Iterator[dg.DagsterEvent]:
        raise AssertionError("nobody should ask")


@dg.resource
def launcher(_context: dg.InitResourceContext) -> NeverLaunches:
    with warnings.catch_warnings():
        # Dagster advises against step launchers, too.
        warnings.simplefilter("ignore")
        return NeverLaunches()


@dg.op(required_resource_keys={"launcher"})
def launched_elsewhere() -> int:
    raise AssertionError("nobody should run this here")


@dg.op(required_resource_keys={"launcher"})
def launched_each(number: int) -> int:
    raise AssertionError("nobody should run this here")


@dg.graph
def launched() -> None:
    launched_elsewhere()


@dg.graph
def launched_later() -> None:
    numbers().map(launched_each)


@dg.asset(key_prefix="tests")
def upstream() -> dg.MaterializeResult:
    return dg.MaterializeResult(metadata={"rows": 3})


@dg.asset(key_prefix="tests", deps=[upstream], check_specs=[dg.AssetCheckSpec("is_big", asset=["tests", "downstream"])])
def downstream(context: dg.AssetExecutionContext):
    """Reads from the event log what the step before it has written there."""
    seen = context.instance.get_latest_materialization_event(dg.AssetKey(["tests", "upstream"]))
    rows = seen.asset_materialization.metadata["rows"].value if seen and seen.asset_materialization else -1
    return dg.MaterializeResult(
        metadata={"rows": rows}, check_results=[dg.AssetCheckResult(check_name="is_big", passed=rows > 2)]
    )


ASSETS = [upstream, downstream]
GRAPHS: list[tuple[dg.GraphDefinition, dict[str, Any]]] = [
    (without_resource, {"resource_defs": {"broken": broken}}),
    (with_late_resource, {"resource_defs": {"second_try": second_try}}),
    (with_counted_resource, {"resource_defs": {"counted": counted}}),
    (with_slow_resource, {"resource_defs": {"slow": slow_to_leave}}),
    (with_stubborn_resource, {"resource_defs": {"stubborn": stubborn}}),
    (hooked, {"hooks": {cheer}}),
    (with_a_deadly_hook, {}),
    (by_priority, {}),
    (launched, {"resource_defs": {"launcher": launcher}}),
    (launched_later, {"resource_defs": {"launcher": launcher}}),
    (by_policy_of_the_job, {"op_retry_policy": EAGER}),
]
