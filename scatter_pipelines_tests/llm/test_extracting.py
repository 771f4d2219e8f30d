"""A document's way through an engine that asks: what is asked, what is kept, what is proved, what is written down."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.settings import Settings
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines_tests.llm.running import Endpoint
from scatter_pipelines_tests.store.rows import attempts_of, ids_of, row_of, sql
from scatter_pipelines_tests.work.workers import process, submitted


def test_a_value_comes_with_the_words_that_prove_it(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    task_id = submitted(llm_runtime, texts(1), template=template, engine="llm")
    (result_id,) = ids_of(llm_runtime, task_id)
    (outcome,) = process(llm_runtime, task_id, result_id)
    assert outcome.kind == "completed", outcome
    row = row_of(llm_runtime, result_id)
    patients = row.fields["patients"]
    assert patients["value"] == 10
    (evidence,) = patients["evidence"]
    assert evidence["verified"] and evidence["quote"] == "We enrolled 10 patients (NCT00000000)."
    assert row.fields["registration"]["value"] == "NCT00000000"
    assert row.usage["calls"] == 1 and row.usage["input_tokens"] > 0 and row.usage["cost_usd"] > 0
    assert "stand-in was shown pages 1 in 1 calls" in outcome.message
    assert len(endpoint.calls()) == 1


def done(runtime: Runtime, *sources: Path, **more: Any) -> list[Any]:
    """The rows of a task that was worked through."""
    task_id = submitted(runtime, *sources, **{"engine": "llm"} | more)
    ids = ids_of(runtime, task_id)
    process(runtime, task_id, *ids)
    return [row_of(runtime, result_id) for result_id in ids]


def test_a_second_task_over_the_same_documents_asks_nothing(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    folder = texts(3)
    first = done(llm_runtime, folder, template=template)
    second = done(llm_runtime, folder, template=template, again=True, key="again")
    assert [row.fields for row in second] == [row.fields for row in first]
    assert [row.usage["calls"] for row in second] == [0, 0, 0]
    assert [row.usage["answers_from_cache"] for row in second] == [2, 2, 2]
    assert len(endpoint.calls()) == 3


def test_a_changed_template_pays_for_what_changed(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    folder = texts(1)
    done(llm_runtime, folder, template=template)
    text = Path(template).read_text()
    Path(template).write_text(text.replace("How many patients were enrolled.", "Patients enrolled, in all."))
    (row,) = done(llm_runtime, folder, template=template)
    _, asked = endpoint.calls()
    assert list(asked["body"]["response_format"]["json_schema"]["schema"]["properties"]) == ["patients"]
    assert (row.fields["patients"]["value"], row.fields["registration"]["value"]) == (10, "NCT00000000")


def test_without_the_cache_everything_is_asked_again_but_not_by_a_retry(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    folder = texts(1)
    done(llm_runtime, folder, template=template)
    task_id = submitted(llm_runtime, folder, template=template, engine="llm", cache=False)
    (result_id,) = ids_of(llm_runtime, task_id)
    process(llm_runtime, task_id, result_id)
    assert len(endpoint.calls()) == 2
    sql(llm_runtime, "UPDATE scatter.extraction_result SET status = 'pending' WHERE id = :id", id=result_id)
    process(llm_runtime, task_id, result_id)
    assert len(endpoint.calls()) == 2


def test_rules_fill_what_they_prove_and_the_model_what_is_left(
    llm_runtime: Runtime, endpoint: Endpoint, tmp_path: Path, texts: Callable[..., Path]
) -> None:
    both = tmp_path / "both.yaml"
    both.write_text(
        "name: both\nversion: 1\nfields:\n"
        "  - {name: registration, type: string, recogniser: registration, many: true}\n"
        "  - {name: number, type: integer, patterns: ['Trial number (\\d+)']}\n"
        "  - {name: patients, type: integer, description: Patients enrolled.}\n"
    )
    (row,) = done(llm_runtime, texts(1), template=str(both), engine="rules+llm")
    (call,) = endpoint.calls()
    assert list(call["body"]["response_format"]["json_schema"]["schema"]["properties"]) == ["patients"]
    values = {name: field["value"] for name, field in row.fields.items()}
    assert values == {"registration": ["NCT00000000"], "number": 0, "patients": 10}
    assert all(field["evidence"][0]["verified"] for field in row.fields.values())


@pytest.mark.parametrize(
    ("act", "value", "page"),
    [
        ({"quote": "The authors enrolled 99 people with gout."}, 10, None),
        ({"quote": "We enrolled 10 patient (NCT00000000)."}, 10, 1),
        ({"value": 11}, 11, 1),
    ],
)
def test_what_the_document_does_not_say_is_kept_and_marked(
    llm_runtime: Runtime,
    endpoint: Endpoint,
    template: str,
    texts: Callable[..., Path],
    act: dict[str, Any],
    value: int,
    page: int | None,
) -> None:
    endpoint.reads(patients=r"enrolled (\d+) patients")
    endpoint.does({"do": act})
    (row,) = done(llm_runtime, texts(1), template=template)
    field = row.fields["patients"]
    (evidence,) = field["evidence"]
    assert (field["value"], evidence["verified"], evidence["page"]) == (value, False, page)
    assert evidence.get("claimed") == act.get("quote")
    assert row.usage["unverified_values"] == 1


def test_a_template_that_demands_evidence_leaves_out_what_is_not_proved(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    path = Path(template)
    path.write_text(path.read_text().replace("version: 1", "version: 1\nevidence: required"))
    endpoint.does({"do": {"quote": "We enrolled 99 people."}})
    (row,) = done(llm_runtime, texts(1), template=template)
    assert row.fields["patients"] == {"value": None, "evidence": []}
    assert row.usage["unverified_values"] == 2


def test_an_estimate_asks_nobody_and_comes_near_what_is_paid(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    folder = texts(3)
    estimated = done(llm_runtime, folder, template=template, estimate=True)
    assert endpoint.calls() == []
    assert all(row.status == "completed" and row.fields["patients"]["value"] is None for row in estimated)
    paid = done(llm_runtime, folder, template=template)
    for guess, row in zip(estimated, paid, strict=True):
        assert guess.usage["estimated_calls"] == row.usage["calls"] == 1
        assert 0.8 < guess.usage["estimated_input_tokens"] / row.usage["input_tokens"] < 1.25
        assert row.usage["cost_usd"] <= guess.usage["most_cost_usd"]
    again = done(llm_runtime, folder, template=template, estimate=True, key="again")
    assert [row.usage["estimated_calls"] for row in again] == [0, 0, 0]


def test_a_long_document_is_asked_about_in_parts_the_likely_ones_first(
    llm_settings: Settings, endpoint: Endpoint, template: str, tmp_path: Path
) -> None:
    pages = [f"Chapter {n}. {'Whales and ships sail on. ' * 60}" for n in range(30)]
    pages[20] = "Methods. We enrolled 77 patients in the trial, registration number NCT00000077. " + pages[20]
    document = tmp_path / "long.txt"
    document.write_text("\n\n".join(pages))
    small = llm_settings.model_copy(update={"llm_context_tokens": 3_000, "llm_calls": 3})
    with open_runtime(small) as runtime:
        (row,) = done(runtime, document, template=template)
    assert (row.fields["patients"]["value"], row.fields["registration"]["value"]) == (77, "NCT00000077")
    assert row.usage["calls"] == 1
    asked = endpoint.calls()[0]["body"]["messages"][1]["content"]
    assert "enrolled 77" in asked and len(asked) < 3 * 3_000


def test_what_no_part_says_is_looked_for_in_all_parts(
    llm_settings: Settings, endpoint: Endpoint, template: str, tmp_path: Path
) -> None:
    document = tmp_path / "long.txt"
    document.write_text("\n\n".join(f"Chapter {n}. {'Whales and ships sail on. ' * 60}" for n in range(30)))
    small = llm_settings.model_copy(update={"llm_context_tokens": 3_000, "llm_calls": 3})
    with open_runtime(small) as runtime:
        (row,) = done(runtime, document, template=template)
        (attempt,) = attempts_of(runtime, row.id)
    assert row.usage["calls"] == 3 and row.fields["patients"]["value"] is None
    assert "in 3 calls" in attempt.message and "did not fit" in attempt.message
