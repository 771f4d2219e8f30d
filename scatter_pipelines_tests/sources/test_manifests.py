"""Manifests as people's programs write them."""

from pathlib import Path

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import SourceDocument
from scatter_pipelines.sources.listing import list_documents

NAMES = ("a.txt", "b, c.txt", "ü.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_text(name, encoding="utf-8")
    return tmp_path


def listed(manifest: Path, content: str | bytes, *, at: bool = False) -> list[SourceDocument]:
    manifest.write_bytes(content.encode() if isinstance(content, str) else content)
    return list_documents([f"@{manifest}" if at else str(manifest)])


def refusal(manifest: Path, content: str | bytes, *, at: bool = False) -> UsageError:
    with pytest.raises(UsageError) as caught:
        listed(manifest, content, at=at)
    assert caught.value.code == "source_invalid"
    return caught.value


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('uri,study id\na.txt,7\n"b, c.txt",8\nü.txt,9\n', id="comma"),
        pytest.param("uri;study id\na.txt;7\nb, c.txt;8\nü.txt;9\n", id="semicolon"),
        pytest.param("uri\tstudy id\na.txt\t7\nb, c.txt\t8\nü.txt\t9\n", id="tab"),
        pytest.param('\ufeffuri,study id\na.txt,7\n"b, c.txt",8\nü.txt,9\n', id="byte order mark"),
        pytest.param('uri,study id\r\na.txt,7\r\n"b, c.txt",8\r\nü.txt,9\r\n', id="CRLF"),
        pytest.param('"uri","study id"\n"a.txt","7"\n"b, c.txt","8"\n"ü.txt","9"', id="all quoted, no last line break"),
        pytest.param('study id,uri\n7,a.txt\n8,"b, c.txt"\n9,ü.txt\n\n', id="uri last, empty line at the end"),
        pytest.param('uri , study id\n a.txt,7\n"b, c.txt",8\nü.txt,9\n,,\n', id="spaces, a row of nothing"),
    ],
)
@pytest.mark.parametrize("at", [False, True], ids=["plain", "@"])
def test_a_csv_manifest_of_any_dialect_gives_documents_with_their_columns(folder: Path, content: str, at: bool) -> None:
    documents = listed(folder / "manifest.csv", content, at=at)
    assert [document.filename for document in documents] == list(NAMES)
    assert [document.columns for document in documents] == [{"study id": number} for number in "789"]
    assert all(document.sha256 and document.problem is None for document in documents)


def test_quoted_cells_may_hold_line_breaks_delimiters_and_doubled_quotes(folder: Path) -> None:
    (document,) = listed(folder / "m.csv", 'uri,note\na.txt,"He said ""a, b"",\nthen left; so what"\n')
    assert document.columns == {"note": 'He said "a, b",\nthen left; so what'}


def test_a_manifest_with_one_column_needs_no_delimiter(folder: Path) -> None:
    assert [document.filename for document in listed(folder / "m.csv", "uri\r\na.txt\r\nü.txt\r\n")] == [
        "a.txt",
        "ü.txt",
    ]


def test_a_csv_without_a_uri_column_is_a_document_itself(folder: Path) -> None:
    (document,) = listed(folder / "data.csv", "patient,age\n1,50\n")
    assert (document.filename, document.columns, document.media_type) == ("data.csv", {}, "text/csv")
    assert "has no column `uri`" in refusal(folder / "data.csv", "patient,age\n1,50\n", at=True).message


def test_a_csv_that_is_no_csv_is_a_document_itself(folder: Path) -> None:
    (document,) = listed(folder / "data.csv", b'"' + b"x" * 200_000)
    assert document.filename == "data.csv"


def test_a_manifest_within_a_folder_is_one_of_its_documents(folder: Path) -> None:
    (folder / "m.csv").write_text("uri\na.txt\n", encoding="utf-8")
    assert "m.csv" in [document.filename for document in list_documents([str(folder)])]


def test_entries_are_relative_to_the_manifest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "lists").mkdir()
    monkeypatch.chdir("/")
    for documents in (
        listed(folder / "lists" / "m.csv", "uri\n../a.txt\n"),
        listed(folder / "lists" / "m.txt", "../a.txt\n", at=True),
    ):
        assert [document.uri for document in documents] == [(folder / "a.txt").as_uri()]


def test_a_list_has_one_location_a_line_with_comments(folder: Path) -> None:
    content = f"# my papers\r\n\r\n  a.txt  \r\nb, c.txt\n{(folder / 'ü.txt').as_uri()}\nhttps://nowhere.invalid/d.pdf"
    documents = listed(folder / "list.txt", content, at=True)
    assert [document.filename for document in documents] == [*NAMES, "d.pdf"]


def test_only_line_breaks_part_the_lines_of_a_list(folder: Path) -> None:
    name = "page\x0cone\u2028two.txt"
    (folder / name).write_text("x", encoding="utf-8")
    assert [document.filename for document in listed(folder / "list.txt", f"{name}\n", at=True)] == [name]


def test_a_missing_entry_among_good_ones_is_a_document_with_a_problem(folder: Path) -> None:
    good, bad, directory = listed(folder / "m.csv", "uri,id\na.txt,1\ngone.txt,2\n.,3\n")
    assert good.problem is None
    assert (bad.filename, bad.columns, bad.sha256) == ("gone.txt", {"id": "2"}, None)
    assert bad.problem == f"{folder}/gone.txt: no such file or directory."
    assert directory.problem == f"{folder}: is not a regular file."


@pytest.mark.parametrize("entry", ["nul\x00.txt", "x" * 300, "http://[broken/a.pdf"])
def test_an_impossible_entry_costs_the_others_nothing(folder: Path, entry: str) -> None:
    good, bad = listed(folder / "list.txt", f"a.txt\n{entry}\n", at=True)
    assert good.problem is None
    assert bad.problem
    bad.filename.encode()


def test_a_manifest_none_of_whose_entries_exists_is_refused(folder: Path) -> None:
    message = refusal(folder / "m.csv", "uri\nx.txt\ny.txt\n").message
    assert message == f"None of the 2 documents named can be read: {folder}/x.txt: no such file or directory."


def test_a_document_named_twice_is_one_with_the_columns_of_both(folder: Path) -> None:
    (folder / "more.csv").write_text("uri,site,id\n./a.txt,Oslo,2\n", encoding="utf-8")
    (folder / "m.csv").write_text("uri,id\na.txt,1\n", encoding="utf-8")
    (document,) = list_documents([str(folder / "m.csv"), str(folder / "more.csv"), str(folder / "a.txt")])
    assert document.columns == {"id": "1", "site": "Oslo"}


def test_the_file_of_a_windows_spreadsheet_keeps_its_umlauts(folder: Path) -> None:
    (document,) = listed(folder / "m.csv", "uri;größe\na.txt;Müller\n".encode("cp1252"))
    assert document.columns == {"größe": "Müller"}


def test_unnamed_columns_are_kept_where_they_hold_something(folder: Path) -> None:
    first, second = listed(folder / "m.csv", 'uri,id,\na.txt,1,\n"b, c.txt",2,note\n')
    assert first.columns == {"id": "1"}
    assert second.columns == {"id": "2", "column_3": "note"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("uri,id\n,1\n", "line 2: the column `uri` is empty"),
        ("uri,id\na.txt,1\n  ,2\n", "line 3: the column `uri` is empty"),
        ("uri,id\na.txt,1,2\n", "line 2: more values than the header has columns"),
        ("uri,id,id\na.txt,1,2\n", "more than one column `id`"),
        ("uri,uri\na.txt,b.txt\n", "more than one column `uri`"),
        ("uri,id\na.txt," + "x" * 200_000 + "\n", "is not a CSV file: field larger"),
    ],
)
def test_a_wrong_manifest_names_itself_and_the_line(folder: Path, content: str, says: str) -> None:
    message = refusal(folder / "m.csv", content).message
    assert says in message
    assert str(folder / "m.csv") in message


def test_missing_values_at_the_end_of_a_row_are_empty(folder: Path) -> None:
    (document,) = listed(folder / "m.csv", "uri,id,site\na.txt,1\n")
    assert document.columns == {"id": "1", "site": ""}


def test_a_manifest_without_rows_has_no_documents(folder: Path) -> None:
    (folder / "m.csv").write_text("uri,id\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        list_documents([str(folder / "m.csv")])
    assert caught.value.code == "no_documents"
