"""Making visible what steps print: one event per step that printed, which leads the UI to the step's files."""

from collections.abc import Iterable, Iterator, Sequence

from scatter_pipelines.executor import capture
from scatter_pipelines.executor.internals import CapturedLogContext, DagsterEvent, PlanOrchestrationContext
from scatter_pipelines.executor.pool import Member


class Prints:
    """Knows a worker's files by the key that the worker has told. Workers without a key capture in another way."""

    def __init__(self, context: PlanOrchestrationContext) -> None:
        self._context = context
        self._manager = context.instance.compute_log_manager

    def so_far(self, members: Iterable[Member]) -> Iterator[DagsterEvent]:
        """What steps have printed that are still at work."""
        for member in members:
            if capture.has_text(self._manager, self._key(member.file_key)):
                yield from self._show(member, member.file_key)

    def of_step(self, member: Member, file_key: str) -> Iterator[DagsterEvent]:
        """What a step has printed that is over."""
        yield from self._show(member, file_key)
        capture.finish(self._manager, self._key(file_key))

    def of_lost(self, member: Member) -> Iterator[DagsterEvent]:
        """What a worker printed before it was lost belongs to its step; an empty pair of files to nobody."""
        if not member.file_key or member.state == "leaving":
            return
        if member.step_key and capture.has_text(self._manager, self._key(member.file_key)):
            yield from self.of_step(member, member.file_key)
        else:
            capture.discard(self._manager, self._key(member.file_key))

    def _show(self, member: Member, file_key: str) -> Iterator[DagsterEvent]:
        if member.shown_key != file_key:
            member.shown_key = file_key
            key = self._key(file_key)
            yield DagsterEvent.capture_logs(self._context, [member.step_key], key, CapturedLogContext(key))

    def _key(self, file_key: str) -> Sequence[str]:
        return capture.log_key(self._manager, self._context.run_id, file_key)
