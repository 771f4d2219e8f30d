"""A file is written whole or not at all, and nothing else is touched."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.export.formats import FORMATS, export_file
from scatter_pipelines_tests.export.rows import row

pytestmark = pytest.mark.parametrize("name", list(FORMATS))


class Broken(Exception):
    """The database went away."""


def breaking() -> Iterator[dict[str, Any]]:
    yield row()
    raise Broken


def refusal(path: Path, name: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        export_file([row()], name, path, [])
    assert caught.value.code == "export_failed"
    assert str(path) in caught.value.message
    return caught.value


def test_a_failure_leaves_neither_a_half_file_nor_a_temporary_one(tmp_path: Path, name: str) -> None:
    with pytest.raises(Broken):
        export_file(breaking(), name, tmp_path / "out", [])
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path: Path, name: str) -> None:
    (tmp_path / "out").write_text("old")
    with pytest.raises(Broken):
        export_file(breaking(), name, tmp_path / "out", [])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_text() == "old"


def test_the_file_has_no_name_before_it_is_complete(tmp_path: Path, name: str) -> None:
    def looking() -> Iterator[dict[str, Any]]:
        yield row()
        assert not (tmp_path / "out").exists()

    export_file(looking(), name, tmp_path / "out", [])
    assert (tmp_path / "out").exists()


def test_folders_are_made_and_an_old_file_is_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a" / "ü b" / "out"
    assert export_file([row()], name, path, []) == export_file([row(), row()], name, path, []) - 1 == 1
    assert len(path.read_text().splitlines()) >= 2


def test_the_file_has_the_rights_that_the_umask_leaves(tmp_path: Path, name: str) -> None:
    before = os.umask(0o027)
    try:
        export_file([row()], name, tmp_path / "out", [])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    export_file([row()], name, tmp_path / "link", [])
    assert (tmp_path / "link").is_symlink()
    assert "a.pdf" in (tmp_path / "target").read_text()


def test_a_place_that_cannot_be_written_says_which_and_why(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert f"{tmp_path / 'file'} is not a folder" in refusal(tmp_path / "file" / "out", name).message
    assert "is a folder" in refusal(tmp_path, name).message
    refusal(Path("/proc/out"), name)
    assert "File name too long" in refusal(tmp_path / ("x" * 300), name).message


def test_a_full_disk_says_so(name: str) -> None:
    assert "No space left" in refusal(Path("/dev/full"), name).message


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path, name: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    seen: list[str] = []
    reader = threading.Thread(target=lambda: seen.append(path.read_text()))
    reader.start()
    export_file([row()], name, path, [])
    reader.join(10)
    assert "a.pdf" in seen[0]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_format_that_is_none_is_refused_with_those_there_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        export_file([row()], f"{name}x", tmp_path / "out", [])
    assert all(known in caught.value.message for known in FORMATS)
    assert list(tmp_path.iterdir()) == []
