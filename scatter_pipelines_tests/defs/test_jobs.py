"""The jobs beside extraction, and what a closing leaves in Dagster."""

from collections.abc import Callable
from pathlib import Path

from dagster import AssetKey, DagsterInstance, ExecuteInProcessResult

from scatter_pipelines.defs.announce import announce
from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import counts_of, summary
from scatter_pipelines.work.submit import Submission, submit

Execute = Callable[..., ExecuteInProcessResult]


def materialised(instance: DagsterInstance, name: str) -> list[tuple[str | None, dict[str, object]]]:
    records = instance.fetch_materializations(AssetKey(name), limit=10).records
    events = [record.asset_materialization for record in records]
    return [(event.partition, {k: v.value for k, v in event.metadata.items()}) for event in events if event]


def test_a_closing_is_materialised_once_with_its_numbers(
    execute: Execute, runtime: Runtime, instance: DagsterInstance, texts: Callable[..., Path]
) -> None:
    folder = texts(2)
    (folder / "empty.txt").write_bytes(b"")
    execute("extract_documents", {"source": str(folder)})
    task = operate.find_task(runtime, "last")
    assert execute("aggregate_tasks").success
    assert execute("aggregate_tasks").success
    assert instance.get_dynamic_partitions("scatter_tasks") == [task.id]
    ((partition, metadata),) = materialised(instance, "extraction_results")
    assert partition == task.id
    assert (metadata["status"], metadata["documents_completed"], metadata["documents_error"]) == (
        "completed_with_errors",
        2,
        1,
    )
    assert "| empty | 1 |" in str(metadata["errors"])
    assert float(str(metadata["duration_seconds"])) > 0
    ((_, sources),) = materialised(instance, "source_documents")
    assert sources["documents"] == 3


def test_a_crash_before_the_mark_tells_again_rather_than_never(
    runtime: Runtime, instance: DagsterInstance, texts: Callable[..., Path]
) -> None:
    task = submit(runtime, Submission([str(texts(1))])).task
    operate.force_finalize(runtime, task.id, "test")
    assert [told.id for told in announce(runtime, instance)] == [task.id]
    assert announce(runtime, instance) == []


def test_retry_reopens_and_the_next_closing_is_told_too(
    execute: Execute, runtime: Runtime, instance: DagsterInstance, tmp_path: Path, texts: Callable[..., Path]
) -> None:
    folder = texts(1)
    listing = folder / "list.txt"
    listing.write_text("note-00000.txt\nlate.txt\n")
    execute("extract_documents", {"source": f"@{listing}"})
    execute("aggregate_tasks")
    (folder / "late.txt").write_text("Here now.")
    task_id = operate.find_task(runtime, "last").id
    assert execute("retry_documents", {"task_id": task_id, "code": "source_missing"}).success
    execute("extract_documents", {"task_id": task_id})
    execute("aggregate_tasks")
    assert summary(runtime, task_id)["status"] == "completed"
    assert [metadata["closing"] for _, metadata in materialised(instance, "extraction_results")] == [2, 1]


def test_cancel_and_force_finalize_end_a_task(execute: Execute, runtime: Runtime, texts: Callable[..., Path]) -> None:
    first = submit(runtime, Submission([str(texts(2, "one"))])).task
    assert execute("cancel_task", {"task_id": first.id}).success
    assert counts_of(runtime, first.id).cancelled == 2
    execute("aggregate_tasks")
    assert summary(runtime, first.id)["status"] == "cancelled"
    second = submit(runtime, Submission([str(texts(2, "two"))])).task
    assert execute("force_finalize", {"task_id": second.id, "reason": "enough"}).success
    known = summary(runtime, second.id)
    assert known["status"] == "failed"
    assert {error["code"] for error in known["errors"]} == {"force_finalized"}


def test_an_unknown_task_is_one_plain_message(execute: Execute) -> None:
    for job, config in (
        ("retry_documents", {"task_id": "nonsense"}),
        ("cancel_task", {"task_id": "nonsense"}),
        ("force_finalize", {"task_id": "nonsense", "reason": "x"}),
        ("export_results", {"task_id": "nonsense"}),
    ):
        (event,) = execute(job, config).get_step_failure_events()
        assert "There is no task 'nonsense'" in str(event.step_failure_data.user_failure_data.description)


def test_an_export_is_materialised_with_its_files(
    execute: Execute, runtime: Runtime, instance: DagsterInstance, texts: Callable[..., Path], tmp_path: Path
) -> None:
    execute("extract_documents", {"source": str(texts(2))})
    task_id = operate.find_task(runtime, "last").id
    out = tmp_path / "out"
    assert execute("export_results", {"task_id": task_id, "folder": str(out)}).success
    assert len((out / "results.jsonl").read_text().splitlines()) == 2
    assert len((out / "results.csv").read_text().splitlines()) == 3
    ((partition, metadata),) = materialised(instance, "exported_table")
    assert (partition, metadata["rows"]) == (task_id, 2)


def test_a_sweep_reports_dead_runs_and_frees_their_shards(
    execute: Execute, runtime: Runtime, instance: DagsterInstance, texts: Callable[..., Path]
) -> None:
    task = submit(runtime, Submission([str(texts(1))], run_id="gone")).task
    with runtime.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE scatter.shard_lease SET beat_at = beat_at - interval '1 hour'")
    assert execute("sweep_stale").success
    with runtime.database.transaction() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM scatter.shard_lease").scalar_one() == 0
    assert counts_of(runtime, task.id).pending == 1
