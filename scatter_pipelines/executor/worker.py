"""A worker: runs one step after the other, as the run worker orders, and sends back what happens.

It has the code location and the plan from the process it was forked from. Resources are made once per op and taken
down at the end of the worker's part of the run. Messages to the run worker are tuples, named by their first member.
"""

import logging
import os
import pickle
import socket
import sys
from collections.abc import Mapping
from contextlib import ExitStack, redirect_stderr, suppress
from dataclasses import dataclass
from typing import Any, TextIO

import psutil
from coloredlogs import StandardErrorHandler
from dagster import (
    DagsterInstance,
    DagsterRun,
    DagsterUnmetExecutorRequirementsError,
    deserialize_value,
    serialize_value,
)

from scatter_pipelines.executor.blackbox import BlackBox
from scatter_pipelines.executor.capture import LocalCapture, captures_itself, console, log_key
from scatter_pipelines.executor.channel import Channel
from scatter_pipelines.executor.history import diverted
from scatter_pipelines.executor.hooks import Workplace, enter_workplace
from scatter_pipelines.executor.internals import (
    EventLogEntry,
    ExecutionPlan,
    ExecutionStep,
    InstanceRef,
    LocalComputeLogManager,
    PlanExecutionContext,
    PlanExecutionContextManager,
    ReconstructableJob,
    RetryMode,
    create_compute_log_file_key,
    dagster_event_sequence_for_step,
    loggers_of,
    serializable_error_info_from_exc_info,
    trigger_hook,
)
from scatter_pipelines.executor.plans import StepOrder, op_of, plan_of_step
from scatter_pipelines.testing import crash_point


@dataclass(frozen=True)
class Assignment:
    """What all workers of a run have in common; they are forked with it and it is never sent."""

    job: ReconstructableJob
    run: DagsterRun
    run_config: Mapping[str, object]
    instance_ref: InstanceRef
    plan: ExecutionPlan
    retries: RetryMode
    boards: list[memoryview]
    boxes: list[BlackBox]

    def work(self, end: socket.socket | None, number: int) -> None:
        """A worker's whole life."""
        assert end is not None
        crash_point("worker_start")
        with (
            suppress(EOFError, BrokenPipeError, ConnectionResetError),
            DagsterInstance.from_ref(self.instance_ref) as instance,
            Worker(self, instance, Channel(end), number) as worker,
        ):
            worker.run()


class Worker:
    """One process's part of a run."""

    def __init__(self, shared: Assignment, instance: DagsterInstance, channel: Channel, number: int) -> None:
        self._shared = shared
        self._instance = instance
        self._channel = channel
        self._entries: list[bytes] = []
        self._batch = 1
        self._box = shared.boxes[number]
        self._box.empty(self._batch)
        self._pid = os.getpid()
        self._contexts: dict[str, PlanExecutionContext] = {}
        self._stack = ExitStack()
        self._console = self._stack.enter_context(console())
        self._capture = self._make_capture()
        self._write_now = instance.handle_new_event
        self._process = psutil.Process()
        self._place = Workplace(note=self._note, waits=self._waits, board=shared.boards[number])

    def __enter__(self) -> "Worker":
        enter_workplace(self._place)
        self._stack.enter_context(diverted(self._instance, self._take))
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stack.close()

    def _make_capture(self) -> LocalCapture | None:
        manager = self._instance.compute_log_manager
        if not isinstance(manager, LocalComputeLogManager):
            return None
        capture = LocalCapture(manager, self._shared.run.run_id)
        self._stack.callback(capture.drop)
        return capture

    def run(self) -> None:
        """Steps until there are no more, then the end of what they used."""
        self._channel.send(("ready", self._file_key()))
        with ExitStack() as resources:
            while (order := self._channel.receive()) is not None:
                self._do(order, resources)
        self._send("events")

    def _file_key(self) -> str:
        return self._capture.file_key if self._capture else ""

    def _do(self, order: StepOrder, resources: ExitStack) -> None:
        self._place.briefing = order.briefing
        broken = None
        try:
            with ExitStack() as stack:
                self._capture_elsewhere(order.step_key, stack)
                self._execute(order, resources)
        except BaseException:  # noqa: BLE001  a worker outlives what its steps do
            broken = serializable_error_info_from_exc_info(sys.exc_info())
        if os.getpid() != self._pid:
            # A step forked and its copy came back too: there is one worker, and this is not it.
            os._exit(0)
        printed = self._capture.take() if self._capture else None
        self._send("done", printed, self._file_key(), self._process.memory_info().rss, broken)

    def _execute(self, order: StepOrder, resources: ExitStack) -> None:
        plan, step = plan_of_step(self._shared.plan, order)
        opened = self._contexts.get(op_of(step)) or self._open(plan, step, resources)
        if opened is None:
            return
        context = PlanExecutionContext(
            plan_data=opened.plan_data._replace(execution_plan=plan),
            execution_data=opened._execution_data,
            log_manager=opened.log,
            output_capture=None,
            event_loop=opened.event_loop,
        ).for_step(step, plan.known_state)
        if context.step_launcher is not None:
            raise DagsterUnmetExecutorRequirementsError(
                f"{order.step_key} has a step launcher; the warm pool runs steps in its own workers."
            )
        events = list(dagster_event_sequence_for_step(context))
        for _ in trigger_hook(context, events):
            pass

    def _open(self, plan: ExecutionPlan, step: ExecutionStep, resources: ExitStack) -> PlanExecutionContext | None:
        """The resources of an op; None where they cannot be made, which an event has said by then."""
        self._send("events")
        shared = self._shared
        manager = PlanExecutionContextManager(
            job=shared.job,
            execution_plan=plan,
            run_config=shared.run_config,
            dagster_run=shared.run,
            instance=self._instance,
            retry_mode=shared.retries.for_inner_plan(),
        )
        with redirect_stderr(self._console):
            for _ in manager.prepare_context():
                pass
        context = manager.get_context()
        if context is not None:
            speak_to(self._console, loggers_of(context.log))
            resources.callback(_exhaust, manager)
            self._contexts[op_of(step)] = context
        return context

    def _capture_elsewhere(self, step_key: str, stack: ExitStack) -> None:
        """Capture by a manager that keeps its logs elsewhere, in its own way."""
        manager = self._instance.compute_log_manager
        if captures_itself(manager):
            key = log_key(manager, self._shared.run.run_id, create_compute_log_file_key())
            # As a dict: the tuple's fields stand in another order than its constructor's, so its copy is another one.
            self._channel.send(("captured", key, stack.enter_context(manager.capture_logs(key))._asdict()))

    def _take(self, entry: EventLogEntry, *, batch_metadata: Any = None) -> None:
        """In place of `DagsterInstance.handle_new_event`.

        A step's start and what its code says are sent at once, the rest with them. An event about an asset is waited
        for until it is stored: the step may ask the instance for it next. What a copy of this process says is dropped.
        """
        event = entry.dagster_event
        if os.getpid() != self._pid:
            return
        if entry.run_id != self._shared.run.run_id or (event is not None and event.is_job_event):
            self._write_now(entry, batch_metadata=batch_metadata)
            return
        room = self._keep(entry)
        if event is None or event.is_step_start or event.is_step_restarted or event.is_engine_event or not room:
            self._send("events")
        elif event.asset_key is not None:
            self._send("store")
            self._channel.receive()

    def _keep(self, entry: EventLogEntry) -> bool:
        """Until the next message; False where that must not wait."""
        try:
            blob = pickle.dumps(entry, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError):
            blob = pickle.dumps(deserialize_value(serialize_value(entry), EventLogEntry), pickle.HIGHEST_PROTOCOL)
        self._entries.append(blob)
        return self._box.append(blob)

    def _send(self, name: str, *more: Any) -> None:
        entries, self._entries = self._entries, []
        self._channel.send((name, self._batch, entries, *more))
        self._batch += 1
        self._box.empty(self._batch)

    def _waits(self, waits: bool) -> None:
        if os.getpid() == self._pid:
            self._channel.send(("waits", waits))

    def _note(self, note: Any) -> None:
        if os.getpid() == self._pid:
            self._channel.send(("note", note))


def _exhaust(manager: PlanExecutionContextManager) -> None:
    for _ in manager.shutdown_context():
        pass


def speak_to(stream: TextIO, loggers: list[logging.Logger]) -> None:
    """Dagster's console loggers look up standard error for each line, where by now the step's own output goes."""
    for logger in loggers:
        for handler in [one for one in logger.handlers if isinstance(one, StandardErrorHandler)]:
            plain = logging.StreamHandler(stream)
            plain.setLevel(handler.level)
            plain.setFormatter(handler.formatter)
            for one in handler.filters:
                plain.addFilter(one)
            logger.removeHandler(handler)
            logger.addHandler(plain)
