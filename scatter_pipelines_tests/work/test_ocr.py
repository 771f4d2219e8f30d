"""OCR in the course of a claim: what is kept, what is counted, its limit, and life without it."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scatter_pipelines.parsing.ocr.engine import installed
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import ocr_pages
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.sweep import sweep
from scatter_pipelines_tests.parsing.pdfs import drawn, says
from scatter_pipelines_tests.parsing.scans import scanned
from scatter_pipelines_tests.store.rows import attempts_of, ids_of, row_of, sql
from scatter_pipelines_tests.work.workers import process, submitted

pytestmark = [
    pytest.mark.skipif(not installed(), reason="the extra [ocr] is not installed"),
    pytest.mark.xdist_group("ocr"),
]

SCAN = "A trial of things\nWe enrolled 412 patients (NCT01234567)."
KEPT = "SELECT number, kept_at FROM scatter.ocr_page ORDER BY number"
CHILD = """
import sys
from scatter_pipelines.work.runtime import open_runtime
from scatter_pipelines_tests.work.workers import process
with open_runtime() as runtime:
    print(process(runtime, sys.argv[1], int(sys.argv[2]))[0].kind)
"""


@pytest.fixture
def reading(settings: Settings) -> Settings:
    return settings.model_copy(update={"ocr": "auto"})


@pytest.fixture
def scan(tmp_path: Path) -> Callable[..., Path]:
    """Makes a scan of so many pages, each with another number of patients."""

    def make(pages: int = 1) -> Path:
        texts = [SCAN.replace("412", str(412 + page)).splitlines() for page in range(pages)]
        path = tmp_path / "scan.pdf"
        path.write_bytes(scanned(drawn(*(says(*text) for text in texts)), range(pages)))
        return path

    return make


def test_values_of_a_scan_say_that_they_were_read_by_ocr(reading: Settings, scan: Callable[..., Path]) -> None:
    with open_runtime(reading) as runtime:
        task_id = submitted(runtime, scan())
        (result_id,) = ids_of(runtime, task_id)
        (outcome,) = process(runtime, task_id, result_id)
        row = row_of(runtime, result_id)
    assert (outcome.kind, row.status) == ("completed", "completed"), outcome
    assert "Read by OCR: page 1." in outcome.message
    field = row.fields["registration_ids"]
    assert (field["value"], field["evidence"][0]["ocr"], field["evidence"][0]["page"]) == (["NCT01234567"], True, 1)
    assert field["evidence"][0]["bbox"] is not None
    assert row.usage["ocr_pages"] == 1 and "unread_pages" not in row.usage


def test_pages_that_were_read_are_not_read_again_after_a_crash(
    reading: Settings, scan: Callable[..., Path], environment: dict[str, str]
) -> None:
    with open_runtime(reading) as runtime:
        task_id = submitted(runtime, scan(2))
        (result_id,) = ids_of(runtime, task_id)
        crashed = _child(environment, task_id, result_id, SCATTER_CRASH_POINT="ocr_page")
        assert crashed.returncode == -signal.SIGKILL, crashed.stderr
        before = [tuple(row) for row in sql(runtime, KEPT)]
        assert [number for number, _ in before] == [1]
        _give_back(runtime)
        (outcome,) = process(runtime, task_id, result_id)
        after = [tuple(row) for row in sql(runtime, KEPT)]
        assert after[:1] == before and [number for number, _ in after] == [1, 2]
        assert (outcome.kind, row_of(runtime, result_id).usage["ocr_pages"]) == ("completed", 2)


def test_a_second_task_over_the_same_scan_reads_nothing(reading: Settings, scan: Callable[..., Path]) -> None:
    with open_runtime(reading) as runtime:
        path = scan()
        first = submitted(runtime, path)
        process(runtime, first, *ids_of(runtime, first))
        copy = path.with_name("copy.pdf")
        copy.write_bytes(path.read_bytes())
        second = submitted(runtime, copy)
        (outcome,) = process(runtime, second, *ids_of(runtime, second))
        assert outcome.kind == "completed" and len(sql(runtime, KEPT)) == 1


def test_a_page_that_takes_too_long_ends_the_document(reading: Settings, scan: Callable[..., Path]) -> None:
    """The first page's time includes the making of the engine, so its limit is passed at once."""
    quick = reading.model_copy(update={"ocr_page_seconds": 0.05, "hang_seconds": 120})
    with open_runtime(quick) as runtime:
        task_id = submitted(runtime, scan(2))
        (result_id,) = ids_of(runtime, task_id)
        outcomes = [process(runtime, task_id, result_id)[0] for _ in range(2)]
        assert [(o.kind, o.code) for o in outcomes] == [("retry", "ocr_timeout"), ("error", "ocr_timeout")]
        assert "page 1 of the 2 to be read" in outcomes[0].message
        assert [attempt.outcome for attempt in attempts_of(runtime, result_id)] == ["limit", "limit"]


def test_a_warm_worker_is_killed_at_the_limit_of_a_page_and_nobody_else_notices(
    scatter: Callable[..., "subprocess.CompletedProcess[str]"], scan: Callable[..., Path], runtime: Runtime
) -> None:
    folder = scan(2).parent
    (folder / "note.txt").write_text("A trial of things\n\nWe enrolled 12 patients.\n", encoding="utf-8")
    quick = {"SCATTER_OCR": "auto", "SCATTER_OCR_PAGE_SECONDS": "0.05", "SCATTER_HANG_SECONDS": "0.1"}
    done = scatter("run", str(folder / "*"), "--json", **quick)
    assert done.returncode == 3, done.stderr
    rows = sql(runtime, "SELECT filename, status, error_code, losses FROM scatter.extraction_result ORDER BY filename")
    assert [tuple(row) for row in rows] == [
        ("note.txt", "completed", None, 0),
        ("scan.pdf", "error", "ocr_timeout", 0),
    ]


def test_without_ocr_the_advice_is_to_install_it(runtime: Runtime, scan: Callable[..., Path]) -> None:
    task_id = submitted(runtime, scan())
    (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert (outcome.kind, outcome.code) == ("error", "no_text_layer")


def test_the_sweep_drops_pages_that_were_kept_long_enough(runtime: Runtime) -> None:
    for number in (1, 2):
        key = ocr_pages.PageKey("ab" * 32, number, "engine")
        runtime.database.run(lambda c, key=key: ocr_pages.keep(c, key, []))
    sql(runtime, "UPDATE scatter.ocr_page SET kept_at = clock_timestamp() - interval '31 days' WHERE number = 1")
    sweep(runtime, None)
    assert [row.number for row in sql(runtime, KEPT)] == [2]


def _child(
    environment: dict[str, str], task_id: str, result_id: int, **more: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", CHILD, task_id, str(result_id)],
        env=environment | {"SCATTER_OCR": "auto"} | more,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _give_back(runtime: Runtime) -> None:
    """As the sweep would, but at once and without counting a loss."""
    sql(runtime, "UPDATE scatter.extraction_result SET status = 'pending', claim_token = NULL, claimed_at = NULL")
    sql(runtime, "DELETE FROM scatter.claim_beat")
    sql(runtime, "DELETE FROM scatter.shard_lease")
