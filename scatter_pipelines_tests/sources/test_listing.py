"""What a SOURCE names, whatever lies in the folder."""

import hashlib
import os
import tempfile
from pathlib import Path

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import SourceDocument
from scatter_pipelines.sources.listing import list_documents
from scatter_pipelines.sources.uris import file_path, path_uri

NOBODY = 65534


def names(*sources: str | Path) -> list[str]:
    return [document.filename for document in list_documents([str(source) for source in sources])]


def only(*sources: str | Path) -> SourceDocument:
    (document,) = list_documents([str(source) for source in sources])
    return document


def refusal(*sources: str | Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        list_documents([str(source) for source in sources])
    return caught.value


def write(path: Path, content: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_a_file_is_frozen_with_size_hash_and_type(tmp_path: Path) -> None:
    document = only(write(tmp_path / "a.pdf", "some bytes"))
    assert document == SourceDocument(
        uri=(tmp_path / "a.pdf").as_uri(),
        filename="a.pdf",
        size=10,
        sha256=hashlib.sha256(b"some bytes").hexdigest(),
        media_type="application/pdf",
    )


def test_a_folder_gives_its_files_at_any_depth_in_order_and_nothing_hidden(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "sub/deep/c.txt", ".hidden.txt", ".git/d.txt", "sub/.e.txt"):
        write(tmp_path / name)
    assert names(tmp_path) == ["a.txt", "b.txt", "c.txt"]


def test_sources_keep_their_order(tmp_path: Path) -> None:
    first, second = write(tmp_path / "z.txt"), write(tmp_path / "a.txt")
    assert names(first, second) == ["z.txt", "a.txt"]


def test_a_glob_gives_its_files_and_no_folders(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf", "c.txt", "deep/d.pdf"):
        write(tmp_path / name)
    (tmp_path / "folder.pdf").mkdir()
    assert names(tmp_path / "*.pdf") == ["a.pdf", "b.pdf"]
    assert names(tmp_path / "**" / "*.pdf") == ["a.pdf", "b.pdf", "d.pdf"]


def test_a_file_whose_name_looks_like_a_glob_is_taken_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "1.txt")
    assert names(write(tmp_path / "[1].txt")) == ["[1].txt"]


@pytest.mark.parametrize(
    "name",
    [
        "two words.txt",
        'it\'s "quoted".txt',
        "line\nbreak.txt",
        "😀 试验.txt",
        "100%.txt",
        "#a?b.txt",
        "~nobody-at-all.txt",
    ],
)
def test_any_name_is_listed_and_its_uri_leads_back_to_the_file(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    for source in (path, tmp_path, path.as_uri()):
        document = only(source)
        assert document.filename == name
        assert document.uri.isascii()
        assert file_path(document.uri) == path


def test_a_name_that_is_not_utf8_is_shown_with_question_marks_and_still_read(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_bytes(b"x")
    document = only(tmp_path)
    assert document.filename == "caf?.txt"
    assert document.problem is None
    assert os.fsencode(file_path(document.uri)) == path


def test_one_file_named_in_several_ways_is_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.txt")
    assert names("./a.txt", "a.txt", tmp_path / "a.txt", f"{tmp_path}/../{tmp_path.name}/a.txt", tmp_path) == ["a.txt"]


def test_links_are_followed_to_files_but_not_to_folders(tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere" / "target.txt")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "linked.txt").symlink_to(target)
    (folder / "linked-folder").symlink_to(target.parent)
    (folder / "circle").symlink_to(folder)
    assert names(folder) == ["linked.txt"]


@pytest.mark.parametrize("source", ["", "*.txt"])
def test_a_link_that_leads_nowhere_is_a_document_with_a_problem_among_good_ones(tmp_path: Path, source: str) -> None:
    write(tmp_path / "good.txt")
    (tmp_path / "broken.txt").symlink_to(tmp_path / "gone.txt")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    problems = {document.filename: document.problem or "" for document in list_documents([str(tmp_path / source)])}
    assert problems["good.txt"] == ""
    assert "no such file" in problems["broken.txt"]
    assert "symbolic links" in problems["loop.txt"]


def test_pipes_and_devices_in_a_folder_are_no_documents_and_are_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path / "good.txt")
    os.mkfifo(tmp_path / "pipe")
    assert names(tmp_path) == ["good.txt"]
    assert names(tmp_path / "*") == ["good.txt"]
    for source in (tmp_path / "pipe", Path("/dev/null")):
        error = refusal(source)
        assert error.code == "source_invalid"
        assert error.message == f"{source} is neither a file nor a folder."


def test_an_empty_folder_has_no_documents(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert error.code == "no_documents"
    assert str(tmp_path) in error.message


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("/no/such/file.pdf", "/no/such/file.pdf does not exist"),
        ("/no/such/*.pdf", "/no/such/*.pdf does not exist"),
        ("~no-such-user/x.pdf", "does not exist"),
        ("  ", "is empty"),
        ("ftp://example.org/a.pdf", "only http, https and file"),
        ("@/no/such/list.txt", "manifest /no/such/list.txt cannot be read: no such file"),
        ("a\x00b", "cannot be looked at"),
        ("x" * 300, "cannot be looked at: file name too long"),
        ("http://[broken/a.pdf", "no usable URL"),
        ("https:///a.pdf", "no usable URL"),
    ],
)
def test_a_source_that_cannot_be_listed_says_which_and_why(source: str, says: str) -> None:
    error = refusal(source)
    assert error.code == "source_invalid"
    assert says in error.message


def test_a_url_is_not_fetched_at_submit() -> None:
    document = only("https://nowhere.invalid/papers/My%20paper.pdf?version=2")
    assert document.filename == "My paper.pdf"
    assert (document.size, document.sha256, document.problem) == (None, None, None)
    assert document.media_type == "application/pdf"
    assert only("https://nowhere.invalid").filename == "nowhere.invalid"


def test_sources_taken_as_files_are_documents_whatever_they_look_like(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    manifest = write(tmp_path / "m.csv", "uri\na.txt\n")
    sources = [str(manifest), str(tmp_path / "gone*.txt")]
    listed, gone = list_documents(sources, as_files=True)
    assert (listed.filename, listed.problem) == ("m.csv", None)
    assert gone.problem == f"{tmp_path}/gone*.txt: no such file or directory."
    assert list_documents(sources[1:], as_files=True) == [gone]


def test_progress_counts_up_to_the_number_of_documents(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path / f"{number}.txt")
    seen: list[tuple[int, int]] = []
    list_documents([str(tmp_path)], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(number, 5) for number in range(1, 6)]


def test_more_documents_than_a_page_are_all_listed_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scatter_pipelines.sources.listing.PAGE", 2)
    for number in range(5):
        write(tmp_path / f"{number}.txt", str(number))
    documents = list_documents([str(tmp_path)])
    assert [document.filename for document in documents] == [f"{number}.txt" for number in range(5)]
    assert len({document.sha256 for document in documents}) == 5


def _list_as_nobody(folder: Path) -> str:
    """What a process of a user without rights makes of the folder, one line a document."""
    read, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            said = "\n".join(f"{document.filename} {document.problem}" for document in list_documents([str(folder)]))
        except UsageError as error:
            said = f"{error.code} {error.message}"
        except BaseException as error:  # noqa: BLE001  whatever it is, the parent's test shall see it
            said = repr(error)
        os.write(write_end, said.encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user that may not read a file")
def test_what_may_not_be_read_is_said_by_name() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        write(folder / "docs" / "good.txt")
        write(folder / "docs" / "secret.txt").chmod(0o600)
        assert "secret.txt" in (said := _list_as_nobody(folder / "docs"))
        assert "permission denied" in said
        assert "good.txt None" in said
        (folder / "docs").chmod(0o744)  # its names may be read, its files may not be looked at
        assert "source_invalid None of the 2 documents named can be read" in _list_as_nobody(folder / "docs")
        (folder / "docs").chmod(0o700)
        assert f"The folder {folder / 'docs'} cannot be read: permission denied." in _list_as_nobody(folder / "docs")


def test_a_path_has_one_uri_however_it_is_spelled(tmp_path: Path) -> None:
    assert path_uri(tmp_path / "a" / ".." / "b") == path_uri(tmp_path / "b") == (tmp_path / "b").as_uri()
