"""CSV: a table that spreadsheets and programs read alike."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.export import csv_table
from scatter_pipelines.export.csv_table import FORMULA, LEADING
from scatter_pipelines.export.formats import export_file
from scatter_pipelines_tests.export.rows import NOTHING, failed, found, row


def table(path: Path, rows: list[dict[str, Any]], fields: list[str]) -> list[dict[str, str]]:
    assert export_file(iter(rows), "csv", path, fields) == len(rows)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.csv"


def test_a_row_has_the_document_then_its_columns_then_each_field_with_page_and_quote(path: Path) -> None:
    (line,) = table(path, [row(columns={"study": "7"}, fields={"title": found("A", "the A", 3)})], ["title", "doi"])
    assert list(line) == [
        *LEADING, "study", "title", "title_page", "title_quote", "doi", "doi_page", "doi_quote",
    ]  # fmt: skip
    assert (line["filename"], line["status"], line["error_code"], line["pages"]) == ("a.pdf", "completed", "", "2")
    assert (line["study"], line["title"], line["title_page"], line["title_quote"]) == ("7", "A", "3", "the A")
    assert line["doi"] == line["doi_page"] == line["doi_quote"] == ""


def test_a_failed_document_has_its_error_and_no_values(path: Path) -> None:
    (line,) = table(path, [failed()], ["title"])
    assert (line["error_code"], line["error_message"], line["pages"]) == ("encrypted", "It needs a password.", "")
    assert line["title"] == ""


@pytest.mark.parametrize(
    "text", ["a,b", 'say "x"', "two\nlines", "two\r\nlines", " spaces ", "a;b", "😀 试验", "'quoted'", ""]
)
def test_any_text_comes_back_as_it_was(path: Path, text: str) -> None:
    (line,) = table(path, [row(fields={"title": found(text, f"{text}!")}, columns={text or "x": text})], ["title"])
    assert (line["title"], line["title_quote"], line[text or "x"]) == (text, f"{text}!", text)


def test_records_end_in_crlf_and_only_what_needs_quotes_has_them(path: Path) -> None:
    export_file([row(fields={"t": found('a "b", c')})], "csv", path, ["t"])
    head, record, end = path.read_bytes().decode().split("\r\n")
    assert (end, '"' in head) == ("", False)
    assert record == 'a.pdf,file:///a.pdf,00,completed,,,2,"a ""b"", c",1,quote'


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (["x", "y"], "x; y"), ([], ""), ([1, 2.5], "1; 2.5"), (True, "true"), (False, "false"),
        (None, ""), (0, "0"), (-5, "-5"), (1e-12, "1e-12"), (0.1, "0.1"),
    ],
)  # fmt: skip
def test_every_kind_of_value_has_its_cell(path: Path, value: Any, cell: str) -> None:
    field = NOTHING if value is None else found(value)
    (line,) = table(path, [row(fields={"f": field})], ["f"])
    assert line["f"] == cell


@pytest.mark.parametrize("sign", FORMULA)
def test_nothing_from_a_document_or_a_manifest_runs_as_a_formula(path: Path, sign: str) -> None:
    evil = f"{sign}cmd|' /C calc'!A0"
    rows = [row(evil, columns={evil: evil}, fields={"f": found(evil, evil), "g": found([evil, "x"])})]
    export_file(rows, "csv", path, ["f", "g"])
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for line in csv.reader(file, strict=True) for cell in line]
    assert len([cell for cell in cells if cell.startswith(f"'{sign}")]) == 6
    assert not [cell for cell in cells if cell.startswith(tuple(FORMULA))]


def test_the_signs_of_a_formula_are_those_spreadsheets_know() -> None:
    assert {"=", "+", "-", "@", "\t", "\r"} <= set(FORMULA)


def test_columns_of_later_rows_are_not_lost(path: Path) -> None:
    rows = [
        row("a"),
        row("b", columns={"x": "1"}),
        row("c", columns={"y": "2", "x": "3"}),
        row("d", columns={"z": "4"}),
    ]
    lines = table(path, rows, ["title"])
    assert list(lines[0])[len(LEADING) : len(LEADING) + 3] == ["x", "y", "z"]
    assert [(line["x"], line["y"], line["z"]) for line in lines] == [
        ("", "", ""), ("1", "", ""), ("3", "2", ""), ("", "", "4"),
    ]  # fmt: skip
    assert all(None not in line for line in lines)


def test_a_column_called_like_one_of_ours_gets_a_name_of_its_own(path: Path) -> None:
    mine = {"status": "mine", "title": "mine too", "title_page": "9"}
    (line,) = table(path, [row(columns=mine, fields={"title": found("A")})], ["title"])
    assert (line["status"], line["title"], line["title_page"]) == ("completed", "A", "1")
    assert [line[f"manifest_{name}"] for name in mine] == list(mine.values())


def test_a_table_without_rows_has_its_header(path: Path) -> None:
    assert table(path, [], ["title"]) == []
    assert path.read_bytes().decode() == ",".join([*LEADING, "title", "title_page", "title_quote"]) + "\r\n"


def test_many_rows_go_through_a_file_not_through_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_table, "SPOOL_BYTES", 1_000)
    alive = most = 0

    class Tracked(dict[str, Any]):
        def __init__(self, values: dict[str, Any]) -> None:
            nonlocal alive, most
            super().__init__(values)
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(200):
            yield Tracked(row(f"{number}.pdf", columns={f"c{number % 3}": str(number)}))

    assert export_file(rows(), "csv", path, ["f"]) == 200
    assert most < 5
    with path.open(encoding="utf-8", newline="") as file:
        assert [line["filename"] for line in csv.DictReader(file)] == [f"{number}.pdf" for number in range(200)]
