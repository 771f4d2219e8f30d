"""What a service that helps with parsing offers, and how it fails. Which one is used is decided in `services.py`.

The local parser makes the pages; a service adds regions to them, so a value's words and their box stay the local ones.
"""

from collections.abc import Callable
from typing import Protocol

from scatter_pipelines.model.document import Document

Check = Callable[[], None]
"""Called several times a second while the service is waited for; may raise to stop the work."""


class ServiceError(Exception):
    """The service added nothing to a document; the message says why."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        self.message = message
        self.retry_after = retry_after
        super().__init__(message)


class ServiceRefused(ServiceError):
    """It answered and has nothing for this document: asking again would be no use."""


class ServiceUnavailable(ServiceError):
    """It did not answer, or not as it should: asking again later may help."""


class ServiceBusy(ServiceUnavailable):
    """It is alive and asks to be asked again. `retry_after` is in seconds, None where it did not say."""


class ParsingService(Protocol):
    """Adds regions to a document that the local parser made.

    `media_types` are those of the documents it reads; `revision` goes up with every change of what is made of its
    answers.
    """

    name: str
    revision: int
    media_types: frozenset[str]

    def alive(self) -> bool:
        """What the service says of itself, asked for now. Raises `ServiceError`."""

    def version(self) -> str:
        """The service's own version, asked for now. Raises `ServiceError`."""

    def annotate(self, content: bytes, document: Document, *, timeout: float, check: Check) -> Document:
        """The document with regions, and with the service in `parser`. One call, `timeout` seconds at most.

        Raises `ServiceError` and what `check` raises, nothing else.
        """
