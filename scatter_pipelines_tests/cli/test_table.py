"""Tables: one line a row at any width, and what must not be cut never is."""

from typing import Any

import pytest
from rich.cells import cell_len

from scatter_pipelines.cli import show
from scatter_pipelines.cli.table import LEAST, Column, fit, print_table
from scatter_pipelines_tests.export.rows import NOTHING, found, row

COLUMNS = (Column("document"), Column("status", firm=True), Column("title", spare=True), Column("doi", spare=True))
ROWS = [
    ["a name that goes on and on and on 试验试验试验试验.pdf", "error unsupported_type", "A long title " * 6, "10.1/x"],
    ["b.pdf", "completed", "line\nbreak\tand \x1b[31mred", None],
]  # fmt: skip


def drawn(capsys: pytest.CaptureFixture[str], columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("scatter_pipelines.cli.table.width", lambda: columns)
    print_table(COLUMNS, ROWS)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("columns", [42, 60, 80, 120, 200])
def test_a_row_is_one_line_within_the_width(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = drawn(capsys, columns, monkeypatch)
    assert len(lines) == 2 + len(ROWS)
    assert max(map(cell_len, lines)) <= columns
    assert "error unsupported_type" in lines[2]
    assert "…" in lines[2]
    assert "\x1b" not in "".join(lines)


def test_where_nothing_fits_the_firm_columns_are_still_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "error unsupported_type" in drawn(capsys, 10, monkeypatch)[2]


def test_spare_columns_go_the_last_first_and_the_rest_shares_the_room() -> None:
    natural = [30, 22, 60, 24]
    assert fit(COLUMNS, natural, 200) == natural
    narrow = fit(COLUMNS, natural, 70)
    assert narrow[1] == 22
    assert narrow[3] == 0
    assert narrow[0] == narrow[2] >= LEAST
    assert fit(COLUMNS, natural, 45)[2:] == [0, 0]


def test_a_table_shows_fields_with_one_short_value_that_was_found() -> None:
    names = ("authors", "abstract", "doi", "title", "journal", "year", "size", "site")
    kinds: dict[str, Any] = {"authors": {"many": True}, "abstract": {"type": "text"}}
    fields = [{"name": name, "type": "string"} | kinds.get(name, {}) for name in names]
    rows = [row(fields={name: found("x") for name in names if name != "doi"} | {"doi": NOTHING})]
    assert show.shown_fields(fields, rows) == ["title", "journal", "year", "size", "site"]
    assert show.shown_fields(fields, []) == ["doi", "title", "journal", "year", "size"]


def test_errors_are_grouped_with_their_advice_once(capsys: pytest.CaptureFixture[str]) -> None:
    advice = "Save or convert it as PDF, DOCX, HTML or plain text."
    errors = [
        {"filename": "a\nb.pdf", "code": "unsupported_type", "stage": "parse", "message": f"A web page. {advice}"},
        {"filename": "c.pdf", "code": "empty", "stage": "parse", "message": "It has zero bytes."},
        {"filename": "d.pdf", "code": "unsupported_type", "stage": "parse", "message": advice},
    ]
    show.print_errors(errors)
    said = capsys.readouterr().out
    assert said.count(advice) == 1
    assert "  a b.pdf: A web page.\n  d.pdf: The content is of a kind" in said
    show.print_errors([errors[1]] * (show.SHOWN_ROWS + 5))
    assert "... and 5 more errors." in capsys.readouterr().out
