"""`scatter run`: from a folder to a closed task, with an exit status that a script can rely on."""

from collections.abc import Callable
from pathlib import Path

from scatter_pipelines_tests.cli.shell import Shell, one_object

COUNTS = ("pending", "extracting", "completed", "error", "cancelled")


def test_a_mixed_folder_ends_with_some_errors_and_the_documented_object(
    shell: Shell, papers: Callable[..., Path], odd: Callable[..., Path]
) -> None:
    folder = odd("encrypted", "truncated", "empty", "old_word", "pdf_named_txt", folder=papers(2))
    done = shell.anew("run", str(folder), "--json")
    assert done.returncode == 3
    first = one_object(done.stdout)
    assert list(first) == ["task_id", "status", "expected", "counts", "errors", "elapsed_seconds"]
    assert (first["status"], first["expected"]) == ("completed_with_errors", 7)
    assert first["counts"] == dict.fromkeys(COUNTS, 0) | {"completed": 3, "error": 4}
    assert 0 < first["elapsed_seconds"] < 60
    assert all(set(error) == {"filename", "code", "stage", "message"} for error in first["errors"])
    assert {error["filename"]: error["code"] for error in first["errors"]} == {
        "confidential-draft.pdf": "encrypted",
        "download-interrupted.pdf": "corrupt",
        "empty.pdf": "empty",
        "fulltext.pdf": "unsupported_type",
    }
    _shown_again(shell, folder, first["task_id"])


def _shown_again(shell: Shell, folder: Path, task_id: str) -> None:
    done = shell("run", str(folder))
    assert done.returncode == 3
    assert f"Task {task_id} did these documents before and is completed_with_errors" in done.stderr
    assert "`--again` makes a new one" in done.stderr
    assert f"scatter retry {task_id} && scatter run --task {task_id}" in done.stdout
    for said in ("encrypted: Save a copy without the password", "error unsupported_type", task_id):
        assert said in done.stdout
    advice = "Save or convert it as PDF, DOCX, HTML or plain text."
    assert done.stdout.count(advice) == 1


def test_the_same_documents_join_the_old_task_until_again_is_asked_for(
    shell: Shell, texts: Callable[..., Path]
) -> None:
    folder = str(texts(3))
    submitted = shell.json("submit", folder)
    assert (submitted["status"], submitted["counts"]["pending"]) == ("processing", 3)
    again = shell("submit", folder)
    assert again.returncode == 0
    assert f"Task {submitted['task_id']} is at work on these documents already" in again.stdout
    done = shell.json("run", folder)
    assert (done["task_id"], done["status"]) == (submitted["task_id"], "completed")
    other = shell("run", folder, "--again")
    assert other.returncode == 0
    assert submitted["task_id"] not in other.stdout + other.stderr
    assert "3 documents: 3 completed." in other.stdout
    assert len(shell.json("tasks")["tasks"]) == 2


def test_a_task_without_one_good_document_failed(shell: Shell, odd: Callable[..., Path]) -> None:
    done = shell("run", str(odd("encrypted", "empty")), "--key", "mine")
    assert done.returncode == 1
    assert "failed" in done.stdout
    assert "--evidence" not in done.stdout
    found = shell.json("run", "/whatever/it/is", "--key", "mine", status=1)
    assert (found["status"], found["counts"]["error"]) == ("failed", 2)


def test_a_manifest_gives_its_columns_and_its_missing_file_is_one_error(
    shell: Shell, texts: Callable[..., Path], tmp_path: Path
) -> None:
    folder = texts(2)
    (folder / "Prüfung 试验 😀.txt").write_text("Trial of things\n\nWe enrolled 12 patients.\n", encoding="utf-8")
    rows = ["uri;study", "note-00000.txt;S1", "gone.txt;S2", "Prüfung 试验 😀.txt;größer"]
    (folder / "list.csv").write_text("\n".join(rows), encoding="utf-8")
    found = shell.json("run", str(folder / "list.csv"), status=3)
    assert [(error["filename"], error["code"]) for error in found["errors"]] == [("gone.txt", "source_missing")]
    exported = tmp_path / "out.csv"
    written = shell.json("export", "last", "-f", "csv", "-o", str(exported))
    assert written == {"task_id": found["task_id"], "format": "csv", "path": str(exported), "rows": 3}
    assert ",study," in exported.read_text(encoding="utf-8").splitlines()[0]
    assert "größer" in exported.read_text(encoding="utf-8")
    for arguments in ((), ("--evidence",), ("--json",)):
        done = shell.anew("results", "last", *arguments, LC_ALL="POSIX", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
        assert done.returncode == 0
        assert done.stdout.isascii()
        assert "gone.txt" in done.stdout
    names = [row["filename"] for row in shell.lines("results", "last")]
    assert names == ["note-00000.txt", "gone.txt", "Prüfung 试验 😀.txt"]
