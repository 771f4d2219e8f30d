"""`make bench` in small: sections run and say what they measured, in table and JSON; the others with `make proof`."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines_tests.benchmarks.place import PACKAGE, PROJECT

pytestmark = pytest.mark.xdist_group("benchmarks")

SUITE = ("executors", "store")
EXPECTED = {
    "executors": {
        *(f"{name}: {what}" for name in ("warm_pool", "in_process", "bare_pool") for what in ("wall", "CPU")),
        *(f"{name}: {what}" for name in ("warm_pool", "in_process") for what in ("event rows", "event bytes")),
        *(f"{name}: first run of one" for name in ("warm_pool", "in_process", "bare_pool")),
    },
    "documents": {
        *(f"bare pool: {what}" for what in ("work", "start", "command", "CPU")),
        *(f"scatter run: {what}" for what in ("task", "command", "CPU")),
    },
    "growth": {
        *(f"{count} documents: {what}" for count in (2, 4) for what in ("task", "command", "CPU")),
        *(f"{count} documents: {what}" for count in (2, 4) for what in ("event rows", "event bytes", "result bytes")),
        *(f"{count} documents: most memory of all processes" for count in (2, 4)),
        *(f"worker after {count} documents" for count in (2, 4)),
    },
    "store": {
        "submit of 500 documents", "submit of 500 documents, listing and hashing",
        "claims and saves of 8 processes", "aggregator tick", "sweep", "dispatchable shards",
    },
    "calls": {
        "slots / seconds of a call", "calls answered", "task, from submit to closing", "calls at once", "CPU",
    },
}  # fmt: skip
"""By section, the measures that must be there; a process that lives shorter than half a second may not be seen."""

MAY_BE_NOTHING = ("CPU of PostgreSQL", "memory of a submit")
"""The system counts CPU in hundredths of a second, and a process may have grown before."""


def measured(folder: Path, sections: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """The table and the content of the JSON file of one run."""
    path = folder / "deep" / "bench.json"
    command = [sys.executable, "-m", PACKAGE, *sections, "--small", "--json", str(path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def printed_and_kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    return measured(tmp_path_factory.mktemp("bench"), SUITE)


@pytest.mark.parametrize("section", SUITE)
def test_a_section_measures_all_it_should(section: str, printed_and_kept: tuple[str, dict[str, Any]]) -> None:
    check_section(section, *printed_and_kept)


@pytest.mark.proof
def test_the_other_sections_do_too(tmp_path: Path) -> None:
    others = [section for section in EXPECTED if section not in SUITE]
    found = measured(tmp_path, others)
    for section in others:
        check_section(section, *found)


def check_section(section: str, printed: str, kept: dict[str, Any]) -> None:
    measures = {measure["name"]: measure for measure in kept["sections"][section]}
    assert EXPECTED[section] <= set(measures)
    assert f"{section}, medians of 1" in printed
    for name, measure in measures.items():
        assert measure["value"] > 0 or any(one in name for one in MAY_BE_NOTHING), name
        assert measure["unit"], name
        assert len(measure["rounds"]) == kept["rounds"] == 1, name


def test_a_small_run_judges_nothing(printed_and_kept: tuple[str, dict[str, Any]]) -> None:
    _printed, kept = printed_and_kept
    assert {measure["met"] for measures in kept["sections"].values() for measure in measures} == {None}


def test_the_json_says_on_what_it_was_taken(printed_and_kept: tuple[str, dict[str, Any]]) -> None:
    _printed, kept = printed_and_kept
    assert {"cores", "python", "dagster", "postgresql", "executor", "commit"} <= set(kept["machine"])
