"""Every name of Dagster that is not public and that the executor stands on, in one place.

What each is relied on for is checked by `scatter_pipelines_tests/executor/test_internals.py`, which fails when a new
Dagster changes it. Other executors outside Dagster's core (dagster-ray, dagster-async) use the same names.
"""

import logging

from dagster._core.definitions.executor_definition import multiple_process_executor_requirements
from dagster._core.definitions.reconstruct import ReconstructableJob
from dagster._core.errors import DagsterExecutionInterruptedError
from dagster._core.events import DagsterEvent, EngineEventData
from dagster._core.events.log import EventLogEntry
from dagster._core.execution.compute_logs import create_compute_log_file_key
from dagster._core.execution.context.system import (
    IStepContext,
    PlanExecutionContext,
    PlanOrchestrationContext,
    StepExecutionContext,
)
from dagster._core.execution.context_creation_job import PlanExecutionContextManager
from dagster._core.execution.plan.active import ActiveExecution
from dagster._core.execution.plan.execute_plan import _trigger_hook, dagster_event_sequence_for_step
from dagster._core.execution.plan.instance_concurrency_context import InstanceConcurrencyContext
from dagster._core.execution.plan.objects import StepFailureData, StepRetryData
from dagster._core.execution.plan.outputs import StepOutputHandle
from dagster._core.execution.plan.plan import ExecutionPlan
from dagster._core.execution.plan.state import KnownExecutionState
from dagster._core.execution.plan.step import (
    ExecutionStep,
    IExecutionStep,
    UnresolvedCollectExecutionStep,
    UnresolvedMappedExecutionStep,
)
from dagster._core.execution.retries import RetryMode, get_retries_config
from dagster._core.execution.tags import get_tag_concurrency_limits_config
from dagster._core.executor.base import Executor
from dagster._core.instance.ref import InstanceRef
from dagster._core.log_manager import DagsterLogManager
from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeIOType, ComputeLogManager
from dagster._core.storage.local_compute_log_manager import IO_TYPE_EXTENSION, LocalComputeLogManager
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.tags import GLOBAL_CONCURRENCY_TAG
from dagster._utils.error import serializable_error_info_from_exc_info
from dagster_shared.error import SerializableErrorInfo

trigger_hook = _trigger_hook


def is_pooled(step: IExecutionStep) -> bool:
    """Whether the instance may limit how many such steps are in flight."""
    return bool(step.pool or (step.tags or {}).get(GLOBAL_CONCURRENCY_TAG))


def loggers_of(manager: DagsterLogManager) -> list[logging.Logger]:
    """The loggers of a job's `logger_defs`, made for this run."""
    return list(manager._dagster_handler._loggers)


__all__ = [
    "IO_TYPE_EXTENSION",
    "ActiveExecution",
    "CapturedLogContext",
    "ComputeIOType",
    "ComputeLogManager",
    "DagsterEvent",
    "DagsterExecutionInterruptedError",
    "DagsterLogManager",
    "EngineEventData",
    "EventLogEntry",
    "ExecutionPlan",
    "ExecutionStep",
    "Executor",
    "IExecutionStep",
    "IStepContext",
    "InstanceConcurrencyContext",
    "InstanceRef",
    "KnownExecutionState",
    "LocalComputeLogManager",
    "NoOpComputeLogManager",
    "PlanExecutionContext",
    "PlanExecutionContextManager",
    "PlanOrchestrationContext",
    "ReconstructableJob",
    "RetryMode",
    "SerializableErrorInfo",
    "StepExecutionContext",
    "StepFailureData",
    "StepOutputHandle",
    "StepRetryData",
    "UnresolvedCollectExecutionStep",
    "UnresolvedMappedExecutionStep",
    "create_compute_log_file_key",
    "dagster_event_sequence_for_step",
    "get_retries_config",
    "get_tag_concurrency_limits_config",
    "is_pooled",
    "loggers_of",
    "multiple_process_executor_requirements",
    "serializable_error_info_from_exc_info",
    "trigger_hook",
]
