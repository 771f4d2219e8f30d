"""Gold files: both formats read the same, and what is wrong with one is said with its line."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.gold import GoldLine, read_gold
from scatter_pipelines.evaluation.rules import FieldRule
from scatter_pipelines_tests.evaluation.rules import RULES

ALL_RULES = {
    **RULES,
    "size": FieldRule("size", "number", "number", many=False),
    "signed": FieldRule("signed", "date", "date", many=False),
    "open": FieldRule("open", "boolean", "boolean", many=False),
    "law": FieldRule("law", "choice", "enum", many=False, choices=("English", "German")),
}


@pytest.fixture
def gold(tmp_path: Path) -> "Gold":
    return Gold(tmp_path)


class Gold:
    """Writes a gold file and reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, content: str | bytes, name: str = "gold.jsonl") -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, content: str | bytes, name: str = "gold.jsonl", column: str | None = None) -> list[GoldLine]:
        return read_gold(self.path(content, name), ALL_RULES, column)

    def one(self, fields: dict[str, Any]) -> dict[str, Any]:
        (line,) = self.read(json.dumps({"id": "a", "fields": fields}))
        return dict(line.values)

    def refused(self, content: str | bytes, name: str = "gold.jsonl", code: str = "gold_invalid") -> str:
        with pytest.raises(UsageError) as caught:
            self.read(content, name)
        assert caught.value.code == code
        return caught.value.message


def line(**fields: Any) -> str:
    return json.dumps({"filename": "a.pdf", "fields": fields}, ensure_ascii=False) + "\n"


def test_a_line_has_names_and_values_and_what_is_empty_is_left_out(gold: Gold) -> None:
    text = (
        '{"filename": "a.pdf", "sha256": "AB", "note": "mine", "fields": {"title": "Ä title", "authors": ["A B", ""], '
        '"doi": null, "year": 2014}}\n\n{"id": 7, "fields": {"title": "", "authors": []}}\n'
    )
    first, second = gold.read("\ufeff" + text)
    assert first.identity == {"sha256": "AB", "filename": "a.pdf"}
    assert first.values == {"title": ("Ä title",), "authors": ("A B",), "year": (2014,)}
    assert (first.line, first.name, second.line, second.name, second.values) == (1, "a.pdf", 3, "7", {})


def test_values_are_read_by_the_type_of_the_field(gold: Gold) -> None:
    assert gold.one({"year": "2014", "size": "12.50", "signed": "2024-03-31", "open": "Yes", "law": "german"}) == {
        "year": (2014,),
        "size": (12.5,),
        "signed": ("2024-03-31",),
        "open": (True,),
        "law": ("german",),
    }
    assert gold.one({"year": 2014.0, "open": False}) == {"year": (2014,), "open": (False,)}


def test_an_exported_line_is_gold_too(gold: Gold) -> None:
    fields = {"doi": {"value": "10.1/x", "evidence": []}, "authors": {"value": ["A B"], "evidence": []}}
    assert gold.one({**fields, "title": {"value": None, "evidence": []}}) == {"doi": ("10.1/x",), "authors": ("A B",)}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_csv_says_the_same(gold: Gold, delimiter: str) -> None:
    authors = '"A. Ode; B. Ek;"'
    rows = [
        ["filename", "title", "authors", "year"],
        ["a.pdf", '"One,\nof; two"', authors, "2014"],
        ["b", "", "", " 2015 "],
    ]
    first, second = gold.read("\r\n".join(delimiter.join(row) for row in rows) + "\r\n\r\n", "gold.csv")
    assert first.values == {"title": ("One,\nof; two",), "authors": ("A. Ode", "B. Ek"), "year": (2014,)}
    assert (first.line, second.line, second.identity, second.values) == (2, 4, {"filename": "b"}, {"year": (2015,)})


def test_a_long_cell_is_read_and_the_limit_of_others_stays(gold: Gold) -> None:
    before = csv.field_size_limit()
    (line,) = gold.read("id,title\na," + "x" * (before + 1) + "\n", "gold.csv")
    assert len(str(line.values["title"][0])) == before + 1
    assert csv.field_size_limit() == before


def test_a_manifest_column_alone_says_which_document_if_one_is_named(gold: Gold) -> None:
    (only,) = gold.read('{"study": 12, "filename": "a.pdf", "fields": {"year": 1}}', column="study")
    assert only.identity == {"study": "12"}
    (only,) = gold.read("study,year\n12,2014\n", "gold.csv", column="study")
    assert only.identity == {"study": "12"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (line(title="x") + "{broken\n", "line 2: not JSON: Expecting property name"),
        ("[1]\n", "line 1: must be an object"),
        ('{"filename": "a.pdf"}\n', "line 1: must be an object with the document's name and `fields`"),
        ('{"fields": {"title": "x"}}\n', "line 1: nothing says which document it is"),
        ('{"filename": ["a"], "fields": {}}\n', "line 1: `filename` must be text"),
        (line(titel="x"), "line 1: the task's template has no field `titel`; did you mean `title`?"),
        (line(title=["x"]), "line 1: field title: must be one value, but is the list ['x']"),
        (line(authors="A; B"), "line 1: field authors: must be a list, since the field has `many: true`"),
        (line(authors=[["x"]]), "line 1: field authors: must be text in quotes, but is ['x']"),
        (line(title=12), "line 1: field title: must be text in quotes, but is 12"),
        (line(year="soon"), "line 1: field year: must be a whole number, but is 'soon'"),
        (line(year=2014.5), "line 1: field year: must be a whole number, but is 2014.5"),
        (line(year=True), "line 1: field year: must be a whole number, but is True"),
        (line(size="1_000"), "line 1: field size: must be a number, but is '1_000'"),
        (line(signed="31.3.2024"), "line 1: field signed: must be a date such as 2024-03-31"),
        (line(open="perhaps"), "line 1: field open: must be true or false, but is 'perhaps'"),
        (line(law="French"), "line 1: field law: must be one of English, German, but is 'French'"),
        ('{"id": "a", "fields": {"size": NaN}}', "line 1: not JSON that can be used: NaN is no value"),
        ('{"id": "a", "fields": {"size": 1e999}}', "line 1: field size: must be a number, but is inf"),
        ('{"id": "a", "id": "b", "fields": {}}', "the key 'id' stands twice in one object"),
        ('{"id": "a", "fields": {"title": "\\ud800"}}', "line 1: half of a character"),
        ("[" * 100_000, "line 1: not JSON that can be used"),
        (line(title="x") + line(title="y"), "line 2: a.pdf stands on line 1 already"),
        (b'{"id": "a", "fields": {}}\n{"id": "\xe4"}\n', "line 2: not UTF-8; save the file in that encoding"),
        ("", "holds no document: it is empty"),
        (" \n\n", "holds no document: it is empty"),
        (line(title=None), "has no value in any field"),
    ],
)
def test_what_is_wrong_with_jsonl_is_said_with_its_line(gold: Gold, content: str | bytes, says: str) -> None:
    assert says in gold.refused(content)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("filename,title,title\na,b,c\n", "line 1: more than one column is named `title`"),
        ("title,year\nx,2014\n", "line 1: no column says which document a row is about"),
        ("filename,titel\na,b\n", "line 1: the task's template has no field `titel`; did you mean `title`?"),
        ("filename,year\na,2014\nb,soon\n", "line 3: field year: must be a whole number, but is 'soon'"),
        ("filename,year\na,2014,x\n", "line 2: 3 values for 2 columns"),
        ("filename,year\n,2014\n", "line 2: nothing says which document it is"),
        ('filename,title\na,"open\n', "line 2: not CSV: unexpected end of data"),
        ("filename,year\na,2014\na,2015\n", "line 3: a stands on line 2 already"),
        ("filename,year\n", "holds no document"),
        ("", "holds no document"),
        (b"filename,title\na,\xe4\n", "line 2: not UTF-8"),
    ],
)
def test_what_is_wrong_with_csv_is_said_with_its_line(gold: Gold, content: str | bytes, says: str) -> None:
    assert says in gold.refused(content, "gold.csv")


def test_many_problems_are_told_at_once_but_not_without_end(gold: Gold) -> None:
    said = gold.refused("{\n" * 25).splitlines()
    assert len(said) == 11
    assert said[-1] == "... and 15 more problems"


def test_a_file_that_cannot_be_opened_is_named(gold: Gold, tmp_path: Path) -> None:
    for path, why in ((tmp_path / "gone.jsonl", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(UsageError, match=why) as caught:
            read_gold(path, ALL_RULES)
        assert caught.value.code == "gold_unreadable"
        assert str(path) in caught.value.message
