"""Real documents through the whole path: none lost, the task closes. Prints the counts by code."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.settings import Settings
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts
from scatter_pipelines_tests.conftest import SHARED

CORPUS = SHARED / "corpus"
FOLDERS = ("papers", "pdfs", "office", "hostile")
DEFAULTS = {
    f"SCATTER_{name.upper()}": str(Settings.model_fields[name].default)
    for name in ("beat_seconds", "stale_seconds", "retry_seconds", "hang_seconds", "workers")
}

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real documents lies only beside the project")


def report(name: str, printed: dict[str, Any], folder: Path) -> None:
    errors: dict[str, int] = {}
    for error in printed["errors"]:
        errors[error["code"]] = errors.get(error["code"], 0) + 1
    print(f"\n{name}: {printed['counts']} by code {errors} in {printed['elapsed_seconds']} s ({folder.name})")


@pytest.mark.proof
@pytest.mark.parametrize(
    ("name", "pattern"), [("papers", "*.pdf"), ("pdfs", "*.pdf"), ("office", "*"), ("hostile", "*.pdf")]
)
def test_no_document_is_lost(
    name: str, pattern: str, scatter: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    folder = CORPUS / name
    files = sorted(path for path in folder.glob(pattern) if path.is_file())
    done = scatter("run", str(folder / pattern), "--json", timeout=1800)
    printed = json.loads(done.stdout)
    report(name, printed, folder)
    assert_all_ended(printed, len(files))


@pytest.mark.proof
def test_beside_hostile_documents_nobody_notices(
    scatter: Callable[..., "subprocess.CompletedProcess[str]"], runtime: Runtime, tmp_path: Path
) -> None:
    """All files in one task, with the default settings: only what hit a limit itself was tried again."""
    files = sorted(path for name in FOLDERS for path in (CORPUS / name).iterdir() if path.is_file())
    (tmp_path / "all.txt").write_text("\n".join(map(str, files)))
    started = time.monotonic()
    done = scatter("run", f"@{tmp_path / 'all.txt'}", "--json", timeout=3000, **DEFAULTS)
    printed = json.loads(done.stdout)
    report("all at once", printed, CORPUS)
    print(f"whole command: {time.monotonic() - started:.1f} s")
    assert_all_ended(printed, len(files))
    tried: dict[str, list[str]] = {}
    for row in attempts(runtime, printed["task_id"]):
        tried.setdefault(row["filename"], []).append(f"{row['outcome']} {row['code'] or ''}".strip())
    again = {name: outcomes for name, outcomes in tried.items() if len(outcomes) > 1}
    print(f"killed at their limit: {again}")
    assert all(outcome.startswith("limit") for outcomes in again.values() for outcome in outcomes[:-1])


def assert_all_ended(printed: dict[str, Any], expected: int) -> None:
    counts = printed["counts"]
    assert printed["status"] in ("completed", "completed_with_errors")
    assert printed["expected"] == expected
    assert counts["completed"] + counts["error"] == expected
    assert not any(error["code"] in ("internal_error", "worker_crashed") for error in printed["errors"])
