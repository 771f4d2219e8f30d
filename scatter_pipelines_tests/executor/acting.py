"""Jobs whose steps do what the run's config tells them; the tests of faults and limits run these."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from scatter_pipelines_tests.executor.actions import act
from scatter_pipelines_tests.executor.place import Place

PLAN = {"folder": dg.Field(str), "steps": dg.Field(dict, default_value={})}
"""`steps`: mapping key to what the step does at its first attempt, its second, ...; the last goes on for ever."""


def _place(context: dg.OpExecutionContext, folder: str) -> Place:
    return Place(Path(folder), context.get_mapping_key() or context.op.name, context.retry_number)


@dg.op(out=dg.DynamicOut(dict), config_schema=PLAN)
def spread(context: dg.OpExecutionContext) -> Iterator[dg.DynamicOutput[dict[str, Any]]]:
    for key, actions in context.op_config["steps"].items():
        value = {"folder": context.op_config["folder"], "actions": actions}
        yield dg.DynamicOutput(value, mapping_key=key)


def _do(context: dg.OpExecutionContext, told: dict[str, Any]) -> dg.Output[str]:
    actions = told["actions"]
    seen = act(_place(context, told["folder"]), actions[min(context.retry_number, len(actions) - 1)])
    return dg.Output(context.get_mapping_key(), metadata=seen)


@dg.op
def do(context: dg.OpExecutionContext, told: dict) -> dg.Output[str]:
    """Once."""
    return _do(context, told)


@dg.op(retry_policy=dg.RetryPolicy(max_retries=2))
def do_again(context: dg.OpExecutionContext, told: dict) -> dg.Output[str]:
    """Up to three times."""
    return _do(context, told)


@dg.op(tags={"kind": "rare"})
def do_tagged(context: dg.OpExecutionContext, told: dict) -> dg.Output[str]:
    return _do(context, told)


@dg.op(pool="executor_tests")
def do_pooled(context: dg.OpExecutionContext, told: dict) -> dg.Output[str]:
    return _do(context, told)


@dg.op
def after(context: dg.OpExecutionContext, done: str) -> dg.Output[str]:
    return dg.Output(done)


@dg.graph
def once() -> None:
    spread().map(do).map(after)


@dg.graph
def again() -> None:
    spread().map(do_again)


@dg.graph
def tagged() -> None:
    spread().map(do_tagged)


@dg.graph
def pooled() -> None:
    spread().map(do_pooled)


ROUND = {"folder": dg.Field(str), "action": dg.Field(str)}


def _round(context: dg.OpExecutionContext) -> dg.Output[str]:
    seen = act(_place(context, context.op_config["folder"]), context.op_config["action"])
    return dg.Output(context.op.name, metadata=seen)


@dg.op(config_schema=ROUND, ins={"before": dg.In(dg.Nothing)})
def turn(context: dg.OpExecutionContext) -> dg.Output[str]:
    return _round(context)


@dg.graph
def rounds() -> None:
    """Two steps at once, one after them, two at once after that."""
    first = [turn.alias("first_a")(), turn.alias("first_b")()]
    middle = turn.alias("middle")(first)
    turn.alias("last_a")(middle)
    turn.alias("last_b")(middle)


@dg.op(out={"early": dg.Out(int), "late": dg.Out(int)})
def dying_between_outputs() -> Iterator[dg.Output[int]]:
    yield dg.Output(1, "early")
    os.kill(os.getpid(), signal.SIGKILL)
    yield dg.Output(2, "late")


@dg.op(retry_policy=dg.RetryPolicy(max_retries=1))
def dying_once(context: dg.OpExecutionContext) -> int:
    context.log.info("begun")
    if not context.retry_number:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1


@dg.op
def taking(number: int) -> int:
    return number


@dg.graph
def dying() -> None:
    early, late = dying_between_outputs()
    taking.alias("of_early")(early)
    taking.alias("of_late")(late)
    dying_once()


GRAPHS: list[dg.GraphDefinition] = [once, again, tagged, pooled, rounds, dying]
