"""What a worker must know of a plan to run one step of it: as much as the step needs, and no more.

A plan of many mapped steps is not sent to anybody. A worker has the plan as it was when the run began, and makes the
mapped step, and the steps it takes its inputs from, anew from their keys.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scatter_pipelines.executor.internals import (
    ExecutionPlan,
    ExecutionStep,
    IExecutionStep,
    KnownExecutionState,
    UnresolvedCollectExecutionStep,
    UnresolvedMappedExecutionStep,
)

Mappings = Mapping[str, Mapping[str, Any]]


class StepOrder(NamedTuple):
    """One execution of one step. `known` is the part of the run's known state that the step can see."""

    step_key: str
    known: KnownExecutionState
    briefing: Any


def known_of_step(step: ExecutionStep, known: KnownExecutionState) -> KnownExecutionState:
    """The step's own attempts, the outputs it may read, and the mapping keys if it collects them."""
    inputs = {handle for source in step.step_inputs for handle in source.get_step_output_handle_dependencies()}
    attempts = known.previous_retry_attempts.get(step.key)
    return KnownExecutionState(
        previous_retry_attempts={step.key: attempts} if attempts else {},
        dynamic_mappings={} if step.get_mapping_key() else known.dynamic_mappings,
        ready_outputs=inputs & known.ready_outputs,
    )


def plan_of_step(plan: ExecutionPlan, order: StepOrder) -> tuple[ExecutionPlan, ExecutionStep]:
    """A plan that executes the step alone, and the step."""
    known = order.known._replace(
        parent_state=plan.known_state.parent_state, step_output_versions=plan.known_state.step_output_versions
    )
    step = find_step(plan, order.step_key, known.dynamic_mappings)
    sources = [find_step(plan, key, known.dynamic_mappings) for key in step.get_execution_dependency_keys()]
    found: dict[Any, IExecutionStep] = {one.handle: one for one in (*sources, step)}
    alone = plan._replace(
        step_dict={**plan.step_dict, **found},
        step_dict_by_key={**plan.step_dict_by_key, **{one.key: one for one in found.values()}},
        executable_map={step.key: step.handle},
        resolvable_map={},
        step_handles_to_execute=[step.handle],
        known_state=known,
    )
    return alone, step


def find_step(plan: ExecutionPlan, key: str, mappings: Mappings) -> ExecutionStep:
    """The step of that key, resolved now if the plan has it unresolved."""
    found = plan.step_dict_by_key.get(key)
    if isinstance(found, ExecutionStep):
        return found
    if isinstance(found, UnresolvedCollectExecutionStep):
        return found.resolve(mappings)
    name, _bracket, rest = key.rpartition("[")
    mapped = plan.step_dict_by_key.get(f"{name}[?]")
    if not isinstance(mapped, UnresolvedMappedExecutionStep):
        raise LookupError(f"The plan has no step {key}.")
    (step,) = mapped.resolve({mapped.resolved_by_step_key: {mapped.resolved_by_output_name: [rest[:-1]]}})
    return step


def op_of(step: ExecutionStep) -> str:
    """What the executions of one op have in common: its place in the graph."""
    return str(step.node_handle)
