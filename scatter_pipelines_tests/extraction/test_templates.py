from pathlib import Path

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction.recognisers.registry import RECOGNISERS
from scatter_pipelines.extraction.templates import list_templates, load_template, parse_template

GOOD = """\
name: trial
version: 1
fields:
  - name: size
    type: integer
    patterns: ['N = (\\d+)']
"""


def problems_of(text: str | bytes) -> str:
    with pytest.raises(UsageError) as caught:
        parse_template(text.encode() if isinstance(text, str) else text, "t.yaml")
    assert caught.value.code == "template_invalid"
    return caught.value.message


def test_a_good_file_is_a_template(tmp_path: Path) -> None:
    file = tmp_path / "trial.yaml"
    file.write_text(GOOD)
    assert load_template(str(file)).fields[0].patterns == (r"N = (\d+)",)


def test_the_shipped_templates_use_every_recogniser_but_the_bulky_ones() -> None:
    shipped = list_templates()
    assert {template.name for template in shipped} == {"paper", "rct"}
    used = {field.recogniser for template in shipped for field in template.fields} - {None}
    assert set(RECOGNISERS) - used == {"references", "sections"}


def test_an_unknown_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(UsageError) as caught:
        load_template("papre")
    assert caught.value.code == "template_unknown"
    assert "did you mean paper?" in caught.value.message


@pytest.mark.parametrize("name", ["", ".", "/", "a\x00b", "x" * 5_000])
def test_a_name_that_can_be_no_path_is_unknown(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_template(name)
    assert caught.value.code == "template_unknown"


def test_an_unknown_type_is_answered_with_line_field_and_types() -> None:
    message = problems_of(GOOD.replace("integer", "intger"))
    assert message.startswith("t.yaml, line 5: field size: `type` is 'intger'")
    assert "did you mean `integer`?" in message
    assert "string, text, integer, number, date, boolean, enum" in message


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    message = problems_of(GOOD + "    requird: true\n")
    assert "t.yaml, line 7: field size: unknown key `requird`; did you mean `required`?" in message


def test_an_unknown_recogniser_is_answered_with_the_list() -> None:
    message = problems_of(GOOD.replace("patterns: ['N = (\\d+)']", "recogniser: sample_siz"))
    assert "line 6: field size: no recogniser is named 'sample_siz'; did you mean `sample_size`?" in message


def test_a_recogniser_must_fit_the_type() -> None:
    message = problems_of(GOOD.replace("patterns: ['N = (\\d+)']", "recogniser: doi"))
    assert "line 5: field size: the recogniser doi gives string or text, not integer" in message


def test_a_name_used_twice_is_told_at_the_second() -> None:
    message = problems_of(GOOD + "  - name: size\n    type: string\n    patterns: [x]\n")
    assert message == "t.yaml, line 7: the field name 'size' is used before"


def test_a_key_that_stands_twice_is_an_error() -> None:
    assert "line 6: the key `type` stands twice" in problems_of(
        GOOD.replace("    patterns", "    type: text\n    patterns")
    )


def test_a_broken_pattern_is_told_with_the_reason() -> None:
    message = problems_of(GOOD.replace("(\\d+)", "(\\d+"))
    assert "line 6: field size: `patterns`" in message
    assert "not a regular expression: missing )" in message


def test_all_problems_of_a_file_are_told_at_once() -> None:
    first, second = "  - name: a\n    type: strin\n", "  - type: text\n    section: abstrakt\n    patterns: [x]\n"
    text = f"name: Trial\nversion: one\nfields:\n{first}{second}"
    lines = problems_of(text).splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"t.yaml, line {n}" for n in (1, 2, 4, 5, 6, 7)]


def test_no_means_no_and_not_false() -> None:
    values = parse_template(
        b"name: t\nversion: 1\nfields:\n- {name: a, type: enum, values: [yes, no, on, 2018-01-01]}\n", "t.yaml"
    )
    assert values.fields[0].values == ("yes", "no", "on", "2018-01-01")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("name: [", "line 1: not YAML"),
        ("name: 'a\nversion: 1", "not YAML"),
        ("a: &x [1]\nb: *x\n", "line 1: anchors (&x) are not allowed"),
        ("b: *x\n", "aliases (*x) are not allowed"),
        ("name: !!python/object/apply:os.system ['true']\n", "tags (tag:yaml.org,2002:python/object/apply:os.system)"),
        ("a: 1\n---\nb: 2\n", "line 2: a second document begins"),
        ("[" * 100_000, "nested too deeply"),
        ("- a\n- b\n", "must be a mapping"),
        ("just text", "must be a mapping"),
        ("name: t\nversion: 1\nfields: []\n", "line 3: `fields` must not be empty"),
        ("name: t\nversion: 1\nfields: 7\n", "line 3: `fields` must be a list"),
        ("name: t\nversion: 1\nfields: [7]\n", "field number 1:"),
        ("name: t\nversion: 1\n", "`fields` is missing"),
        ("? [a]\n: b\n", "a key must be a word"),
        ("name: \x00", "not YAML"),
    ],
)
def test_what_is_not_a_template_is_refused_with_the_reason(text: str, said: str) -> None:
    assert said in problems_of(text)


def test_bytes_that_are_not_utf_8_are_told_with_their_line() -> None:
    assert "line 2: not UTF-8" in problems_of(b"name: t\ndescription: \xe9t\xe9\n")


def test_an_enormous_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "big.yaml"
    file.write_bytes(b"#" * 2_000_000)
    with pytest.raises(UsageError, match="larger than"):
        load_template(str(file))
