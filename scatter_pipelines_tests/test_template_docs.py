"""docs/templates.md is true: its examples give what it says, and it leaves out no type, key, section or recogniser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from scatter_pipelines.extraction.extract import extract_fields, fields_to_json
from scatter_pipelines.extraction.llm.schema import Candidate
from scatter_pipelines.extraction.llm.verify import Verifier
from scatter_pipelines.extraction.recognisers.design import DESIGNS
from scatter_pipelines.extraction.recognisers.registry import RECOGNISERS
from scatter_pipelines.extraction.templates import list_templates, parse_template
from scatter_pipelines.model.template import FIELD_TYPES, SECTION_NAMES, TemplateField
from scatter_pipelines_tests.extraction.documents import plain

_ROOT = Path(__file__).parent.parent
_TEXT = (_ROOT / "docs" / "templates.md").read_text("utf-8")
_DOCUMENT = plain(re.findall(r"```text\n(.*?)```", _TEXT, re.DOTALL)[0])
_EXAMPLES = re.findall(r"```yaml\n(.*?)```\n```json\n(.*?)```", _TEXT, re.DOTALL)
_SAID = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (yes|no)\b.*\|$", _TEXT, re.MULTILINE)
_README = (_ROOT / "scatter_pipelines" / "templates" / "README.md").read_text("utf-8")


@pytest.mark.parametrize(("fields", "result"), _EXAMPLES)
def test_an_example_gives_what_the_page_says(fields: str, result: str) -> None:
    indented = "".join(f"  {line}\n" for line in fields.splitlines())
    template = parse_template(f"name: example\nversion: 1\nfields:\n{indented}".encode(), "docs/templates.md")
    found: dict[str, Any] = fields_to_json(extract_fields(_DOCUMENT, template))
    assert {name: field["value"] for name, field in found.items()} == json.loads(result)
    assert all(evidence["verified"] for field in found.values() for evidence in field["evidence"])


def test_every_yaml_block_has_its_result() -> None:
    assert len(_EXAMPLES) == _TEXT.count("```yaml") >= 8


@pytest.mark.parametrize(("kind", "value", "quote", "verified"), _SAID)
def test_what_an_llm_says_is_verified_as_the_page_says(kind: str, value: str, quote: str, verified: str) -> None:
    field = TemplateField.model_validate({"name": "asked", "type": kind, "description": "as asked"})
    proved = Verifier(_DOCUMENT).proves(Candidate(json.loads(value), quote), field)
    assert proved == (verified == "yes")


def test_the_page_shows_both_verdicts() -> None:
    assert {verified for *_, verified in _SAID} == {"yes", "no"}


def test_examples_show_every_type_and_key() -> None:
    fields = [field for block, _ in _EXAMPLES for field in yaml.safe_load(block)]
    assert {field["type"] for field in fields} == set(FIELD_TYPES)
    shown = {key for field in fields for key in field}
    assert shown >= set(TemplateField.model_fields) - {"required", "description"}
    assert all(f"`{key}`" in _TEXT for key in TemplateField.model_fields)


def test_the_page_names_every_section_recogniser_and_design() -> None:
    assert [name for name in SECTION_NAMES if not re.search(rf"\b{name}\b", _TEXT)] == []
    assert [name for name in RECOGNISERS if f"`{name}`" not in _TEXT] == []
    assert [name for name in DESIGNS if name not in _TEXT] == []


def test_the_readme_of_the_shipped_templates_names_every_field() -> None:
    for template in list_templates():
        part = _README.split(f"## {template.name}\n")[1].split("\n## ")[0]
        assert [field.name for field in template.fields if f"| `{field.name}` |" not in part] == []
