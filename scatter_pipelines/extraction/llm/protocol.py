"""What stands between an extraction by LLM and the endpoint: requests, replies, and how an endpoint fails.

The extraction makes requests and reads replies; `work/ask.py` gives it an `Asker` that takes care of what a call costs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = Mapping[str, str]
"""`role` and `content` as in the chat completions of the OpenAI API."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call. `usable` says whether a reply's text is worth keeping; `schema` is what the text must fit."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    usable: Callable[[str], bool] = field(compare=False, repr=False)

    @property
    def characters(self) -> int:
        return sum(len(message["content"]) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `finish` is the API's `finish_reason`; tokens are None where the endpoint did not say."""

    text: str
    finish: str = "stop"
    refusal: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0


class Asker(Protocol):
    """One document's way to the endpoint. Whatever goes wrong is a `DocumentError`, a hold or a stop of its work."""

    def kept(self, keys: Sequence[str]) -> Mapping[str, Any]:
        """Fields that were answered before, by key."""

    def keep(self, answers: Mapping[str, object]) -> None:
        """Keeps what fields came to, by key."""

    def ask(self, request: ChatRequest) -> Reply:
        """One call, or what it was answered before. Raises ContextTooLong where it is more than the model takes in."""

    def progress(self, done: int, total: int) -> None:
        """So many of the calls planned are through."""


class EndpointError(Exception):
    """A call did not bring a reply. `message` says why, without the key."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class EndpointBusy(EndpointError):
    """It asks to be asked later; not charged. `retry_after` is in seconds, None where it did not say."""

    def __init__(self, message: str, retry_after: float | None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class EndpointUnavailable(EndpointError):
    """It failed. `charged` where it may have done the work: nobody knows."""

    def __init__(self, message: str, *, charged: bool, retry_after: float | None = None) -> None:
        self.charged = charged
        self.retry_after = retry_after
        super().__init__(message)


class EndpointClosed(EndpointError):
    """It would refuse every document: key, rights, model or quota. Not charged."""


class EndpointRejected(EndpointError):
    """It refuses this request. Not charged."""


class ContextTooLong(EndpointError):
    """The request is longer than the model takes in. Not charged."""
