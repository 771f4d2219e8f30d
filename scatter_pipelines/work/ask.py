"""One document's calls to the LLM endpoint: what was answered before, a slot, a turn, money, the call, its settlement.

Every wait here is marked as one, so it counts against no limit of the document, and ends before the supervisor's own
cap would end the process. An endpoint that would refuse every document puts the task on hold.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from sqlalchemy import Connection

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.extraction.llm.llm import CHARACTERS_A_TOKEN, Model, hash_of, model_key
from scatter_pipelines.extraction.llm.prices import Prices
from scatter_pipelines.extraction.llm.protocol import (
    ChatRequest,
    ContextTooLong,
    EndpointBusy,
    EndpointClosed,
    EndpointError,
    EndpointUnavailable,
    Reply,
)
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import budgets, caches, pace
from scatter_pipelines.store.budgets import CallUse, Ending
from scatter_pipelines.testing import crash_point
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.supervise import Watched

if TYPE_CHECKING:
    from scatter_pipelines.extraction.llm.endpoint import Endpoint

T = TypeVar("T")

PATIENCE = 0.8
"""Share of SCATTER_WAIT_SECONDS after which a wait is given up here."""
LOOK_SECONDS = 0.1
BUDGET_SECONDS = 0.5
"""How often a budget is asked again while others have set aside what is left of it."""
MESSAGE_TOKENS = 16
"""Tokens that an endpoint may put around each message."""


class TaskHeldError(Exception):
    """No document of the task can be done now; the message is the reason of its hold."""


class Llm:
    """One process's use of the endpoint. Connects when first used; closed with the runtime."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.settings = runtime.settings
        self._known: set[str] = set()

    @cached_property
    def endpoint(self) -> "Endpoint":
        endpoint = endpoint_of(self.settings)
        self.runtime.at_close(endpoint.close)
        return endpoint

    def pace_of(self, model: Model) -> str:
        """The name of the endpoint's pace, known to the database from now on."""
        name = f"{self.settings.llm_base_url} {model.name}"
        if name not in self._known:
            self.statement(partial(pace.know, endpoint=name))
            self._known.add(name)
        return name

    def statement(self, work: Callable[[Connection], T]) -> T:
        return self.runtime.database.run(work, "worker", one_by_one=True)


def endpoint_of(settings: Settings) -> "Endpoint":
    """Imported when it is needed: openai takes a second. `definitions.py` does so early where an LLM is set up."""
    from scatter_pipelines.extraction.llm.endpoint import Endpoint  # noqa: PLC0415

    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    return Endpoint(settings.llm_base_url, key, settings.llm_seconds)


def prices_of(settings: Settings, model_name: str) -> Prices:
    return Prices(model_name, settings.llm_base_url, settings.llm_input_usd, settings.llm_output_usd)


class DocumentAsker:
    """The `Asker` of one claim. `salt` keeps its answers apart from those of other tasks."""

    def __init__(self, llm: Llm, watched: Watched, model: Model, salt: str = "") -> None:
        self._llm = llm
        self._watched = watched
        self._claim = watched.claim
        self._model = model
        self._salt = salt
        self._prices = prices_of(llm.settings, model.name)

    def kept(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return self._llm.statement(partial(caches.answers, keys=keys)) if keys else {}

    def keep(self, answers: Mapping[str, object]) -> None:
        def write(connection: Connection) -> None:
            for key, content in answers.items():
                caches.keep_answer(connection, key, content)

        self._llm.runtime.database.run(write, "worker")

    def progress(self, done: int, total: int) -> None:
        self._watched.progress(done, total)

    def ask(self, request: ChatRequest) -> Reply:
        key = hash_of(
            "call", *(message["role"] + message["content"] for message in request.messages), str(request.schema),
            model_key(self._model), self._salt,
        )  # fmt: skip
        if (kept := self.kept([key]).get(key)) is not None:
            return Reply(kept["text"])
        with self._slot():
            self._wait_for_turn(request)
            call_id = self._reserve(request)
            reply = self._call(request, call_id)
            self._settle(
                call_id, "settled", self._use(request, reply), key if _is_worth_keeping(request, reply) else "", reply
            )
        return reply

    def _call(self, request: ChatRequest, call_id: int) -> Reply:
        """The call itself; one that fails is settled here, and everybody hears of it."""
        model = self._model
        crash_point("llm_call")
        try:
            with self._watched.calling():
                return self._llm.endpoint.call(
                    request,
                    model=model.name,
                    output_tokens=model.output_tokens,
                    temperature=model.temperature,
                    check=self._watched.check,
                )
        except EndpointError as error:
            charged = isinstance(error, EndpointUnavailable) and error.charged
            self._settle(call_id, "lost" if charged else "failed", CallUse())
            if isinstance(error, ContextTooLong):
                raise
            raise self._consequence(error) from error
        except BaseException:
            self._settle(call_id, "lost", CallUse())
            raise

    def _consequence(self, error: EndpointError) -> Exception:
        """What a failed call means for the document, after everybody else was warned."""
        if isinstance(error, EndpointClosed):
            return TaskHeldError(error.message)
        endpoint, seconds = self._llm.pace_of(self._model), self._llm.settings.retry_seconds
        if isinstance(error, EndpointBusy):
            rest = error.retry_after if error.retry_after is not None else seconds
            self._llm.statement(partial(pace.pause, endpoint=endpoint, seconds=rest))
            return DocumentError("llm_busy", error.message, retry_after=rest)
        if isinstance(error, EndpointUnavailable):
            self._llm.statement(partial(pace.failed, endpoint=endpoint, seconds=seconds))
            return DocumentError("llm_unavailable", error.message, retry_after=error.retry_after)
        return DocumentError("llm_request_rejected", error.message)

    def _use(self, request: ChatRequest, reply: Reply) -> CallUse:
        """What the endpoint says it used; where it does not say, the most it may have been."""
        said = reply.input_tokens, reply.output_tokens
        tokens_in = most_tokens(request) if said[0] is None else said[0]
        tokens_out = self._model.output_tokens if said[1] is None else said[1]
        return CallUse(tokens_in, tokens_out, self._prices.cost(tokens_in, tokens_out, reply.cached_tokens))

    def _settle(self, call_id: int, ending: Ending, use: CallUse, key: str = "", reply: Reply | None = None) -> None:
        """In one transaction with the answer, so that none is paid and not kept."""

        def write(connection: Connection) -> None:
            budgets.settle(connection, call_id, ending, use)
            if ending == "settled":
                pace.answered(connection, self._llm.pace_of(self._model))
            if key and reply is not None:
                caches.keep_answer(connection, key, {"text": reply.text})

        self._llm.runtime.database.run(write, "worker")
        crash_point("llm_settled")

    def _reserve(self, request: ChatRequest) -> int:
        """Sets aside the most the call may cost. Waits while it is only set aside by others, who may need less."""
        worst = self._most_cost(request)
        reserve = partial(
            budgets.reserve, claim=self._claim, model=self._model.name, worst=worst, characters=request.characters
        )
        with self._waiting() as look:
            while (call_id := self._llm.statement(reserve)) is None:
                left = self._llm.statement(partial(budgets.left, claim=self._claim))
                for what, usd in (("document", left.of_document), ("task", left.of_task)):
                    if usd is not None and usd < worst:
                        raise DocumentError(
                            "budget_exceeded",
                            f"A call may cost up to ${worst:.4f} and ${usd:.4f} of the {what}'s budget are left.",
                        )
                self._pause(BUDGET_SECONDS, look)
        return call_id

    def _most_cost(self, request: ChatRequest) -> Decimal:
        """Without a price nothing can be held against a budget, so a task that has one stops here."""
        worst = self._prices.cost(most_tokens(request), self._model.output_tokens)
        if worst is not None:
            return worst
        budget = self._llm.statement(partial(budgets.read, task_id=self._claim.task_id))
        if budget is not None and (budget.limit_usd is not None or budget.document_limit_usd is not None):
            raise TaskHeldError(f"The task has a budget and this process knows no price of {self._model.name}")
        return Decimal(0)

    def _wait_for_turn(self, request: ChatRequest) -> None:
        settings = self._llm.settings
        take = partial(
            pace.take_turn,
            endpoint=self._llm.pace_of(self._model),
            requests_per_minute=settings.llm_requests_per_minute,
            tokens_per_minute=settings.llm_tokens_per_minute,
            tokens=int(request.characters / CHARACTERS_A_TOKEN) + self._model.output_tokens,
        )
        with self._waiting() as look:
            while (seconds := self._llm.statement(take)) > 0:
                self._pause(min(seconds, 1.0), look)

    @contextmanager
    def _slot(self) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                with self._waiting() as look:
                    stack.enter_context(self._llm.runtime.slots.hold("llm", look))
            except psycopg.OperationalError as error:
                raise DocumentError("database_unavailable", "No slot could be had: the database is away.") from error
            yield

    @contextmanager
    def _waiting(self) -> Iterator[Callable[[], None]]:
        """A wait for somebody else; yields what is to be called now and then meanwhile."""
        with self._watched.waiting():
            yield self._look

    def _look(self) -> None:
        self._watched.check()
        if self._watched.progress_made.waited_seconds() > PATIENCE * self._llm.settings.wait_seconds:
            raise DocumentError(
                "upstream_wait", "A slot, a turn or money for a call to the LLM was waited for too long."
            )

    def _pause(self, seconds: float, look: Callable[[], None]) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(LOOK_SECONDS, left))
            look()


def most_tokens(request: ChatRequest) -> int:
    """More tokens than the prompt can have: byte-level encodings have at most one a byte."""
    told = [message["content"] for message in request.messages] + [str(request.schema)]
    return sum(len(text.encode("utf-8", "replace")) for text in told) + MESSAGE_TOKENS * len(request.messages)


def _is_worth_keeping(request: ChatRequest, reply: Reply) -> bool:
    return reply.finish == "stop" and reply.refusal is None and request.usable(reply.text)
