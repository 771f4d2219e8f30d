"""The real daemon and web server bring every task to its end: by themselves, after a kill, as an operator wishes."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.store import sweeping, tasks
from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts, counts_of, result_rows, summary
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.e2e.conftest import Deployment, wait_for
from scatter_pipelines_tests.generator.papers import generate_batch
from scatter_pipelines_tests.web import Site

pytestmark = [pytest.mark.xdist_group("daemon"), pytest.mark.timeout(400)]

MATERIALISED = """
    query { assetsOrError { ... on AssetConnection { nodes {
        key { path } assetMaterializations { partition runId metadataEntries { label } } } } } }
"""


def task_of_run(runtime: Runtime, run_id: str) -> str:
    task = wait_for(
        lambda: runtime.database.run(lambda c: tasks.by_key(c, f"run:{run_id}")), 90, f"the task of run {run_id}"
    )
    return str(task.id)


def closed(runtime: Runtime, task_id: str, seconds: float = 120) -> dict[str, Any]:
    """The task's summary once it is closed; the oracle of every test here."""
    wait_for(lambda: summary(runtime, task_id)["status"] != "processing", seconds, f"task {task_id} to close")
    known = summary(runtime, task_id)
    counts = known["counts"]
    assert counts["pending"] == counts["extracting"] == 0
    assert sum(counts.values()) == known["expected"]
    uris = [row["uri"] for row in result_rows(runtime, task_id)]
    assert len(uris) == len(set(uris)) == known["expected"]
    return known


def partitions(deployment: Deployment, asset: str) -> set[str]:
    nodes = deployment.ask(MATERIALISED)["assetsOrError"]["nodes"]
    return {
        event["partition"]
        for node in nodes
        if node["key"]["path"] == [asset]
        for event in node["assetMaterializations"]
    }


def assert_each_completed_once(runtime: Runtime, task_id: str) -> None:
    done = Counter(row["result_id"] for row in attempts(runtime, task_id) if row["outcome"] == "completed")
    assert set(done.values()) == {1}
    assert len(done) == summary(runtime, task_id)["counts"]["completed"]


def test_a_folder_dropped_into_the_inbox_becomes_one_closed_task(deployment: Deployment, deployed: Runtime) -> None:
    inbox = deployment.settings.inbox_path()
    shutil.copytree(PROJECT / "examples", inbox / "batch")
    task_id = wait_for(lambda: deployed.database.run(tasks.latest_id), 90, "a task from the inbox")
    known = closed(deployed, task_id)
    assert known["status"] == "completed_with_errors"
    assert {error["code"] for error in known["errors"]} == {"encrypted", "corrupt", "empty", "no_text_layer"}
    assert len(deployed.database.run(lambda c: tasks.recent(c, 10))) == 1
    for asset in ("source_documents", "extraction_results", "exported_table"):
        wait_for(lambda asset=asset: partitions(deployment, asset) == {task_id}, 60, f"{asset} to be materialised")
    exported = deployment.settings.home_path() / "exports" / task_id / "results.jsonl"
    assert len(exported.read_text().splitlines()) == known["expected"]


def test_a_launch_as_the_ui_does_it_closes_by_the_sensor(deployment: Deployment, deployed: Runtime) -> None:
    run_id = deployment.launch({"source": str(PROJECT / "examples")})
    task_id = task_of_run(deployed, run_id)
    known = closed(deployed, task_id)
    assert (known["expected"], known["counts"]["error"]) == (16, 4)
    wait_for(lambda: task_id in partitions(deployment, "extraction_results"), 60, "the closing to be materialised")
    assert deployment.status(run_id) == "SUCCESS"


def test_a_typo_in_the_launchpad_is_one_message(deployment: Deployment) -> None:
    with pytest.raises(AssertionError, match='unexpected config entry "sorce"'):
        deployment.launch({"sorce": "examples"})


def test_after_kill_9_every_document_is_done_once(deployment: Deployment, deployed: Runtime, tmp_path: Path) -> None:
    for paper in generate_batch(60, seed=3, pages=None):
        (tmp_path / paper.filename).write_bytes(paper.content)
    run_id = deployment.launch({"source": str(tmp_path)})
    task_id = task_of_run(deployed, run_id)
    wait_for(lambda: counts_of(deployed, task_id).completed >= 20, 60, "a third of the documents")
    deployment.worker_of(run_id).kill()
    assert counts_of(deployed, task_id).completed < 60, "the kill came too late to prove anything"
    known = closed(deployed, task_id)
    assert known["counts"]["completed"] == 60
    assert_each_completed_once(deployed, task_id)
    wait_for(lambda: deployment.status(run_id) == "FAILURE", 100, "the dead run to be reported failed")


def test_terminating_a_run_cancels_what_it_left_undone(
    deployment: Deployment, deployed: Runtime, site: Site, tmp_path: Path
) -> None:
    listing = tmp_path / "list.txt"
    (tmp_path / "first.txt").write_text("We enrolled 12 patients.")
    listing.write_text("\n".join(["first.txt", *(site.dribble(f"/slow-{n}.txt") for n in range(3))]))
    run_id = deployment.launch({"source": f"@{listing}"})
    task_id = task_of_run(deployed, run_id)
    wait_for(lambda: counts_of(deployed, task_id).extracting >= 1 and site.asked, 60, "a document at work")
    deployment.terminate(run_id)
    known = closed(deployed, task_id)
    assert known["status"] == "cancelled"
    assert (known["counts"]["completed"], known["counts"]["cancelled"]) == (1, 3)
    assert deployment.status(run_id) == "CANCELED"


def test_reexecution_from_failure_does_what_is_left_and_nothing_twice(
    deployment: Deployment, deployed: Runtime, site: Site, tmp_path: Path
) -> None:
    names = [f"note-{number}.txt" for number in range(6)]
    for name in names:
        (tmp_path / name).write_text(f"{name}: we enrolled 12 patients.")
    slow = [site.dribble(f"/slow-{worker}.txt") for worker in range(2)]
    (tmp_path / "list.txt").write_text("\n".join([*names[:3], *slow, *names[3:]]))
    run_id = deployment.launch({"source": f"@{tmp_path / 'list.txt'}"})
    task_id = task_of_run(deployed, run_id)
    wait_for(lambda: counts_of(deployed, task_id).completed == 3 and len(site.asked) == 2, 60, "the slow ones")
    deployment.worker_of(run_id).kill()
    for worker in range(2):
        site.serve(f"/slow-{worker}.txt", f"Number {worker}: we enrolled 12 patients.".encode())
    wait_for(
        lambda: deployed.database.run(lambda c: sweeping.survey(c, deployed.settings))["stale_claims"], 30, "silence"
    )
    deployment.launch({}, job="sweep_stale")
    wait_for(lambda: deployment.status(run_id) == "FAILURE", 100, "the dead run to be reported failed")
    again = deployment.reexecute_from_failure(run_id)
    known = closed(deployed, task_id)
    assert known["counts"]["completed"] == 8
    assert_each_completed_once(deployed, task_id)
    wait_for(lambda: deployment.status(again) in ("SUCCESS", "FAILURE"), 60, "the re-execution to end")
    assert deployed.database.run(lambda c: tasks.by_key(c, f"run:{again}")) is None


def test_force_finalize_reaches_a_live_worker(deployment: Deployment, deployed: Runtime, site: Site) -> None:
    run_id = deployment.launch({"source": site.dribble("/endless.txt")})
    task_id = task_of_run(deployed, run_id)
    wait_for(lambda: counts_of(deployed, task_id).extracting == 1, 60, "the document at work")
    operate.force_finalize(deployed, task_id, "it never ends")
    known = closed(deployed, task_id, 5)
    assert [error["code"] for error in known["errors"]] == ["force_finalized"]
    wait_for(lambda: deployment.status(run_id) == "SUCCESS", 30, "the worker to notice and its run to end")
    assert closed(deployed, task_id)["counts"]["error"] == 1


def test_a_retry_after_closing_closes_again(
    deployment: Deployment, deployed: Runtime, site: Site, texts: Callable[..., Path]
) -> None:
    folder = texts(2)
    (folder / "list.txt").write_text("note-00000.txt\nlate.txt\n")
    task_id = task_of_run(deployed, deployment.launch({"source": f"@{folder / 'list.txt'}"}))
    assert closed(deployed, task_id)["status"] == "completed_with_errors"
    (folder / "late.txt").write_text("Here now.")
    deployment.launch({"task_id": task_id}, job="retry_documents")
    wait_for(lambda: summary(deployed, task_id)["status"] == "processing", 60, "the task to be reopened")
    known = closed(deployed, task_id)
    assert (known["status"], known["counts"]["completed"]) == ("completed", 2)
