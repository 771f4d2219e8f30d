"""Graphs in which nothing goes wrong: Dagster's own executor says what has to come of each."""

from collections.abc import Iterator

import dagster as dg


@dg.op(out=dg.DynamicOut(int), config_schema={"count": dg.Field(int, default_value=3)})
def numbers(context: dg.OpExecutionContext) -> Iterator[dg.DynamicOutput[int]]:
    for number in range(context.op_config["count"]):
        yield dg.DynamicOutput(number, mapping_key=f"n{number}")


@dg.op(out=dg.DynamicOut(int))
def nothing() -> Iterator[dg.DynamicOutput[int]]:
    yield from ()


@dg.op(out={"odd": dg.DynamicOut(int), "even": dg.DynamicOut(int)})
def sorted_numbers() -> Iterator[dg.DynamicOutput[int]]:
    for number in range(4):
        yield dg.DynamicOutput(number, mapping_key=f"n{number}", output_name="odd" if number % 2 else "even")


@dg.op
def double(number: int) -> int:
    return 2 * number


@dg.op
def increment(number: int) -> int:
    return number + 1


@dg.op
def multiply(number: int, factor: int) -> int:
    return number * factor


@dg.op
def total(context: dg.OpExecutionContext, parts: list[int]) -> int:
    context.add_output_metadata({"total": sum(parts)})
    return sum(parts)


@dg.op
def seven() -> int:
    return 7


@dg.op(out=dg.Out(int, is_required=False))
def odd_only(number: int) -> Iterator[dg.Output[int]]:
    if number % 2:
        yield dg.Output(number)


@dg.op(out={"left": dg.Out(int, is_required=False), "right": dg.Out(int, is_required=False)})
def fork_in_the_road() -> Iterator[dg.Output[int]]:
    yield dg.Output(1, "left")


@dg.op(out={"a": dg.Out(int), "b": dg.Out(str), "c": dg.Out(int, is_required=False)})
def several() -> Iterator[dg.Output[int | str]]:
    yield dg.Output("text", "b", metadata={"length": 4})
    yield dg.Output(1, "a")


@dg.op(config_schema={"words": [str]})
def configured(context: dg.OpExecutionContext) -> dg.Output[str]:
    return dg.Output(" ".join(context.op_config["words"]), metadata={"words": len(context.op_config["words"])})


@dg.op
def talkative(context: dg.OpExecutionContext, number: int) -> int:
    context.log.debug("a detail of %d", number)
    context.log.info(f"begun {number}")
    context.log.warning("strange")
    context.log.error("bad, but not too bad")
    return number


@dg.op(out=dg.Out(int))
def recorded(
    context: dg.OpExecutionContext, number: int
) -> Iterator[dg.AssetMaterialization | dg.AssetObservation | dg.Output[int]]:
    """Asks for what it has recorded, as soon as it has."""
    yield dg.AssetObservation("tests/source", metadata={"seen": number})
    yield dg.AssetMaterialization(["tests", "table", f"n{number}"], metadata={"rows": number}, partition=f"p{number}")
    latest = context.instance.get_latest_materialization_event(dg.AssetKey(["tests", "table", f"n{number}"]))
    yield dg.Output(number, metadata={"its own": bool(latest and latest.run_id == context.run_id)})


async def _later() -> int:
    return 9


@dg.op
async def awaited() -> int:
    return await _later()


@dg.op(ins={"start": dg.In(dg.Nothing)})
def afterwards() -> int:
    return 1


@dg.graph
def mapped() -> None:
    numbers().map(double)


@dg.graph
def mapped_twice() -> None:
    numbers().map(double).map(increment)


@dg.graph
def collected() -> None:
    total(numbers().map(double).map(talkative).collect())


@dg.graph
def collected_from_nothing() -> None:
    total(nothing().map(double).collect())


@dg.graph
def collected_from_some() -> None:
    some = numbers().map(odd_only)
    total(some.collect())
    total.alias("total_of_more")(some.map(increment).collect())


@dg.graph
def mapped_with_a_side_input() -> None:
    factor = seven()
    numbers().map(lambda number: multiply(number, factor))


@dg.graph
def mapped_from_two_outputs() -> None:
    odd, even = sorted_numbers()
    total(odd.map(double).collect())
    even.map(increment)


@dg.graph
def inner(number: int) -> int:
    return increment(double(number))


@dg.graph
def nested() -> None:
    total(numbers().map(inner).collect())


@dg.graph
def one() -> None:
    seven()


@dg.graph
def chain() -> None:
    afterwards(start=increment(double(seven())))


@dg.graph
def fan_in() -> None:
    total([seven(), double(seven()), awaited()])
    multiply(seven.alias("another")(), double.alias("other")(awaited.alias("awaited_too")()))


@dg.graph
def conditional() -> None:
    left, right = fork_in_the_road()
    increment.alias("after_left")(left)
    total([double.alias("after_right")(right), left])
    increment.alias("far_right")(increment.alias("further_right")(right))


@dg.graph
def outputs() -> None:
    a, _b, c = several()
    increment(a)
    double(c)
    configured()


@dg.graph
def assets() -> None:
    numbers().map(recorded)


GRAPHS: list[dg.GraphDefinition] = [
    mapped, mapped_twice, collected, collected_from_nothing, collected_from_some, mapped_with_a_side_input,
    mapped_from_two_outputs, nested, one, chain, fan_in, conditional, outputs, assets,
]  # fmt: skip
