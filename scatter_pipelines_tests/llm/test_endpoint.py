"""What each answer and failure of an endpoint is taken for, asked over loopback."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from scatter_pipelines.extraction.llm.endpoint import Endpoint as Client
from scatter_pipelines.extraction.llm.endpoint import retry_after_of
from scatter_pipelines.extraction.llm.llm import request_for
from scatter_pipelines.extraction.llm.passages import Passage
from scatter_pipelines.extraction.llm.protocol import (
    ContextTooLong,
    EndpointBusy,
    EndpointClosed,
    EndpointError,
    EndpointRejected,
    EndpointUnavailable,
    Reply,
)
from scatter_pipelines.model.template import TemplateField
from scatter_pipelines_tests.llm.running import Endpoint

KEY = "sk-very-secret-key"
FIELDS = [TemplateField(name="patients", type="integer", description="How many.")]
TEXT = "We enrolled 10 patients."
REQUEST = request_for(FIELDS, [Passage(1, 0, len(TEXT), TEXT)], "0" * 64)


@pytest.fixture
def client(endpoint: Endpoint) -> Iterator[Client]:
    client = Client(endpoint.url, KEY, seconds=2.0)
    yield client
    client.close()


def call(client: Client, check: Any = lambda: None) -> Reply:
    return client.call(REQUEST, model="stand-in", output_tokens=100, temperature=0.0, check=check)


def test_a_reply_has_its_text_and_what_it_used(client: Client, endpoint: Endpoint) -> None:
    reply = call(client)
    assert '"value": 10' in reply.text and reply.finish == "stop"
    assert reply.input_tokens and reply.output_tokens
    (seen,) = endpoint.calls()
    assert seen["authorization"] == f"Bearer {KEY}"
    assert seen["body"]["max_tokens"] == 100 and seen["body"]["temperature"] == 0
    assert seen["body"]["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("act", "kind", "charged"),
    [
        ({"status": 429}, EndpointBusy, None),
        ({"status": 429, "headers": {"Retry-After": "7"}}, EndpointBusy, None),
        ({"status": 503, "headers": {"Retry-After": "7"}}, EndpointBusy, None),
        ({"status": 429, "code": "insufficient_quota"}, EndpointClosed, None),
        ({"status": 429, "type": "insufficient_quota"}, EndpointClosed, None),
        ({"status": 401, "message": f"Incorrect API key provided: {KEY}"}, EndpointClosed, None),
        ({"status": 402}, EndpointClosed, None),
        ({"status": 403}, EndpointClosed, None),
        ({"status": 404, "message": "The model does not exist"}, EndpointClosed, None),
        ({"status": 500}, EndpointUnavailable, False),
        ({"status": 503}, EndpointUnavailable, False),
        ({"status": 408}, EndpointUnavailable, False),
        ({"status": 400, "message": "no such thing"}, EndpointRejected, None),
        ({"status": 422}, EndpointRejected, None),
        ({"status": 400, "code": "context_length_exceeded"}, ContextTooLong, None),
        ({"status": 400, "message": "This model's maximum context length is 8 tokens"}, ContextTooLong, None),
        ({"status": 413}, ContextTooLong, None),
        ({"reset": "before"}, EndpointUnavailable, True),
        ({"reset": "middle"}, EndpointUnavailable, True),
        ({"delay": 5}, EndpointUnavailable, True),
        ({"drip": 0.05}, EndpointUnavailable, True),
        ({"raw": "<html>a proxy</html>"}, EndpointUnavailable, True),
        ({"raw": "[]"}, EndpointUnavailable, True),
        ({"raw": "huge"}, EndpointUnavailable, True),
        ({"empty": True}, EndpointUnavailable, True),
    ],
)
def test_a_failure_is_known_for_what_it_is(
    client: Client, endpoint: Endpoint, act: dict[str, Any], kind: type[EndpointError], charged: bool | None
) -> None:
    endpoint.does({"do": act})
    with pytest.raises(EndpointError) as caught:
        call(client)
    assert type(caught.value) is kind, caught.value
    assert KEY not in caught.value.message
    if isinstance(caught.value, EndpointUnavailable):
        assert caught.value.charged is charged
    if isinstance(caught.value, EndpointBusy):
        assert caught.value.retry_after == (7.0 if "headers" in act else None)
    assert len(endpoint.calls()) == 1


def test_nobody_there_is_not_charged() -> None:
    client = Client("http://127.0.0.1:9/v1", None, seconds=2.0)
    with pytest.raises(EndpointUnavailable) as caught:
        call(client)
    client.close()
    assert not caught.value.charged


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        ("'response_format' of type 'json_schema' is not supported", {"type": "json_object"}),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 100),
        ("'temperature' does not support 0 with this model", None),
    ],
)
def test_what_an_endpoint_does_not_know_is_asked_another_way_from_then_on(
    client: Client, endpoint: Endpoint, message: str, changed: object
) -> None:
    endpoint.does({"first": 1, "do": {"status": 400, "message": message}})
    assert '"value": 10' in call(client).text
    assert '"value": 10' in call(client).text
    first, second, third = (seen["body"] for seen in endpoint.calls())
    name = next(word for word in ("response_format", "max_tokens", "temperature") if word in message)
    assert name in first
    for later in (second, third):
        assert later.get("max_completion_tokens" if name == "max_tokens" else name) == changed
        assert ("max_tokens" in later) == (name != "max_tokens")


def test_without_any_json_mode_the_schema_is_in_the_prompt(client: Client, endpoint: Endpoint) -> None:
    endpoint.does({"contains": "response_format", "do": {"status": 400, "message": "response_format is unknown"}})
    assert '"value": 10' in call(client).text
    last = endpoint.calls()[-1]["body"]
    assert len(endpoint.calls()) == 3 and "response_format" not in last
    assert '"patients"' in last["messages"][0]["content"]


class Stop(Exception):
    pass


def test_a_call_is_left_when_the_work_is_to_stop(client: Client, endpoint: Endpoint) -> None:
    endpoint.takes(30)
    looks = []

    def check() -> None:
        looks.append(1)
        if len(looks) > 3:
            raise Stop

    began = time.monotonic()
    with pytest.raises(Stop):
        call(client, check)
    assert time.monotonic() - began < 2
    endpoint.takes(0)
    assert '"value": 10' in call(client).text


def test_a_refusal_and_a_cut_answer_are_replies_that_say_so(client: Client, endpoint: Endpoint) -> None:
    endpoint.does({"do": {"refusal": "I cannot."}})
    assert call(client).refusal == "I cannot."
    endpoint.does({"do": {"finish": "length", "no_usage": True}})
    reply = call(client)
    assert (reply.finish, reply.input_tokens) == ("length", None)


def test_when_to_come_again_is_read_in_all_its_forms() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert retry_after_of({"retry-after-ms": "1500"}) == 1.5
    assert retry_after_of({"retry-after": "20"}) == 20
    assert 50 < (retry_after_of({"retry-after": later}) or 0) <= 60
    assert retry_after_of({"retry-after": "soon"}) is None
    assert retry_after_of({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after_of({}) is None


def test_the_models_are_listed_where_the_endpoint_tells(client: Client, endpoint: Endpoint) -> None:
    assert client.models() == ["stand-in"]
    endpoint.hides_models()
    assert client.models() == []
