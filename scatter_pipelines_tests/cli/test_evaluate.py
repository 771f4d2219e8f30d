"""`scatter evaluate` as a person runs it: on real tasks, in every format, as a gate, and refused where it must be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.bootstrap import SEED
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.work.evaluate import Wanted, evaluate_task
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.cli.shell import Shell
from scatter_pipelines_tests.conftest import PROJECT, SHARED
from scatter_pipelines_tests.generator.examples import ANSWERS_FILE
from scatter_pipelines_tests.generator.papers import generate_batch
from scatter_pipelines_tests.store.rows import claim, ids_of

CORPUS = SHARED / "corpus"
GOLD_FIELDS = ("title", "journal", "sample_size")
OTHER_TEMPLATE = """
name: other
version: 1
fields:
- {name: sample_size, type: integer, patterns: ['nothing (?P<value>like this)']}
- {name: title, type: string, recogniser: title}
"""


def write_gold(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def gold(tmp_path: Path) -> str:
    """Of the two papers which `papers(2)` writes, the second with a journal that is none."""
    first, second = (
        {"id": Path(paper.filename).stem, "fields": {name: paper.answers[name] for name in GOLD_FIELDS}}
        for paper in generate_batch(2, 1)
    )
    second["fields"]["journal"] = "No Such Bulletin"
    return write_gold(tmp_path / "gold.jsonl", [first, second])


def test_the_examples_are_judged_by_the_answers_the_readme_names(shell: Shell) -> None:
    task_id = shell.json("run", str(PROJECT / "examples"), status=3)["task_id"]
    found = shell.json("evaluate", task_id, "--gold", str(ANSWERS_FILE))
    assert (found["task_id"], found["template"], found["seed"], found["resamples"]) == (task_id, "paper", SEED, 1000)
    documents = found["documents"]
    assert (documents["evaluated"], documents["matched_by"]) == (16, {"sha256": 16})
    assert {one["code"] for one in documents["not_completed"]} == {"encrypted", "corrupt", "empty", "no_text_layer"}
    assert documents["unmatched_gold"] == documents["ambiguous_gold"] == documents["without_gold"] == []
    assert {*found["fields"], *found["not_in_gold"]} == {field.name for field in load_template("paper").fields}
    for name in ("title", "authors", "doi", "year", "registration_ids"):
        assert found["fields"][name]["levels"]["exact"]["score"] == {"value": 1.0, "low": 1.0, "high": 1.0}, name
    assert found["fields"]["title"]["evidence"] == {"values": 12, "verified": 1.0, "ocr": 0.0}
    _in_every_format(shell, task_id, found)


def _in_every_format(shell: Shell, task_id: str, found: dict[str, Any]) -> None:
    arguments = ("evaluate", task_id, "--gold", str(ANSWERS_FILE))
    assert json.loads(shell.good(*arguments, "--format", "json")) == found
    text = shell.good(*arguments, "--limit", "1")
    assert "4 documents without a result, counted as nothing found: confidential-draft.pdf (encrypted)" in text
    assert f"Intervals: 95%, percentile bootstrap over documents, 1,000 resamples, seed {SEED}." in text
    of_figures = [one for one in found["disagreements"] if one["field"] == "effect_estimates"]
    assert f"... and {len(of_figures) - 1} more: --limit {len(of_figures)} shows them" in text
    assert "    gold: " in text
    assert "    quote: page 1: “" in text
    markdown = shell.good(*arguments, "--format", "markdown", "--limit", "0")
    assert "| title | 12 | 12 | 1.000 \\[1.000, 1.000\\] |" in markdown
    assert "Disagreements" not in markdown
    again = shell.json(*arguments, "--seed", "5", "--resamples", "200")
    assert (again["seed"], again["resamples"]) == (5, 200)
    assert again["fields"]["title"]["levels"]["exact"] == found["fields"]["title"]["levels"]["exact"]


def test_what_changed_since_another_task_is_tested_and_told(
    shell: Shell, papers: Callable[..., Path], gold: str, tmp_path: Path
) -> None:
    folder = str(papers(2))
    old = shell.json("run", folder)["task_id"]
    template = tmp_path / "other.yaml"
    template.write_text(OTHER_TEMPLATE, encoding="utf-8")
    new = shell.json("run", folder, "-t", str(template))["task_id"]
    slim = write_gold(tmp_path / "slim.jsonl", _without_journal(gold))
    found = shell.json("evaluate", new, "--gold", slim, "--compare", old)
    compared = found["comparison"]
    assert (compared["task_id"], compared["documents"], compared["only_here"]) == (old, 2, [])
    size = compared["fields"]["sample_size"]["exact"]
    assert (size["here"], size["there"], size["better"], size["worse"], size["p"]) == (0.0, 1.0, 0, 2, 0.5)
    assert size["difference"] == {"value": -1.0, "low": -1.0, "high": -1.0}
    assert compared["fields"]["title"]["exact"]["difference"]["value"] == 0
    assert [(one["field"], one["change"], one["here"]) for one in compared["changed"]] == [
        ("sample_size", "worse", None)
    ] * 2
    assert "doi" in compared["left_out"]
    text = shell.good("evaluate", new, "--gold", slim, "--compare", old, "--limit", "1")
    assert f"Compared with task {old} on 2 documents that both have." in text
    assert "sample_size: 2 documents changed" in text
    assert f"### What changed since task {old}" in shell.good(
        "evaluate", new, "--gold", slim, "--compare", old, "-f", "markdown"
    )
    assert (
        "cannot be compared with itself" in shell.refused("evaluate", new, "--gold", slim, "--compare", new)["message"]
    )


def _without_journal(gold: str) -> list[dict[str, Any]]:
    """The lines of gold with the fields alone that the other template has."""
    lines = [json.loads(line) for line in Path(gold).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        del line["fields"]["journal"]
    return lines


def test_files_gates_and_what_has_no_partner(
    shell: Shell, papers: Callable[..., Path], gold: str, tmp_path: Path
) -> None:
    task_id = shell.json("run", str(papers(3)))["task_id"]
    arguments = ("evaluate", task_id, "--gold", gold)
    path = tmp_path / "new folder" / "report.md"
    assert shell.good(*arguments, "-o", str(path)) == f"Evaluation written to {path}.\n"
    assert path.read_text(encoding="utf-8") == shell.good(*arguments, "-f", "markdown")
    written = shell.json(*arguments, "-o", str(tmp_path / "report.json"))
    assert written == {"task_id": task_id, "format": "json", "path": str(tmp_path / "report.json")}
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == shell.json(*arguments)
    shell.good(*arguments, "-o", str(tmp_path / "report.txt"))
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == shell.good(*arguments)
    assert shell.good(*arguments, "-o", "-") == shell.good(*arguments)
    assert len(shell.json(*arguments)["documents"]["without_gold"]) == 1
    _gates(shell, arguments)
    lost = tmp_path / "lost.jsonl"
    lost.write_text(Path(gold).read_text() + '{"id": "nobody", "fields": {"year": 2000}}\n')
    assert shell.json("evaluate", task_id, "--gold", str(lost))["documents"]["unmatched_gold"] == [
        {"line": 3, "name": "nobody"}
    ]
    assert "1 line of gold without a document: nobody (line 3)." in shell.good("evaluate", task_id, "--gold", str(lost))


def _gates(shell: Shell, arguments: tuple[str, ...]) -> None:
    met = shell.json(*arguments, "--min", "sample_size.exact=1", "--min", "all-fields.recall=0.5")["minimums"]
    assert met == [
        {"minimum": "sample_size.exact=1", "value": 1.0, "met": True},
        {"minimum": "all-fields.recall=0.5", "value": pytest.approx(5 / 6), "met": True},
    ]
    done = shell(*arguments, "--min", "journal.exact=0.9", "--min", "sample_size.exact=1")
    assert done.returncode == 1
    assert done.stdout.endswith("\nBelow the minimum journal.exact=0.9: it is 0.500.\n")
    done = shell(*arguments, "--min", "journal.exact=0.9", "--json")
    assert (done.returncode, json.loads(done.stdout)["minimums"][0]["met"]) == (1, False)
    assert done.stderr == "Below the minimum journal.exact=0.9: it is 0.500.\n"
    done = shell(*arguments, "--min", "year.exact=0")
    assert (done.returncode, "year.exact=0: it is -" in done.stdout) == (1, True), "a score that does not exist"


def test_a_manifest_column_may_say_which_document_it_is(
    shell: Shell, papers: Callable[..., Path], tmp_path: Path
) -> None:
    batch = list(generate_batch(2, 1))
    folder = papers(2)
    rows = [f"{folder / paper.filename},S{number}\n" for number, paper in enumerate(batch)]
    (tmp_path / "manifest.csv").write_text("uri,study\n" + "".join(rows), encoding="utf-8")
    task_id = shell.json("run", str(tmp_path / "manifest.csv"))["task_id"]
    gold = tmp_path / "gold.csv"
    sizes = (f"S{number},{paper.answers['sample_size']}\n" for number, paper in enumerate(batch))
    gold.write_text(f"study,sample_size\n{''.join(sizes)}", encoding="utf-8")
    found = shell.json("evaluate", task_id, "--gold", str(gold), "--match", "study")
    assert found["documents"]["matched_by"] == {"study": 2}
    assert found["fields"]["sample_size"]["levels"]["exact"]["score"]["value"] == 1
    error = shell.refused("evaluate", task_id, "--gold", str(gold))
    assert "line 1: no column says which document a row is about" in error["message"]


def test_what_cannot_be_evaluated_says_why(
    shell: Shell, papers: Callable[..., Path], gold: str, tmp_path: Path
) -> None:
    folder = papers(2)
    task_id = shell.json("run", str(folder))["task_id"]
    for arguments, code, says in (
        (("nobody", "--gold", gold), "task_unknown", "There is no task 'nobody'"),
        ((task_id, "--gold", "/no/such/gold"), "gold_unreadable", "/no/such/gold cannot be read: no such file"),
        ((task_id, "--gold", gold, "--compare", "nobody"), "task_unknown", "'nobody'"),
        ((task_id, "--gold", gold, "--format", "pdf"), "config_invalid", "'pdf'; there are text, json, markdown"),
        ((task_id, "--gold", gold, "--format", "markdown"), "config_invalid", "--json would be printed"),
        ((task_id, "--gold", gold, "--min", "year=1"), "config_invalid", "year has no metric"),
        ((task_id,), "config_invalid", "Missing option '--gold'"),
    ):
        error = shell.refused("evaluate", *arguments)
        assert error["code"] == code
        assert says in error["message"]
    other = write_gold(tmp_path / "other.jsonl", [{"id": "nobody", "fields": {"year": 1}}])
    error = shell.refused("evaluate", task_id, "--gold", other)
    assert error["code"] == "gold_unmatched"
    assert f"No line of {other} names a document of task {task_id}: gold has nobody; the task has " in error["message"]
    folder_twin = papers(2, "twins")
    (folder_twin / "note.txt").write_text("Not a paper, but another document.", encoding="utf-8")
    both = shell.json("run", str(folder), str(folder_twin))["task_id"]
    error = shell.refused("evaluate", both, "--gold", gold)
    assert (error["code"], "fits several documents of task" in error["message"]) == ("gold_unmatched", True)
    name = sorted(path.name for path in folder.iterdir())[0]
    twice = [{"id": Path(name).stem, "fields": {"year": 1}}, {"filename": name, "fields": {"year": 1}}]
    error = shell.refused("evaluate", task_id, "--gold", write_gold(tmp_path / "twice.jsonl", twice))
    assert error["code"] == "gold_invalid"
    assert f"line 2: {name} is the same document as line 1" in error["message"]


def test_what_is_not_done_counts_as_nothing_found(
    runtime: Runtime, shell: Shell, texts: Callable[..., Path], tmp_path: Path
) -> None:
    task_id = shell.json("submit", str(texts(2)))["task_id"]
    claim(runtime, ids_of(runtime, task_id)[0])
    names = [row["filename"] for row in shell.lines("results", task_id)]
    lines = [{"filename": name, "fields": {"doi": "10.1/x"}} for name in names]
    gold = write_gold(tmp_path / "gold.jsonl", lines)
    evaluation = evaluate_task(runtime, task_id, Wanted(Path(gold)))
    assert evaluation.tally.not_completed == [(names[0], "extracting", None), (names[1], "pending", None)]
    assert evaluation.scores["doi"].levels["exact"].recall.value == 0
    assert "is not closed yet" in shell("evaluate", task_id, "--gold", gold).stderr
    with pytest.raises(UsageError, match="has no value in any field"):
        evaluate_task(runtime, task_id, Wanted(Path(write_gold(tmp_path / "empty.jsonl", [{"id": "a", "fields": {}}]))))


@pytest.mark.proof
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of papers does not lie beside the project")
def test_the_papers_beside_the_project_reach_what_they_reach_today(shell: Shell) -> None:
    task_id = shell.json("run", str(CORPUS / "papers" / "*.pdf"))["task_id"]
    floors = ("title.levenshtein=1", "abstract.levenshtein=0.95", "authors.soft=0.99", "doi.exact=1", "year.exact=0.95")
    options = [part for floor in floors for part in ("--min", floor)]
    done = shell("evaluate", task_id, "--gold", str(CORPUS / "gold" / "papers.jsonl"), *options)
    assert done.returncode == 0, done.stdout
    assert "24 documents evaluated (24 by sha256)." in done.stdout
