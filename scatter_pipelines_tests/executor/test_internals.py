"""The parts of Dagster that are not public but that the executor stands on: what fails here says which one changed."""

import inspect
import logging
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterInstance
from dagster._core.execution.retries import RetryMode

from scatter_pipelines.executor import internals
from scatter_pipelines.executor.plans import StepOrder, known_of_step, plan_of_step


@dg.op(out=dg.DynamicOut(int))
def numbers() -> Any:
    yield dg.DynamicOutput(1, mapping_key="one")
    yield dg.DynamicOutput(2, mapping_key="two")


@dg.op
def double(number: int) -> int:
    return number * 2


@dg.op
def total(parts: list[int]) -> int:
    return sum(parts)


@dg.job
def sums() -> None:
    total(numbers().map(double).map(double.alias("again")).collect())


def _plan() -> Any:
    from dagster._core.execution.api import create_execution_plan

    return create_execution_plan(sums)


def test_every_name_is_still_there() -> None:
    assert [name for name in internals.__all__ if not hasattr(internals, name)] == []


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (
            internals.ActiveExecution.__init__,
            ["execution_plan", "retry_mode", "tag_concurrency_limits", "instance_concurrency_context"],
        ),
        (
            internals.PlanExecutionContextManager.__init__,
            ["job", "execution_plan", "run_config", "dagster_run", "instance", "retry_mode"],
        ),
        (
            internals.PlanExecutionContext.__init__,
            ["plan_data", "execution_data", "log_manager", "output_capture", "event_loop"],
        ),
        (internals.PlanExecutionContext.for_step, ["step", "known_state"]),
        (internals.dagster_event_sequence_for_step, ["step_context"]),
        (internals.trigger_hook, ["step_context", "step_event_list"]),
        (internals.Executor.log_failure_or_retry_event_after_error, ["step_context", "err_info", "known_state"]),
        (internals.DagsterEvent.capture_logs, ["job_context", "step_keys", "log_key", "log_context"]),
        (internals.DagsterEvent.step_retry_event, ["step_context", "step_retry_data"]),
        (internals.DagsterEvent.step_failure_event, ["step_context", "step_failure_data"]),
        (internals.ActiveExecution.get_steps_to_execute, ["limit"]),
        (internals.ActiveExecution.handle_event, ["dagster_event"]),
        (internals.ActiveExecution.verify_complete, ["job_context", "step_key"]),
        (internals.ActiveExecution.plan_events_iterator, ["job_context"]),
        (internals.ActiveExecution.concurrency_event_iterator, ["plan_context"]),
        (internals.ActiveExecution.mark_interrupted, []),
        (internals.ActiveExecution.get_step_by_key, ["step_key"]),
        (internals.EngineEventData.multiprocess, ["pid"]),
        (internals.EngineEventData.interrupted, ["steps_interrupted"]),
        (internals.EngineEventData.engine_error, ["error"]),
        (DagsterInstance.handle_new_event, ["event", "batch_metadata"]),
        (DagsterInstance.should_store_event, ["event"]),
    ],
    ids=lambda value: value.__qualname__ if callable(value) else None,
)
def test_it_still_takes_what_it_is_given(function: Any, wanted: list[str]) -> None:
    assert set(wanted) <= set(inspect.signature(function).parameters)


def test_the_state_machine_still_has_what_is_asked_of_it() -> None:
    with internals.ActiveExecution(_plan(), retry_mode=RetryMode.ENABLED) as active:
        (first,) = active.get_steps_to_execute(limit=8)
        assert (first.key, active._in_flight, active.is_complete) == ("numbers", {"numbers"}, False)
        assert active.sleep_interval() <= 0
        assert active.check_for_interrupts() is False
        assert active.get_known_state().ready_outputs == set()
        active.mark_failed("numbers")
        list(active.get_steps_to_abandon())
        for key in sorted(active._in_flight):
            active.mark_abandoned(key)
        active._pending.clear()


def test_a_plan_is_still_a_tuple_that_a_step_can_be_put_into() -> None:
    plan = _plan()
    order = StepOrder("again[two]", internals.KnownExecutionState(), None)
    alone, step = plan_of_step(plan, order)
    assert step.key == "again[two]" and alone.step_keys_to_execute == ["again[two]"]
    assert {"double[two]", "again[two]"} <= set(alone.step_dict_by_key)
    assert "again[two]" not in plan.step_dict_by_key, "the plan that all steps share is left alone"


def test_a_collecting_step_is_still_made_of_its_mapping_keys() -> None:
    known = internals.KnownExecutionState(dynamic_mappings={"numbers": {"result": ["one", "two"]}})
    _alone, step = plan_of_step(_plan(), StepOrder("total", known, None))
    assert step.get_execution_dependency_keys() == {"again[one]", "again[two]"}


def test_a_mapped_step_still_needs_no_keys_but_its_own() -> None:
    handles = [internals.StepOutputHandle("double[one]", "result"), internals.StepOutputHandle("double[two]", "result")]
    known = internals.KnownExecutionState(
        previous_retry_attempts={"again[one]": 2, "again[two]": 1},
        dynamic_mappings={"numbers": {"result": ["one", "two"]}},
        ready_outputs=set(handles),
    )
    _alone, step = plan_of_step(_plan(), StepOrder("again[one]", known, None))
    mine = known_of_step(step, known)
    assert mine.previous_retry_attempts == {"again[one]": 2}
    assert (mine.dynamic_mappings, mine.ready_outputs) == ({}, {handles[0]})


def test_an_instance_still_writes_its_events_through_one_method() -> None:
    seen: list[Any] = []
    with DagsterInstance.ephemeral() as instance:
        instance.handle_new_event = lambda event, **_: seen.append(event)  # type: ignore[method-assign]
        (handler, *_) = instance.get_handlers()
        handler.setLevel(logging.NOTSET)
        sums.execute_in_process(instance=instance)
    kinds = {entry.dagster_event.event_type_value for entry in seen if entry.dagster_event}
    assert {"STEP_START", "STEP_SUCCESS", "ENGINE_EVENT"} <= kinds


def test_a_log_manager_still_has_its_loggers() -> None:
    from dagster._core.log_manager import DagsterLogManager

    logger = logging.getLogger("of the job")
    assert internals.loggers_of(DagsterLogManager.create(loggers=[logger])) == [logger]
