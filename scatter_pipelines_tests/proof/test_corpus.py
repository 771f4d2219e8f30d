"""Real documents through the whole path: none lost, the task closes. Prints the counts by code."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scatter_pipelines_tests.conftest import SHARED

CORPUS = SHARED / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real documents lies only beside the project")


def report(name: str, printed: dict[str, object], folder: Path) -> None:
    errors: dict[str, int] = {}
    for error in printed["errors"]:  # type: ignore[attr-defined]
        errors[error["code"]] = errors.get(error["code"], 0) + 1
    print(f"\n{name}: {printed['counts']} by code {errors} in {printed['elapsed_seconds']} s ({folder.name})")


@pytest.mark.proof
@pytest.mark.parametrize(("name", "pattern"), [("papers", "*.pdf"), ("pdfs", "*.pdf"), ("office", "*")])
def test_no_document_is_lost(
    name: str, pattern: str, scatter: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    folder = CORPUS / name
    files = sorted(path for path in folder.glob(pattern) if path.is_file())
    done = scatter("run", str(folder / pattern), "--json", timeout=1800)
    printed = json.loads(done.stdout)
    report(name, printed, folder)
    counts = printed["counts"]
    assert printed["status"] in ("completed", "completed_with_errors")
    assert printed["expected"] == len(files)
    assert counts["completed"] + counts["error"] == len(files)
    assert not any(error["code"] in ("internal_error", "worker_crashed") for error in printed["errors"])
