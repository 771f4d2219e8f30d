"""Runs jobs and says what happened to each step, in words that are the same whoever executed it."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import dagster as dg
from dagster import DagsterEvent, DagsterEventType, DagsterInstance, EventLogEntry, ReexecutionOptions, execute_job
from dagster._core.execution.stats import RunStepKeyStatsSnapshot

from scatter_pipelines_tests.executor.graphs import job_named

OF_THE_EXECUTOR = {
    DagsterEventType.STEP_WORKER_STARTING, DagsterEventType.STEP_WORKER_STARTED, DagsterEventType.ENGINE_EVENT,
    DagsterEventType.RESOURCE_INIT_STARTED, DagsterEventType.RESOURCE_INIT_SUCCESS,
    DagsterEventType.RESOURCE_INIT_FAILURE, DagsterEventType.LOGS_CAPTURED,
    DagsterEventType.ASSET_MATERIALIZATION_PLANNED, DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED,
}  # fmt: skip
"""Kinds of events in which executors may differ, or which are written before there is one."""

STARTS = (DagsterEventType.STEP_START, DagsterEventType.STEP_RESTARTED)
ENDS = (
    DagsterEventType.STEP_SUCCESS, DagsterEventType.STEP_FAILURE, DagsterEventType.STEP_UP_FOR_RETRY,
    DagsterEventType.STEP_SKIPPED,
)  # fmt: skip

VARIABLE = [
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<run>"),
    (re.compile(r"\d+(\.\d+)?(ms|s)\b"), "<time>"),
    (re.compile(r"_(warm|here|processes)\b"), "_<form>"),
    (re.compile(r"0x[0-9a-f]+"), "<address>"),
]
OF_A_PROCESS = {"pid", "path", "child"}
"""Metadata that is never the same twice."""

Words = tuple[str, ...]


def plain(text: str) -> str:
    for pattern, word in VARIABLE:
        text = pattern.sub(word, text)
    return text


def _metadata(metadata: Mapping[str, dg.MetadataValue]) -> str:
    return ", ".join(f"{key}={'' if key in OF_A_PROCESS else metadata[key].value}" for key in sorted(metadata))


def _error(error: Any) -> str:
    """The chain of causes, outermost first."""
    return "" if error is None else f"{error.cls_name}: {plain(error.message).strip()} <- {_error(error.cause)}"


def _details(event: DagsterEvent) -> Iterator[str]:
    """What is particular to an event of its kind."""
    data: Any = event.event_specific_data
    if event.is_step_failure:
        told = data.user_failure_data
        yield f"{data.error_source} {_error(data.error)}"
        yield f"{told.label} {told.description} {_metadata(told.metadata)}" if told else ""
    elif event.is_step_up_for_retry:
        yield f"in {data.seconds_to_wait} {_error(data.error)}"
    elif event.is_successful_output:
        yield f"{data.step_output_handle.output_name}[{data.step_output_handle.mapping_key}] {_metadata(data.metadata)}"
    elif event.is_step_materialization:
        made = event.materialization
        yield f"{made.asset_key.to_user_string()} {made.partition} {_metadata(made.metadata)}"
    elif hasattr(data, "metadata"):
        yield _metadata(data.metadata)


def words_of(event: DagsterEvent) -> Words:
    """An event without what differs from run to run."""
    place = f"{event.node_handle} {event.step_kind_value} {event.step_handle}"
    return (event.event_type_value, plain(event.message or ""), place, *_details(event))


def is_of_a_step(event: DagsterEvent) -> bool:
    return event.step_key is not None and event.event_type not in OF_THE_EXECUTOR


Sequences = dict[str, list[Words]]


def yielded(events: Iterable[DagsterEvent]) -> Sequences:
    """By step, the events that the executor gave to Dagster."""
    found: Sequences = defaultdict(list)
    for event in events:
        if is_of_a_step(event):
            found[str(event.step_key)].append(words_of(event))
    return dict(found)


def stored(entries: Iterable[EventLogEntry], with_logs: bool = True) -> Sequences:
    """By step, what lies in the event log, lines of the log among it."""
    found: Sequences = defaultdict(list)
    for entry in entries:
        event = entry.dagster_event
        if event is not None and is_of_a_step(event):
            found[str(event.step_key)].append(words_of(event))
        elif event is None and entry.step_key and with_logs:
            found[entry.step_key].append(("LOG", str(entry.level), plain(entry.user_message)))
    return dict(found)


@dataclass(frozen=True)
class Outcome:
    """A run that has ended."""

    instance: DagsterInstance
    run_id: str
    events: Sequence[DagsterEvent]

    @property
    def status(self) -> str:
        run = self.instance.get_run_by_id(self.run_id)
        assert run is not None
        return run.status.value

    @cached_property
    def entries(self) -> list[EventLogEntry]:
        """As stored when they were first asked for."""
        return list(self.instance.all_logs(self.run_id))

    def stored(self) -> Sequences:
        return stored(self.entries)

    def events_of(self, step_key: str, *kinds: DagsterEventType) -> list[DagsterEvent]:
        """As stored; of all kinds if none is named."""
        found = (entry.dagster_event for entry in self.entries)
        return [
            event
            for event in found
            if event is not None and event.step_key == step_key and (not kinds or event.event_type in kinds)
        ]

    def kinds_of(self, step_key: str) -> list[str]:
        """How a step went: its starts, also those of later tries, and its ends."""
        return [event.event_type_value for event in self.events_of(step_key, *STARTS, *ENDS)]

    def seen(self, step_key: str) -> dict[str, Any]:
        """The metadata of a step's output."""
        (event,) = self.events_of(step_key, DagsterEventType.STEP_OUTPUT)
        return {key: value.value for key, value in event.step_output_data.metadata.items()}

    def pids(self) -> dict[str, int]:
        """By step: the process that made its output."""
        outputs = [event for event in self.events if event.is_successful_output]
        return {
            str(event.step_key): int(event.step_output_data.metadata["pid"].value)  # type: ignore[arg-type]
            for event in outputs
            if "pid" in event.step_output_data.metadata
        }

    def engine_messages(self, step_key: str | None = None) -> list[str]:
        """What the executor said, of one step or of all; with the text of errors."""
        return [
            f"{event.message} {_error(event.engine_event_data.error)}"
            for entry in self.entries
            if (event := entry.dagster_event) and event.is_engine_event and step_key in (None, event.step_key)
        ]

    def error_of(self, step_key: str) -> str:
        """Of the last failure or retry."""
        ends = self.events_of(step_key, DagsterEventType.STEP_FAILURE, DagsterEventType.STEP_UP_FOR_RETRY)
        assert ends, f"{step_key} did not fail"
        return _error(ends[-1].event_specific_data.error)  # type: ignore[union-attr]

    def captures(self) -> list[DagsterEvent]:
        found = (entry.dagster_event for entry in self.entries)
        return [event for event in found if event and event.event_type == DagsterEventType.LOGS_CAPTURED]

    def all_printed(self, step_key: str) -> list[tuple[str, str]]:
        """Standard output and standard error of each try that has printed something."""
        manager = self.instance.compute_log_manager
        files = [one.logs_captured_data for one in self.captures() if step_key in one.logs_captured_data.step_keys]
        found = [manager.get_log_data(manager.build_log_key_for_run(self.run_id, one.file_key)) for one in files]
        return [((data.stdout or b"").decode(), (data.stderr or b"").decode()) for data in found]

    def printed(self, step_key: str) -> tuple[str, str]:
        (printed,) = self.all_printed(step_key)
        return printed

    def failure(self) -> str:
        """Why the run failed."""
        (event,) = [
            entry.dagster_event
            for entry in self.entries
            if entry.dagster_event and entry.dagster_event.event_type == DagsterEventType.RUN_FAILURE
        ]
        return f"{event.message} {_error(event.job_failure_data.error)}"

    @cached_property
    def stats(self) -> dict[str, RunStepKeyStatsSnapshot]:
        return {stats.step_key: stats for stats in self.instance.get_run_step_stats(self.run_id)}


@dataclass(frozen=True)
class Arena:
    """An instance as the project has it, and one on the same database that leaves what steps print alone."""

    instance: DagsterInstance
    quiet: DagsterInstance
    environment: Mapping[str, str]

    @contextmanager
    def settings(self, **more: str) -> Iterator[None]:
        """The environment that the instance needs, also in forked and spawned processes."""
        before = dict(os.environ)
        os.environ.update({**self.environment, **more})
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def run(
        self,
        job: str,
        config: Mapping[str, Any] | None = None,
        executor: Mapping[str, Any] | None = None,
        reexecution: ReexecutionOptions | None = None,
        **environment: str,
    ) -> Outcome:
        """Executes a job here and now."""
        instance = self.instance if job.endswith("_warm") else self.quiet
        run_config = {"execution": {"config": dict(executor or {})}, **(config or {})}
        with self.settings(**environment):
            result = execute_job(
                job_named(job), instance, run_config=run_config, reexecution_options=reexecution, raise_on_error=False
            )
        return Outcome(instance, result.run_id, result.all_events)

    def act(self, graph: str, folder: Path, steps: Mapping[str, Any], **executor: Any) -> Outcome:
        """Runs one of the acting graphs in the pool: by mapping key, what each step does."""
        return self.run(f"{graph}_warm", acting(folder, steps), executor)


def acting(folder: Path, steps: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a job whose mapped steps do as they are told."""
    told = {key: [actions] if isinstance(actions, str) else list(actions) for key, actions in steps.items()}
    return {"ops": {"spread": {"config": {"folder": str(folder), "steps": told}}}}
