"""The extraction job as Dagster runs it: its three forms of config, and how an outcome becomes a step's."""

from collections.abc import Callable
from pathlib import Path

import pytest
from dagster import DagsterEventType, DagsterInstance, ExecuteInProcessResult

from scatter_pipelines.defs.resources import mapping_key, result_id_of
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts, counts_of, summary
from scatter_pipelines.work.submit import Submission, submit
from scatter_pipelines_tests.generator.odd import generate_odd
from scatter_pipelines_tests.web import Site

Execute = Callable[..., ExecuteInProcessResult]
EXTRACT = "extract_documents"


def steps(result: ExecuteInProcessResult, kind: DagsterEventType) -> list[str]:
    keys = [event.step_key or "" for event in result.all_events if event.event_type == kind]
    return [key for key in keys if key.startswith("extract_document[")]


def failure_of(result: ExecuteInProcessResult, step: str = "scatter") -> str:
    (event,) = [event for event in result.get_step_failure_events() if event.step_key == step]
    return str(event.step_failure_data.user_failure_data.description)


def test_a_folder_is_enough(execute: Execute, runtime: Runtime, texts: Callable[..., Path]) -> None:
    result = execute(EXTRACT, {"source": str(texts(3))})
    assert result.success
    assert len(steps(result, DagsterEventType.STEP_SUCCESS)) == 3
    task = operate.find_task(runtime, "last")
    assert task.idempotency_key == f"run:{result.run_id}"
    assert counts_of(runtime, task.id).completed == 3


def test_a_task_and_a_shard_can_be_named(execute: Execute, runtime: Runtime, texts: Callable[..., Path]) -> None:
    task = submit(runtime, Submission([str(texts(5))], shard_size=2)).task
    assert len(steps(execute(EXTRACT, {"task_id": task.id, "shard": 2}), DagsterEventType.STEP_SUCCESS)) == 1
    assert len(steps(execute(EXTRACT, {"task_id": task.id}), DagsterEventType.STEP_SUCCESS)) == 2
    assert counts_of(runtime, task.id).completed == 3


def test_all_works_through_every_shard(execute: Execute, runtime: Runtime, texts: Callable[..., Path]) -> None:
    result = execute(EXTRACT, {"source": str(texts(5)), "shard_size": 2, "all": True})
    assert len(steps(result, DagsterEventType.STEP_SUCCESS)) == 5
    assert [closing.status for closing in aggregate(runtime).closed] == ["completed"]


def test_without_all_the_rest_is_left_to_dispatch(
    execute: Execute, runtime: Runtime, texts: Callable[..., Path]
) -> None:
    execute(EXTRACT, {"source": str(texts(5)), "shard_size": 2})
    counts = counts_of(runtime, operate.find_task(runtime, "last").id)
    assert (counts.completed, counts.pending) == (2, 3)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "either `source` or `task_id`"),
        ({"source": "x", "task_id": "y"}, "either `source` or `task_id`"),
        ({"source": "x", "shard": 1}, "goes with `task_id`"),
        ({"source": "/not/there"}, "/not/there does not exist"),
        ({"task_id": "nonsense"}, "There is no task 'nonsense'"),
        ({"source": "/tmp", "template": "nonsense"}, "nonsense"),
        ({"source": "/tmp", "engine": "nonsense"}, "nonsense"),
    ],
)
def test_a_wrong_config_is_one_plain_message(execute: Execute, config: dict[str, object], message: str) -> None:
    result = execute(EXTRACT, config)
    assert not result.success
    assert message in failure_of(result)


def test_a_permanent_error_is_a_green_step_that_says_so(
    execute: Execute, runtime: Runtime, texts: Callable[..., Path], instance: DagsterInstance
) -> None:
    folder = texts(2)
    odd = generate_odd("encrypted")
    (folder / odd.filename).write_bytes(odd.content)
    result = execute(EXTRACT, {"source": str(folder)})
    assert result.success
    (event,) = [
        event for event in result.all_events
        if event.event_type == DagsterEventType.STEP_OUTPUT and "encrypted" in str(event.event_specific_data)
    ]  # fmt: skip
    metadata = {name: value.value for name, value in event.event_specific_data.metadata.items()}
    assert metadata["document"] == odd.filename
    assert (metadata["outcome"], metadata["error_code"]) == ("error", "encrypted")
    assert "parse_ms" in metadata
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    assert run.tags["scatter/failed_documents"] == "1"
    assert counts_of(runtime, operate.find_task(runtime, "last").id).completed == 2


def test_a_transient_error_shows_as_a_retry(execute: Execute, runtime: Runtime, site: Site) -> None:
    url = site.serve("/paper.txt", b"We enrolled 12 patients.", failures=2)
    result = execute(EXTRACT, {"source": url})
    assert result.success
    assert len(steps(result, DagsterEventType.STEP_UP_FOR_RETRY)) == 2
    task = operate.find_task(runtime, "last")
    assert [row["outcome"] for row in attempts(runtime, task.id)] == ["transient", "transient", "completed"]
    assert site.asked["/paper.txt"] == 3


def test_an_upstream_that_stays_away_ends_one_document_alone(
    execute: Execute, runtime: Runtime, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "good.txt").write_text("Fine.")
    dead = site.serve("/dead.txt", b"", failures=99)
    (tmp_path / "list.txt").write_text(f"{dead}\ngood.txt\n")
    result = execute(EXTRACT, {"source": f"@{tmp_path / 'list.txt'}"})
    assert not result.success
    assert len(steps(result, DagsterEventType.STEP_FAILURE)) == 1
    known = summary(runtime, operate.find_task(runtime, "last").id)
    assert known["counts"]["completed"] == 1
    assert [error["code"] for error in known["errors"]] == ["source_unavailable"]
    assert site.asked["/dead.txt"] == 4


def test_running_again_does_nothing_twice(execute: Execute, runtime: Runtime, texts: Callable[..., Path]) -> None:
    task = submit(runtime, Submission([str(texts(3))])).task
    execute(EXTRACT, {"task_id": task.id})
    assert steps(execute(EXTRACT, {"task_id": task.id}), DagsterEventType.STEP_START) == []
    assert len(attempts(runtime, task.id)) == 3


def test_a_shard_that_another_run_holds_is_left_to_it(
    execute: Execute, runtime: Runtime, texts: Callable[..., Path]
) -> None:
    task = submit(runtime, Submission([str(texts(3))], run_id="another-run")).task
    result = execute(EXTRACT, {"task_id": task.id})
    assert result.success
    assert steps(result, DagsterEventType.STEP_START) == []


def test_a_mapping_key_carries_name_and_id() -> None:
    key = mapping_key("Übersicht (2010) v1.pdf", 42)
    assert key.isascii()
    assert key.replace("_", "").isalnum()
    assert "bersicht" in key
    assert result_id_of(key) == 42
    assert result_id_of(mapping_key("\n", 7)) == 7


def test_a_run_that_ends_frees_its_shards_at_once(
    execute: Execute, runtime: Runtime, texts: Callable[..., Path]
) -> None:
    task = submit(runtime, Submission([str(texts(3))])).task
    execute(EXTRACT, {"task_id": task.id})
    with runtime.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE scatter.extraction_result SET status = 'pending' WHERE ordinal = 0")
    assert len(steps(execute(EXTRACT, {"task_id": task.id}), DagsterEventType.STEP_SUCCESS)) == 1
