"""One document's work, from slot to saved row. Touches no row but the document's own.

Errors are routed by their class here, and only here; what a class does to the row is one statement in
`store/results.py`.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar
from uuid import uuid4

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from scatter_pipelines.errors import CODES, DocumentError
from scatter_pipelines.model.result import Claim, Extraction, Holder, Outcome, ResultState
from scatter_pipelines.store import events, holds, results
from scatter_pipelines.store.database import is_transient
from scatter_pipelines.testing import crash_point
from scatter_pipelines.work.ask import TaskHeldError
from scatter_pipelines.work.extraction import Extractor, Timings
from scatter_pipelines.work.progress import StopWork
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.supervise import Watched, Watcher

T = TypeVar("T")

WAITS = frozenset(("upstream_wait", "llm_busy"))
"""Codes of documents that were kept waiting: that counts as no try."""


class Worker:
    """Does documents one after the other, for one run in one process."""

    def __init__(self, runtime: Runtime, supervisor: Watcher) -> None:
        self.runtime = runtime
        self.supervisor = supervisor
        self._extractor = Extractor(runtime)
        self._slot = ExitStack()

    def process(self, result_id: int, holder: Holder) -> Outcome:
        """Does one document, or says why not. Raises what stops the process, a lost database, an unknown id."""
        state = self._state(result_id)
        if (early := self._done_by(holder, state) or self._not_to_do(state)) is not None:
            return early
        self.supervisor.keep_lease(state.task_id, state.shard)
        timings = Timings()
        with ExitStack() as stack:
            try:
                with timings.measure("slot"):
                    stack.enter_context(
                        self.runtime.slots.hold(
                            "document", lambda: self._still_wanted(state), alone=self._is_suspect(state)
                        )
                    )
            except StopWork as stop:
                return Outcome("skipped", state.filename, stop.message)
            self._slot = ExitStack() if self._is_suspect(state) else stack
            return self._claim_and_do(state, holder, timings)

    def _statement(self, work: Callable[[Connection], T]) -> T:
        """In the workers' role; every statement on a row is guarded and needs no transaction around it."""
        return self.runtime.database.run(work, "worker", one_by_one=True)

    def _is_suspect(self, state: ResultState) -> bool:
        """Whether the next loss is the document's last: then nothing else is to be in flight that could be to blame."""
        return state.losses > 0 and state.losses + 1 >= self.runtime.settings.max_losses

    @staticmethod
    def _done_by(holder: Holder, state: ResultState) -> Outcome | None:
        """What this very step came to before its worker was lost, told now in its place."""
        if (state.run_id, state.step_key) != (holder.run_id, holder.step_key):
            return None
        if state.status == "completed":
            message = "Completed; the worker was lost after it had saved."
            return Outcome("completed", state.filename, message, attempt=state.attempt, pages=state.pages)
        if state.status == "error" and state.error_code is not None:
            exhausted = CODES[state.error_code].kind == "transient"
            return Outcome(
                "error", state.filename, state.error_message or "", code=state.error_code, exhausted=exhausted,
                attempt=state.attempt,
            )  # fmt: skip
        return None

    def _state(self, result_id: int) -> ResultState:
        state = self._statement(lambda connection: results.state(connection, result_id))
        if state is None:
            raise DocumentError("internal_error", f"There is no result {result_id}; was its task deleted?")
        return state

    def _not_to_do(self, state: ResultState) -> Outcome | None:
        """Why a row cannot be claimed now; None where it can."""
        if state.status in ("completed", "error", "cancelled"):
            why = f"Already {state.status}" + (f" ({state.error_code})" if state.error_code else "")
            return Outcome("skipped", state.filename, f"{why}; nothing to do.")
        if state.status == "extracting":
            return Outcome("skipped", state.filename, "Another worker has it.")
        if state.held:
            return Outcome("skipped", state.filename, "The task is on hold; it goes on after `scatter resume`.")
        if self.supervisor.lost_lease(state.task_id, state.shard):
            return Outcome("skipped", state.filename, "Another run works on this shard now.")
        if state.due_in > 0:
            return Outcome("retry", state.filename, "Not due yet.", retry_in=state.due_in)
        return None

    def _still_wanted(self, state: ResultState) -> None:
        if self.supervisor.lost_lease(state.task_id, state.shard):
            raise StopWork("lost", "Another run works on this shard now.")

    def _claim_and_do(self, state: ResultState, holder: Holder, timings: Timings) -> Outcome:
        token = uuid4()
        claimed = self._statement(lambda connection: results.claim(connection, state.result_id, holder, token))
        if claimed is None:
            latest = self._state(state.result_id)
            return self._not_to_do(latest) or Outcome("retry", latest.filename, "Not due yet.", retry_in=0.1)
        crash_point("claimed")
        with self.supervisor.watch(claimed) as watched:
            return self._guarded(watched, timings)

    def _guarded(self, watched: Watched, timings: Timings) -> Outcome:
        """The boundary of one document: whatever happens inside becomes its outcome."""
        claim = watched.claim
        try:
            extraction = self._extractor.extract(watched, timings, self._slot.close)
            return self._save(watched, extraction)
        except StopWork as stop:
            return self._stopped(claim, stop)
        except TaskHeldError as closed:
            return self._hold(claim, str(closed))
        except DocumentError as error:
            return self._route(claim, error, timings)
        except MemoryError:
            return self._route(claim, DocumentError("memory_limit", "There was not enough memory."), timings)
        except (DBAPIError, PoolTimeout) as error:
            if not is_transient(error):
                return self._route(claim, DocumentError("internal_error", f"The database refused: {error}"), timings)
            lost = DocumentError("database_unavailable", f"The database failed: {type(error).__name__}.")
            return self._route(claim, lost, timings)
        except Exception as error:  # noqa: BLE001  the boundary of one document
            message = f"{type(error).__name__}: {error}"
            return self._route(claim, DocumentError("internal_error", message), timings)
        except BaseException:
            self._statement(lambda c: results.give_back(c, claim, "The run was interrupted."))
            raise

    def _hold(self, claim: Claim, why: str) -> Outcome:
        """Nothing is counted against the document: it waits with all others until somebody resumes the task."""
        reason = f"llm_closed: {why}. {CODES['llm_closed'].advice}"

        def write(connection: Connection) -> bool:
            if holds.place(connection, claim.task_id, reason, "worker"):
                events.add(connection, claim.task_id, "error", "llm_closed", reason)
            return results.give_back(connection, claim, why)

        given_back = self.runtime.database.run(write, "worker")
        return Outcome("skipped", claim.filename, reason, attempt=claim.attempt) if given_back else _taken_away(claim)

    def _save(self, watched: Watched, extraction: Extraction) -> Outcome:
        claim = watched.claim
        watched.enter("saving")
        crash_point("before_save")
        saved = self._statement(lambda connection: self._complete(connection, claim, extraction))
        crash_point("after_save")
        if not saved:
            return _taken_away(claim)
        found = sum(1 for value in extraction.fields.values() if value["value"] is not None)
        return Outcome(
            "completed",
            claim.filename,
            f"{found} of {len(extraction.fields)} fields found on {extraction.pages} pages. {extraction.note}".rstrip(),
            attempt=claim.attempt,
            timings=extraction.timings,
            pages=extraction.pages,
            found=found,
            usage=extraction.usage,
        )

    @staticmethod
    def _complete(connection: Connection, claim: Claim, extraction: Extraction) -> bool:
        """Also true where an earlier try took effect and only its confirmation was lost."""
        if results.complete(connection, claim, extraction):
            return True
        row = results.state(connection, claim.result_id)
        return row is not None and row.status == "completed" and row.claim_token == claim.token

    def _stopped(self, claim: Claim, stop: StopWork) -> Outcome:
        if stop.kind == "lost":
            return _taken_away(claim, stop.message)
        return self._route(claim, DocumentError(stop.kind, stop.message), Timings())

    def _route(self, claim: Claim, error: DocumentError, timings: Timings) -> Outcome:
        """Writes what an error of its class does to the row."""
        entry, settings = CODES[error.code], self.runtime.settings
        code, stage, message = error.code, entry.stage, error.message

        def write(connection: Connection) -> tuple[str, float] | None:
            if code in WAITS:
                return results.wait_later(
                    connection, claim, code, stage, message, retry_after=error.retry_after,
                    retry_seconds=settings.retry_seconds, max_waits=settings.max_waits,
                )  # fmt: skip
            if entry.kind == "transient":
                return results.try_later(
                    connection, claim, code, stage, message, retry_after=error.retry_after,
                    retry_seconds=settings.retry_seconds, max_tries=settings.max_tries,
                )  # fmt: skip
            if entry.kind == "limit":
                return results.hit_limit(connection, claim, code, stage, message)
            return ("error", 0.0) if results.fail(connection, claim, code, stage, message, timings.parts) else None

        written = self._statement(write)
        if written is None:
            return _taken_away(claim)
        status, due_in = written
        again = status == "pending"
        return Outcome(
            "retry" if again else "error",
            claim.filename,
            message,
            code=code,
            retry_in=due_in if again else None,
            exhausted=not again and entry.kind == "transient",
            attempt=claim.attempt,
            timings=timings.parts,
        )


def _taken_away(claim: Claim, why: str = "The claim was taken away before the result was saved.") -> Outcome:
    return Outcome("skipped", claim.filename, why, attempt=claim.attempt)
