"""What an endpoint's failures do to a document's row, to its task, and to everybody else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.extraction.llm.endpoint import Endpoint as Client
from scatter_pipelines.settings import Settings
from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import details
from scatter_pipelines_tests.llm.running import Endpoint
from scatter_pipelines_tests.store.rows import attempts_of, ids_of, make_due, row_of, sql
from scatter_pipelines_tests.work.workers import process, submitted

Texts = Callable[..., Path]
OPEN = "SELECT count(*) FROM scatter.llm_call WHERE state = 'reserved'"


def one(runtime: Runtime, texts: Texts, template: str, n: int = 1) -> tuple[str, list[int]]:
    task_id = submitted(runtime, texts(n), template=template, engine="llm")
    return task_id, ids_of(runtime, task_id)


def unpause(runtime: Runtime) -> None:
    sql(runtime, "UPDATE scatter.llm_pace SET paused_until = clock_timestamp()")


@pytest.mark.parametrize(
    ("act", "code", "tries", "waits"),
    [
        ({"status": 500}, "llm_unavailable", 1, 0),
        ({"reset": "middle"}, "llm_unavailable", 1, 0),
        ({"status": 429, "headers": {"Retry-After": "30"}}, "llm_busy", 0, 1),
        ({"status": 429}, "llm_busy", 0, 1),
    ],
)
def test_a_passing_failure_is_tried_again(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts,
    act: dict[str, Any], code: str, tries: int, waits: int,
) -> None:  # fmt: skip
    endpoint.does({"first": 1, "do": act})
    task_id, (result_id,) = one(llm_runtime, texts, template)
    (outcome,) = process(llm_runtime, task_id, result_id)
    row = row_of(llm_runtime, result_id)
    assert (outcome.kind, outcome.code, row.status) == ("retry", code, "pending")
    assert (row.tries, row.waits) == (tries, waits)
    if "headers" in act:
        assert outcome.retry_in is not None and 25 < outcome.retry_in <= 30
    make_due(llm_runtime, task_id)
    unpause(llm_runtime)
    (outcome,) = process(llm_runtime, task_id, result_id)
    assert outcome.kind == "completed" and len(endpoint.calls()) == 2
    assert sql(llm_runtime, OPEN)[0][0] == 0


@pytest.mark.parametrize(
    ("act", "code", "calls"),
    [
        ({"refusal": "I cannot help."}, "llm_refused", 1),
        ({"finish": "content_filter"}, "llm_refused", 1),
        ({"finish": "length"}, "llm_answer_cut", 1),
        ({"text": "Sure! The answer is ten."}, "llm_invalid_answer", 2),
        ({"text": '{"other": 1}'}, "llm_invalid_answer", 2),
        ({"status": 400, "message": "no such thing"}, "llm_request_rejected", 1),
        ({"status": 400, "code": "context_length_exceeded"}, "llm_request_rejected", 3),
    ],
)
def test_what_will_not_change_ends_the_document_and_is_paid_once(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts, act: dict[str, Any], code: str, calls: int
) -> None:
    endpoint.does({"do": act})
    task_id, (result_id,) = one(llm_runtime, texts, template)
    (outcome,) = process(llm_runtime, task_id, result_id)
    row = row_of(llm_runtime, result_id)
    assert (outcome.kind, row.status, row.error_code, len(endpoint.calls())) == ("error", "error", code, calls)
    if "status" not in act:
        assert row.usage["calls"] == calls and row.usage["cost_usd"] > 0


@pytest.mark.parametrize(
    "act",
    [
        {"text": "Here: ```json\n{}\n```"},
        {"before": "not json {{{"},
        {"value": "ten"},
        {"text": '{"patients": {"quote": "x", "value": NaN}, "registration": null}'},
    ],
)
def test_an_answer_that_cannot_be_used_is_asked_for_once_more(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts, act: dict[str, Any]
) -> None:
    endpoint.does({"first": 1, "do": act})
    task_id, (result_id,) = one(llm_runtime, texts, template)
    process(llm_runtime, task_id, result_id)
    row = row_of(llm_runtime, result_id)
    assert (row.status, row.fields["patients"]["value"], row.usage["repairs"]) == ("completed", 10, 1)
    second = endpoint.calls()[1]
    assert [message["role"] for message in second["body"]["messages"]] == ["system", "user", "assistant", "user"]


def test_a_value_of_the_wrong_type_costs_its_field_alone(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    text = '{"patients": {"quote": "We enrolled 10 patients", "value": "some"}, "registration": '
    text += '{"quote": "10 patients (NCT00000000)", "value": "NCT00000000"}}'
    endpoint.does({"do": {"text": text}})
    task_id, (result_id,) = one(llm_runtime, texts, template)
    process(llm_runtime, task_id, result_id)
    row = row_of(llm_runtime, result_id)
    assert row.fields["patients"]["value"] is None
    assert row.fields["registration"]["value"] == "NCT00000000"
    assert row.fields["registration"]["evidence"][0]["verified"] and row.usage["invalid_values"] == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_an_endpoint_that_would_refuse_all_puts_the_task_on_hold(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts, status: int
) -> None:
    endpoint.does({"do": {"status": status, "message": "not you"}})
    task_id, ids = one(llm_runtime, texts, template, n=5)
    outcomes = process(llm_runtime, task_id, *ids)
    assert {outcome.kind for outcome in outcomes} == {"skipped"} and len(endpoint.calls()) == 1
    known = details(llm_runtime, task_id)
    assert known["counts"]["pending"] == 5
    (hold,) = known["holds"]
    assert "llm_closed" in hold and str(status) in hold and "not you" in hold
    row = row_of(llm_runtime, ids[0])
    assert (row.tries, row.losses, row.waits) == (0, 0, 0)
    assert attempts_of(llm_runtime, ids[0])[0].outcome == "given_back"
    endpoint.does()
    operate.resume(llm_runtime, task_id)
    assert {outcome.kind for outcome in process(llm_runtime, task_id, *ids)} == {"completed"}


def test_everybody_pauses_when_one_is_told_to(
    llm_settings: Settings, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    endpoint.does({"first": 1, "do": {"status": 429, "headers": {"Retry-After": "60"}}})
    with open_runtime(llm_settings.model_copy(update={"wait_seconds": 0.5})) as runtime:
        task_id, (first, second) = one(runtime, texts, template, n=2)
        process(runtime, task_id, first)
        (outcome,) = process(runtime, task_id, second)
        assert (outcome.kind, outcome.code) == ("retry", "upstream_wait")
    assert len(endpoint.calls()) == 1


def test_an_endpoint_that_fails_again_and_again_is_left_alone(
    llm_settings: Settings, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    endpoint.does({"do": {"status": 500}})
    slow = llm_settings.model_copy(update={"wait_seconds": 0.5, "retry_seconds": 60.0})
    with open_runtime(slow) as runtime:
        task_id, ids = one(runtime, texts, template, n=5)
        codes = [outcome.code for outcome in process(runtime, task_id, *ids)]
    assert codes == ["llm_unavailable"] * 3 + ["upstream_wait"] * 2
    assert len(endpoint.calls()) == 3


def test_the_document_slot_is_free_while_the_endpoint_is_asked(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = []
    before = Client.call

    def call(self: Client, *given: Any, **named: Any) -> Any:
        used.append(llm_runtime.slots.used())
        return before(self, *given, **named)

    monkeypatch.setattr(Client, "call", call)
    task_id, (result_id,) = one(llm_runtime, texts, template)
    process(llm_runtime, task_id, result_id)
    assert used == [{"document": 0, "parse": 0, "llm": 1}]
    assert llm_runtime.slots.used() == {"document": 0, "parse": 0, "llm": 0}
