"""A document's way through an engine that asks: what is asked, what is kept, what is proved, what is written down."""

from collections.abc import Callable
from pathlib import Path

from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.llm.running import Endpoint
from scatter_pipelines_tests.store.rows import ids_of, row_of
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
