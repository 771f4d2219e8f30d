"""One call over HTTP that can be left at any moment, with limits on its time and on the size of the answer."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

import requests
import urllib3

from scatter_pipelines.parsing.service import Check, ServiceRefused, ServiceUnavailable

CHUNK = 1 << 16
LOOK_SECONDS = 0.1
CONNECT_SECONDS = 5.0
FAILURES = (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError)

FormField = tuple[str, tuple[str | None, bytes | str, str]]
"""A field's name, and its file name, content and media type."""


@dataclass(frozen=True, slots=True)
class Request:
    """`form` are the fields of a multipart body, where there is one to send."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    form: Sequence[FormField] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """`retry_after` is in seconds, None where the service did not say."""

    status: int
    media_type: str
    body: bytes
    retry_after: float | None = None


class _Call(threading.Thread):
    """The exchange in a thread of its own: while a socket is waited for, nothing else in its thread can be heard."""

    def __init__(self, request: Request, timeout: float, most_bytes: int) -> None:
        super().__init__(name="scatter-service-call", daemon=True)
        self._request = request
        self._timeout = timeout
        self._most_bytes = most_bytes
        self.left = threading.Event()
        self.answer: Answer | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.answer = self._exchange()
        except Exception as error:  # noqa: BLE001  handed to the thread that waits
            self.error = error

    def _exchange(self) -> Answer:
        request = self._request
        with requests.request(
            request.method,
            request.url,
            headers=dict(request.headers),
            files=list(request.form) or None,
            timeout=(min(CONNECT_SECONDS, self._timeout), self._timeout),
            allow_redirects=False,
            stream=True,
        ) as response:
            media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            return Answer(response.status_code, media_type, self._body(response), _retry_after(response))

    def _body(self, response: requests.Response) -> bytes:
        """Piece by piece as it arrives, so that a server which dribbles can be left."""
        parts, size = [], 0
        while not self.left.is_set() and (part := response.raw.read1(CHUNK, decode_content=True)):
            size += len(part)
            if size > self._most_bytes:
                raise ServiceRefused(f"{shown(self._request.url)} sent more than {self._most_bytes:,} bytes.")
            parts.append(part)
        return b"".join(parts)


def call(request: Request, *, timeout: float, most_bytes: int, check: Check) -> Answer:
    """The answer, whatever its status. Raises `ServiceError` and what `check` raises."""
    exchange, deadline = _Call(request, timeout, most_bytes), time.monotonic() + timeout
    exchange.start()
    try:
        while exchange.is_alive():
            exchange.join(LOOK_SECONDS)
            check()
            if exchange.is_alive() and time.monotonic() > deadline:
                raise ServiceUnavailable(f"{shown(request.url)} did not answer within {timeout:g} s.")
    finally:
        exchange.left.set()
    return _outcome(exchange, request)


def _outcome(exchange: _Call, request: Request) -> Answer:
    if exchange.answer is not None:
        return exchange.answer
    if isinstance(exchange.error, FAILURES):
        raise ServiceUnavailable(f"{shown(request.url)} did not answer: {_reason(exchange.error)}.") from exchange.error
    raise exchange.error or ServiceUnavailable(f"{shown(request.url)} did not answer.")


def _reason(error: Exception) -> str:
    """The kind of failure in two words; the libraries' own messages hold addresses of objects."""
    names = {
        requests.exceptions.ConnectTimeout: "no connection in time",
        requests.exceptions.ReadTimeout: "silent for too long",
        requests.exceptions.ConnectionError: "connection refused or broken",
        urllib3.exceptions.ProtocolError: "connection broken",
    }
    return next((said for kind, said in names.items() if isinstance(error, kind)), type(error).__name__)


def _retry_after(response: requests.Response) -> float | None:
    said = response.headers.get("Retry-After", "")
    return min(float(said), 3600.0) if said.isascii() and said.isdigit() else None


def shown(url: str) -> str:
    """The URL as a person may see it: without its password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
