"""Graphs in which steps fail by themselves or are tried again; Dagster's own executor says what has to come of each."""

from collections.abc import Iterator

import dagster as dg

from scatter_pipelines_tests.executor.actions import HasALock, Unspeakable
from scatter_pipelines_tests.executor.plain import double, increment, numbers, seven, total


@dg.op
def failing(number: int) -> int:
    try:
        raise KeyError("the cause")
    except KeyError as cause:
        raise ValueError(f"{number} is of no use") from cause


@dg.op
def failing_at_one(number: int) -> int:
    if number == 1:
        raise ValueError("one of them fails")
    return number


@dg.op
def failing_in_the_first_run(context: dg.OpExecutionContext, number: int) -> int:
    if number == 1 and context.run.parent_run_id is None:
        raise ValueError("not in this run")
    return number


@dg.op
def failing_for_good() -> int:
    raise dg.Failure("no", metadata={"why": "because"}, allow_retries=False)


@dg.op
def failing_unpicklably() -> int:
    raise HasALock("nobody can copy me")


@dg.op
def failing_unspeakably() -> int:
    raise Unspeakable


@dg.op
def leaving() -> int:
    raise SystemExit(3)


@dg.op(out=dg.Out(int))
def of_the_wrong_type() -> str:  # type: ignore[misc]
    return "not a number"


@dg.op(out=dg.Out(int))
def forgetful() -> Iterator[dg.Output[int]]:
    yield from ()


@dg.op
def retried(context: dg.OpExecutionContext) -> int:
    """Succeeds at the third try."""
    if context.retry_number < 2:
        raise dg.RetryRequested(max_retries=2)
    return context.retry_number


@dg.op
def retried_later() -> int:
    raise dg.RetryRequested(max_retries=1, seconds_to_wait=0.2) from ValueError("why")


@dg.op
def failing_once(context: dg.OpExecutionContext) -> int:
    if not context.retry_number:
        raise ValueError("at first")
    return context.retry_number


@dg.graph
def wrongs() -> None:
    """Many ways to fail, each with what depends on it, and one that does not fail."""
    increment.alias("last")(increment.alias("next")(failing(seven())))
    failing_for_good()
    failing_unpicklably()
    failing_unspeakably()
    leaving()
    double(of_the_wrong_type())
    increment(forgetful())
    seven.alias("good")()


@dg.graph
def failed_branch() -> None:
    branches = numbers().map(failing_at_one).map(increment)
    total(branches.collect())
    double(seven())


@dg.graph
def better_next_time() -> None:
    total(numbers().map(failing_in_the_first_run).map(increment).collect())
    double(seven())


@dg.graph
def requested() -> None:
    increment(retried())
    double(retried_later())


EAGER = dg.RetryPolicy(max_retries=2, delay=0.05, backoff=dg.Backoff.EXPONENTIAL)


@dg.graph
def by_policy() -> None:
    increment(failing_once.with_retry_policy(EAGER)())
    double(failing.with_retry_policy(EAGER)(seven()))
    failing_for_good.with_retry_policy(EAGER)()


@dg.graph
def by_policy_of_the_job() -> None:
    numbers().map(failing_at_one)
    failing_once()


GRAPHS: list[dg.GraphDefinition] = [wrongs, failed_branch, better_next_time, requested, by_policy]
