"""The run worker's part: which step goes to which worker, and what becomes of a step whose worker is lost.

Dagster's `ActiveExecution` decides what may run and keeps the state of every step; events come from the workers and
are written by `History`. Steps are taken from the plan a few at a time, since asking it costs what the plan is long.
"""

import os
import pickle
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

from scatter_pipelines.executor.blackbox import BlackBox
from scatter_pipelines.executor.history import History
from scatter_pipelines.executor.hooks import Loss, Order, Overseer
from scatter_pipelines.executor.internals import (
    ActiveExecution,
    CapturedLogContext,
    DagsterEvent,
    DagsterExecutionInterruptedError,
    EngineEventData,
    EventLogEntry,
    ExecutionStep,
    IStepContext,
    KnownExecutionState,
    PlanOrchestrationContext,
    SerializableErrorInfo,
    StepFailureData,
    StepRetryData,
)
from scatter_pipelines.executor.plans import StepOrder, known_of_step
from scatter_pipelines.executor.pool import Ended, Member, Pool, Said
from scatter_pipelines.executor.prints import Prints
from scatter_pipelines.executor.watch import TICK_SECONDS, Limits, Watch

AHEAD = 4
"""Steps taken from the plan ahead of need, for each worker."""

STARTS_ALLOWED = 3
"""Workers in a row that may be lost before they are ready."""

KINDS = {"step_timeout", "memory_limit"}


class Run:
    """One run's loop. `choosy`: limits apply to what is in flight, so no step is taken before a worker is free."""

    def __init__(
        self,
        context: PlanOrchestrationContext,
        active: ActiveExecution,
        pool: Pool,
        history: History,
        overseer: Overseer,
        limits: Limits,
        boxes: list[BlackBox],
        choosy: bool,
    ) -> None:
        self._context = context
        self._active = active
        self._pool = pool
        self._history = history
        self._overseer = overseer
        self._watch = Watch(pool, overseer, limits)
        self._prints = Prints(context)
        self._boxes = boxes
        self._choosy = choosy
        self._queue: deque[ExecutionStep] = deque()
        self._known: KnownExecutionState | None = None
        self._lost_starts = 0
        self._hopeless = ""
        self._unbegun: Counter[str] = Counter()
        self._changed = True

    def events(self) -> Iterator[DagsterEvent]:
        """All that happens until every step has reached its end, or the run was interrupted."""
        yield DagsterEvent.engine_event(
            self._context,
            f"Executing steps in up to {self._pool.size} warm workers, {self._pool.working} of them at work at once: "
            f"run worker (pid: {os.getpid()})",
            EngineEventData.multiprocess(os.getpid()),
        )
        with self._watch:
            try:
                yield from self._until_complete()
            except Exception as error:
                yield from self._stop_all(f"the run gives up: {error}")
                raise

    def _until_complete(self) -> Iterator[DagsterEvent]:
        while not self._active.is_complete:
            if self._active.check_for_interrupts():
                yield from self._wind_up()
                raise DagsterExecutionInterruptedError("The run was terminated.")
            if self._hopeless:
                raise RuntimeError(self._hopeless)
            yield from self._fill()
            yield from self._turn()
        yield from self._dismiss_all()

    def _turn(self) -> Iterator[DagsterEvent]:
        """Listens for a moment and acts on what was heard."""
        for happening in self._pool.listen(self._patience()):
            yield from self._said(happening) if isinstance(happening, Said) else self._ended(happening)
        self._watch.raise_error()
        yield from self._prints.so_far(self._watch.may_have_printed())
        if self._changed:
            self._changed = False
            yield from self._active.plan_events_iterator(self._context)
        self._history.flush_if_due()

    def _patience(self) -> float:
        waits = [TICK_SECONDS, self._history.seconds_left()]
        if not self._queue and (pause := self._active.sleep_interval()) > 0:
            waits.append(pause)
        return min(wait for wait in waits if wait is not None)

    def _fill(self) -> Iterator[DagsterEvent]:
        """Steps from the plan into the queue, from the queue to idle workers, and workers born for the rest."""
        free = self._pool.free()
        room = max(0, free) if self._choosy else self._pool.size * AHEAD
        wanted = room - len(self._queue)
        if wanted > 0 and (self._choosy or wanted * 2 >= room):
            steps = self._active.get_steps_to_execute(limit=wanted)
            self._known = self._active.get_known_state() if steps else self._known
            self._queue.extend(steps)
            yield from self._active.concurrency_event_iterator(self._context)
        for member in self._pool.idle():
            if self._queue and free > 0:
                self._hand(member, self._queue.popleft())
                free -= 1
        for _ in range(min(len(self._queue), free) - len(self._pool.starting())):
            if self._pool.has_room():
                self._pool.spawn()

    def _hand(self, member: Member, step: ExecutionStep) -> None:
        known = known_of_step(step, self._known or self._active.get_known_state())
        self._pool.order(member, StepOrder(step.key, known, self._overseer.briefing(step.key)), step.key)

    def _said(self, said: Said) -> Iterator[DagsterEvent]:
        member, (name, *rest) = said.member, said.message
        if name == "ready":
            member.file_key, self._lost_starts = rest[0], 0
            member.enter("idle")
        elif name == "waits":
            member.waits = member.state == "busy" and rest[0]
        elif name == "note":
            self._overseer.note(Order(member.number, member.step_key), rest[0])
        elif name == "captured":
            key, about = rest
            yield DagsterEvent.capture_logs(self._context, [member.step_key], key, CapturedLogContext(**about))
        else:
            member.begun, member.batch = True, rest[0]
            yield from self._heard(member, rest[1])
            if name == "store":
                self._history.flush()
                self._pool.answer(member)
            elif name == "done":
                yield from self._done(member, *rest[2:])

    def _unsent(self, member: Member) -> Iterator[DagsterEvent]:
        """What a worker that is gone had still to send."""
        batch, blobs = self._boxes[member.number].read()
        if batch > member.batch:
            yield from self._heard(member, blobs)
        self._boxes[member.number].empty(0)

    def _heard(self, member: Member, blobs: list[bytes]) -> Iterator[DagsterEvent]:
        entries: list[EventLogEntry] = [pickle.loads(blob) for blob in blobs]
        self._history.add(entries)
        for entry in entries:
            if (event := entry.dagster_event) is not None:
                yield event
                if event.step_key == member.step_key and member.state == "busy":
                    member.events.append(event)

    def _settle(self, member: Member) -> Iterator[DagsterEvent]:
        """Gives the plan what happened in a step, once the worker is through with it: it could be run again now."""
        for event in member.events:
            self._active.handle_event(event)
            if event.is_resource_init_failure:
                yield from self._fail(member.step_key, event.engine_event_data.error)

    def _done(
        self, member: Member, printed: str | None, file_key: str, rss: int, broken: SerializableErrorInfo | None
    ) -> Iterator[DagsterEvent]:
        key = member.step_key
        if printed:
            yield from self._prints.of_step(member, printed)
        member.file_key, member.rss = file_key, rss
        yield from self._settle(member)
        if self._in_flight(key) and broken is not None:
            yield from self._fail(key, broken)
        self._active.verify_complete(self._context, key)
        self._changed = True
        member.enter("idle")
        if self._watch.is_worn(member):
            self._pool.dismiss(member)

    def _ended(self, ended: Ended) -> Iterator[DagsterEvent]:
        member = ended.member
        yield from self._unsent(member)
        yield from self._prints.of_lost(member)
        if member.state == "starting":
            yield from self._lost_start(ended)
        elif member.state == "leaving" and member.killed is not None:
            message = f"The worker (pid: {member.pid}) was killed while it took its resources down: {member.killed[1]}."
            yield DagsterEvent.engine_event(self._context, message, EngineEventData())
        elif member.state == "busy":
            self._changed = True
            yield from self._settle(member)
            kind, how, stop = member.killed or ("died", ended.how, None)
            yield from self._lost(member, Loss(kind, member.pid, how, stop))

    def _lost_start(self, ended: Ended) -> Iterator[DagsterEvent]:
        self._lost_starts += 1
        how = ended.member.killed[1] if ended.member.killed else ended.how
        message = f"A worker (pid: {ended.member.pid}) was lost before it was ready: {how}."
        yield DagsterEvent.engine_event(self._context, message, EngineEventData())
        if self._lost_starts > STARTS_ALLOWED:
            self._hopeless = f"{self._lost_starts} workers in a row were lost before they were ready; last: {how}."

    def _lost(self, member: Member, loss: Loss) -> Iterator[DagsterEvent]:
        """A step's worker is gone: the overseer says what that means; without a word of it, the retry policy."""
        step_context = self._step_context(member.step_key)
        error = SerializableErrorInfo(_sentence(member, loss), [], "WorkerLost")
        yield DagsterEvent.engine_event(step_context, error.message, EngineEventData.engine_error(error))
        if not self._in_flight(member.step_key):
            return
        if not member.begun and loss.kind != "interrupted" and self._may_hand_back(member.step_key):
            self._queue.appendleft(self._active.get_step_by_key(member.step_key))
            return
        again = self._overseer.lost(Order(member.number, member.step_key), loss)
        if loss.kind == "interrupted":
            yield from self._end(DagsterEvent.step_failure_event(step_context, StepFailureData(error, None)))
        elif again is not None:
            yield from self._end(DagsterEvent.step_retry_event(step_context, StepRetryData(error, again.seconds)))
        else:
            yield from self._fail(member.step_key, error)

    def _may_hand_back(self, step_key: str) -> bool:
        """A step that its worker never began has nothing to do with the loss, unless it happens again and again."""
        self._unbegun[step_key] += 1
        return self._unbegun[step_key] <= STARTS_ALLOWED

    def _fail(self, step_key: str, error: SerializableErrorInfo) -> Iterator[DagsterEvent]:
        """As Dagster's multiprocess executor treats a child that crashed: the op's retry policy, or failure."""
        event = self._context.executor.log_failure_or_retry_event_after_error(
            self._step_context(step_key), error, self._active.get_known_state()
        )
        yield from self._end(event)

    def _end(self, event: DagsterEvent) -> Iterator[DagsterEvent]:
        self._active.handle_event(event)
        yield event

    def _step_context(self, step_key: str) -> IStepContext:
        return self._context.for_step(self._active.get_step_by_key(step_key))

    def _in_flight(self, step_key: str) -> bool:
        return step_key in self._active._in_flight

    def _dismiss_all(self) -> Iterator[DagsterEvent]:
        """Lets the workers take their resources down."""
        yield from self._active.plan_events_iterator(self._context)
        for member in self._pool.idle():
            self._pool.dismiss(member)
        while self._pool.leaving() and not self._active.check_for_interrupts():
            yield from self._turn()

    def _wind_up(self) -> Iterator[DagsterEvent]:
        """No new step; what is in flight has a grace time, which a second signal ends."""
        keys = [member.step_key for member in self._pool.busy()]
        yield DagsterEvent.engine_event(
            self._context,
            f"The run was terminated: {len(keys)} steps in flight may finish within "
            f"{self._watch.limits.grace_seconds:g} s.",
            EngineEventData.interrupted(keys),
        )
        self._active.mark_interrupted()
        yield from self._until(lambda: not self._pool.busy())
        yield from self._stop_all("the run was terminated")
        yield from self._dismiss_all()

    def _stop_all(self, why: str) -> Iterator[DagsterEvent]:
        """Kills what is in flight, so that every step that began has an end."""
        for member in self._pool.busy():
            self._pool.kill(member, "interrupted", why)
        yield from self._until(lambda: not self._pool.busy())

    def _until(self, done: Any) -> Iterator[DagsterEvent]:
        """Turns until `done`, a signal, or the end of the grace time."""
        timer = self._watch.grace()
        while not done() and not timer.over() and not self._active.check_for_interrupts():
            yield from self._turn()


def _sentence(member: Member, loss: Loss) -> str:
    code = f"{loss.kind}: " if loss.kind in KINDS else ""
    return f"{code}The worker (pid: {member.pid}) of step {member.step_key} was lost: {loss.how}."
