"""JSON Lines: nothing is lost and nothing is added."""

import json
from pathlib import Path

from scatter_pipelines.export.formats import export_file
from scatter_pipelines_tests.export.rows import KEYS, NOTHING, failed, found, row

ROWS = [
    row(
        columns={"study id": "7"},
        fields={"title": found("Zeilen\numbruch, \u2028 “quoted” 😀 \x00\x1b"), "doi": NOTHING},
    ),
    row(fields={"p": found([0.05, 1e-12, -3]), "open": found(False), "n": found(10**15)}),
    failed("ü\n.pdf"),
]


def test_every_line_is_one_result_and_reads_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert export_file(iter(ROWS), "jsonl", path, ["title"]) == 3
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == ROWS


def test_the_keys_of_a_line_stand_in_the_order_of_the_documentation(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    export_file([row(), failed()], "jsonl", path, [])
    for line in path.read_text(encoding="utf-8").splitlines():
        assert tuple(json.loads(line)) == KEYS


def test_text_is_written_as_itself_not_as_escapes(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    export_file([row("试验.pdf")], "jsonl", path, [])
    assert "试验.pdf" in path.read_text(encoding="utf-8")


def test_a_task_without_results_gives_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert export_file([], "jsonl", path, []) == 0
    assert path.read_bytes() == b""
