"""The inbox: what has settled becomes a task, once."""

from pathlib import Path

import pytest

from scatter_pipelines.model.result import Task
from scatter_pipelines.settings import Settings
from scatter_pipelines.work.inbox import take_inbox
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import result_rows
from scatter_pipelines_tests.store.rows import at_once, sql


@pytest.fixture
def inbox(settings: Settings) -> Path:
    folder = settings.inbox_path()
    folder.mkdir(parents=True)
    return folder


def _settle(runtime: Runtime) -> None:
    """Lets the time pass in which a file must not change."""
    sql(runtime, "UPDATE scatter.inbox_file SET first_seen_at = first_seen_at - interval '1 minute'")


def _tick(runtime: Runtime) -> Task | None:
    """One tick that sees the files, time that passes, and the tick that takes them."""
    before = take_inbox(runtime)
    assert before is None, "nothing has settled yet"
    _settle(runtime)
    return take_inbox(runtime)


def _names(runtime: Runtime, task: Task | None) -> list[str]:
    assert task is not None
    return [row["filename"] for row in result_rows(runtime, task.id)]


def test_a_settled_file_becomes_a_task_once(runtime: Runtime, inbox: Path) -> None:
    (inbox / "a.txt").write_text("one")
    task = _tick(runtime)
    assert _names(runtime, task) == ["a.txt"]
    assert task is not None
    assert (task.key_origin, task.template_name) == ("inbox", "paper")
    _settle(runtime)
    assert take_inbox(runtime) is None
    assert len(sql(runtime, "SELECT * FROM scatter.extraction_task")) == 1


def test_a_file_that_still_grows_is_left_until_it_has_settled(runtime: Runtime, inbox: Path) -> None:
    for size in range(1, 4):
        (inbox / "a.txt").write_text("x" * size)
        assert take_inbox(runtime) is None
        _settle(runtime)
    assert _names(runtime, take_inbox(runtime)) == ["a.txt"]
    (row,) = sql(runtime, "SELECT size FROM scatter.extraction_result")
    assert row.size == 3


def test_only_what_has_settled_is_taken(runtime: Runtime, inbox: Path) -> None:
    (inbox / "old.txt").write_text("old")
    assert take_inbox(runtime) is None
    _settle(runtime)
    (inbox / "new.txt").write_text("new")
    assert _names(runtime, take_inbox(runtime)) == ["old.txt"]
    _settle(runtime)
    assert _names(runtime, take_inbox(runtime)) == ["new.txt"]


def test_two_ticks_at_once_make_one_task(runtime: Runtime, inbox: Path, settings: Settings) -> None:
    for number in range(20):
        (inbox / f"{number:02d}.txt").write_text(str(number))
    assert take_inbox(runtime) is None
    _settle(runtime)
    with open_runtime(settings) as other:
        made = at_once([lambda: take_inbox(runtime), lambda: take_inbox(other)])
    assert len({task.id for task in made if task}) == 1
    assert len(sql(runtime, "SELECT * FROM scatter.extraction_task")) == 1
    assert len(sql(runtime, "SELECT * FROM scatter.extraction_result")) == 20


def test_a_changed_file_becomes_a_new_task(runtime: Runtime, inbox: Path) -> None:
    (inbox / "a.txt").write_text("one")
    first = _tick(runtime)
    (inbox / "a.txt").write_text("another")
    second = _tick(runtime)
    assert first is not None
    assert second is not None
    assert first.id != second.id
    assert _names(runtime, second) == ["a.txt"]


def test_hidden_files_and_folders_are_ignored_and_others_are_walked(runtime: Runtime, inbox: Path) -> None:
    for name in (".hidden.txt", ".git/config", "study/a.txt", "study/.part/b.txt", "b.txt"):
        (inbox / name).parent.mkdir(parents=True, exist_ok=True)
        (inbox / name).write_text(name)
    assert _names(runtime, _tick(runtime)) == ["b.txt", "a.txt"]


def test_an_empty_or_missing_inbox_makes_nothing(runtime: Runtime) -> None:
    assert not runtime.settings.inbox_path().exists()
    assert take_inbox(runtime) is None
    assert runtime.settings.inbox_path().is_dir()


def test_a_submit_that_fails_leaves_the_files_for_the_next_tick(
    runtime: Runtime, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inbox / "a.txt").write_text("one")
    assert take_inbox(runtime) is None
    _settle(runtime)
    with monkeypatch.context() as broken, pytest.raises(OSError, match="power cut"):
        broken.setattr("scatter_pipelines.store.inbox.take", _fail)
        take_inbox(runtime)
    assert sql(runtime, "SELECT * FROM scatter.extraction_task") == []
    assert _names(runtime, take_inbox(runtime)) == ["a.txt"]


def _fail(*_arguments: object) -> int:
    raise OSError("power cut")


def test_a_file_that_looks_like_a_manifest_is_a_document_and_holds_up_no_other(runtime: Runtime, inbox: Path) -> None:
    (inbox / "table.csv").write_text("uri,study\n,A\n")
    (inbox / "note.txt").write_text("We enrolled 12 patients.")
    assert _names(runtime, _tick(runtime)) == ["note.txt", "table.csv"]


def test_names_that_are_alike_for_long_are_files_of_their_own(runtime: Runtime, inbox: Path) -> None:
    for number in range(2):
        (inbox / f"{'ü' * 60}{'語' * 20}-{number}.txt").write_text("one")
        assert len(_names(runtime, _tick(runtime))) == 1


def test_files_that_come_in_together_become_one_task(runtime: Runtime, inbox: Path) -> None:
    (inbox / "early.txt").write_text("one")
    assert take_inbox(runtime) is None
    settle = runtime.settings.inbox_settle_seconds
    sql(
        runtime, "UPDATE scatter.inbox_file SET first_seen_at = first_seen_at - make_interval(secs => :s)", s=settle * 2
    )
    (inbox / "late.txt").write_text("two")
    assert take_inbox(runtime) is None, "the batch still grows"
    assert _names(runtime, _tick_again(runtime)) == ["early.txt", "late.txt"]


def _tick_again(runtime: Runtime) -> Task | None:
    _settle(runtime)
    return take_inbox(runtime)
