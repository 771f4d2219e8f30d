"""One call to an OpenAI-compatible chat completions API, and what its answer or failure means.

The whole call has one limit, from connecting to the last byte, and stops when the work on its document is to stop.
What an endpoint does not know (JSON schemas, a parameter's other name) it says once, and is then asked another way.
"""

import asyncio
import json
import re
import ssl
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Literal, TypeVar

import anyio
import httpx2
import openai
from anyio.from_thread import start_blocking_portal

from scatter_pipelines.extraction.llm import prompt
from scatter_pipelines.extraction.llm.protocol import (
    ChatRequest,
    ContextTooLong,
    EndpointBusy,
    EndpointClosed,
    EndpointError,
    EndpointRejected,
    EndpointUnavailable,
    Reply,
)

T = TypeVar("T")
Check = Callable[[], None]

LOOK_SECONDS = 0.1
CONNECT_SECONDS = 10.0
MOST_BYTES = 16 * 1024 * 1024
CLOSED = frozenset((401, 402, 403, 404))
QUOTA = frozenset(("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated"))
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum context|exceed\w*[^.]{0,40}context|prompt is too long", re.I
)
_ABOUT_JSON = re.compile(r"response_format|json_schema|json_object|structured output|grammar", re.I)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a model is asked. The JSON modes are given up one after the other, in this order."""

    json: Literal["schema", "object", "none"] = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True


class Endpoint:
    """One process's connections to an endpoint. Not for several threads at once; close it at the end."""

    def __init__(self, base_url: str, api_key: str | None, seconds: float) -> None:
        self._base_url = base_url
        self._key = api_key or ""
        self._seconds = seconds
        self._runner = asyncio.Runner()
        self._client: openai.AsyncOpenAI | None = None
        self._dialects: dict[str, Dialect] = {}

    def call(
        self, request: ChatRequest, *, model: str, output_tokens: int, temperature: float | None, check: Check
    ) -> Reply:
        """Raises EndpointError and what `check` raises, which is called several times a second."""
        while True:
            dialect = self._dialects.get(model, Dialect())
            body = _body(request, dialect, model, output_tokens, temperature)
            try:
                return _reply(self._run(self._post(body), check))
            except openai.APIStatusError as error:
                adapted = _adapted(dialect, error)
                if adapted is None:
                    raise self._meaning(error) from error
                self._dialects[model] = adapted

    def models(self, check: Check = lambda: None) -> list[str]:
        """Names of the models the endpoint offers; none where it does not tell. Raises EndpointError."""

        async def names() -> list[str]:
            return [model.id for model in (await self._connected().models.list()).data]

        try:
            return self._run(names(), check)
        except (openai.NotFoundError, openai.APIResponseValidationError):
            return []
        except openai.APIStatusError as error:
            raise self._meaning(error) from error

    def close(self) -> None:
        if self._client is not None:
            self._runner.run(self._client.close())
        self._client = None
        self._runner.close()

    def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            timeout = httpx2.Timeout(self._seconds, connect=min(CONNECT_SECONDS, self._seconds))
            self._client = openai.AsyncOpenAI(
                api_key=self._key or "none", base_url=self._base_url, max_retries=0, timeout=timeout,
                http_client=openai.DefaultAsyncHttpxClient(base_url=self._base_url, timeout=timeout, verify=_trust()),
            )  # fmt: skip
        return self._client

    async def _post(self, body: Mapping[str, Any]) -> bytes:
        content = bytearray()
        create = self._connected().chat.completions.with_streaming_response.create
        async with create(**body) as response:
            async for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise EndpointUnavailable(f"The answer is larger than {MOST_BYTES:,} bytes.", charged=True)
        return bytes(content)

    def _run(self, work: Coroutine[Any, Any, T], check: Check) -> T:
        try:
            return self._runner.run(self._watched(work, check))
        except openai.APIConnectionError as error:
            cause = error.__cause__
            sent = not isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
            what = type(cause or error).__name__
            raise EndpointUnavailable(f"No answer from the LLM endpoint: {what}.", charged=sent) from error
        except httpx2.HTTPError as error:
            what = type(error).__name__
            raise EndpointUnavailable(f"The LLM endpoint broke its answer off: {what}.", charged=True) from error

    async def _watched(self, work: Coroutine[Any, Any, T], check: Check) -> T:
        """The work's outcome, or its end at the limit or when `check` raises."""
        task = asyncio.ensure_future(work)
        end = time.monotonic() + self._seconds
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=LOOK_SECONDS)
                check()
                if not task.done() and time.monotonic() > end:
                    raise EndpointUnavailable(f"No whole answer within {self._seconds:g} s.", charged=True)
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=LOOK_SECONDS)

    def _meaning(self, error: openai.APIStatusError) -> EndpointError:
        status, code = error.status_code, str(error.code or error.type or "")
        said = f"{status}{f' {code}' if code else ''}: {self._cleaned(error.message)}"
        retry_after = retry_after_of(error.response.headers)
        if status in CLOSED or code in QUOTA:
            return EndpointClosed(f"The LLM endpoint refuses every call: {said}")
        if status == 429 or (status == 503 and retry_after is not None):
            return EndpointBusy(f"The LLM endpoint is busy: {said}", retry_after)
        if status >= 500 or status in (408, 409, 425):
            return EndpointUnavailable(f"The LLM endpoint failed: {said}", charged=False, retry_after=retry_after)
        if status == 413 or code == "context_length_exceeded" or _TOO_LONG.search(error.message):
            return ContextTooLong(f"The LLM endpoint says: {said}")
        return EndpointRejected(f"The LLM endpoint rejects the request: {said}")

    def _cleaned(self, message: str) -> str:
        """One line without the key, which some endpoints repeat."""
        line = " ".join(message.split())[:300]
        return line.replace(self._key, "***") if self._key else line


def _body(
    request: ChatRequest, dialect: Dialect, model: str, output_tokens: int, temperature: float | None
) -> dict[str, Any]:
    messages = [dict(message) for message in request.messages]
    body: dict[str, Any] = {"model": model, "messages": messages, dialect.limit: output_tokens}
    if temperature is not None and dialect.temperature:
        body["temperature"] = temperature
    if dialect.json == "schema":
        described = {"name": "fields", "schema": dict(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
        return body
    if dialect.json == "object":
        body["response_format"] = {"type": "json_object"}
    messages[0]["content"] = prompt.with_schema(messages[0]["content"], request.schema)
    return body


def _adapted(dialect: Dialect, error: openai.APIStatusError) -> Dialect | None:
    """The dialect to try next; None where the error is about something else."""
    if error.status_code not in (400, 404, 422, 501):
        return None
    about = f"{error.message} {error.param or ''}"
    if "max_tokens" in about and "max_completion_tokens" in about and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if "temperature" in about and dialect.temperature:
        return replace(dialect, temperature=False)
    if _ABOUT_JSON.search(about) and dialect.json != "none":
        return replace(dialect, json="object" if dialect.json == "schema" else "none")
    return None


@cache
def _trust() -> ssl.SSLContext:
    """Reading the certificates takes longer than a short call."""
    return httpx2.create_ssl_context()


def warm_up() -> None:
    """Loads what a first call needs, so that a process forked from this one need not: half a second of its time."""

    async def touch() -> None:
        async with openai.AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(verify=_trust())) as client:
            _ = client.chat.completions.with_streaming_response
            await anyio.sleep(0)

    # In a thread of its own, as this one may have an event loop already (in a notebook).
    with start_blocking_portal() as portal:
        portal.call(touch)


def _reply(content: bytes) -> Reply:
    """Reads the answer itself: endpoints that are compatible leave out what the client's classes demand."""
    try:
        data = json.loads(content)
        choice = data["choices"][0]
        message = choice.get("message") or {}
        usage = data.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
        return Reply(
            text=str(message.get("content") or ""),
            finish=str(choice.get("finish_reason") or "stop"),
            refusal=str(message["refusal"]) if message.get("refusal") else None,
            input_tokens=_count(usage.get("prompt_tokens")),
            output_tokens=_count(usage.get("completion_tokens")),
            cached_tokens=_count(details.get("cached_tokens")) or 0,
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise EndpointUnavailable(
            "The LLM endpoint answered with something else than a completion.", charged=True
        ) from error


def _count(given: Any) -> int | None:
    return given if isinstance(given, int) and given >= 0 else None


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Seconds, from `retry-after-ms` or `Retry-After` (RFC 9110: seconds or an HTTP date); None where there is none."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / 1000)
        raw = headers.get("retry-after")
        if raw is None:
            return None
        if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", raw):
            return float(raw)
        return max(0.0, (parsedate_to_datetime(raw) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
