import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scatter_pipelines.extraction.templates import list_templates
from scatter_pipelines.model.template import FIELD_TYPES, Template
from scatter_pipelines_tests.extraction.documents import template

_FIELDS = st.fixed_dictionaries(
    {"type": st.sampled_from([t for t in FIELD_TYPES if t not in ("enum", "boolean")])},
    optional={
        "many": st.booleans(),
        "required": st.booleans(),
        "description": st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        "section": st.sampled_from(["abstract", "methods", None]),
    },
)


@given(_FIELDS, st.lists(st.sampled_from([r"a+", r"(?i)n = (\d+)", "é"]), min_size=1))
def test_a_template_survives_the_database(field: dict[str, object], patterns: list[str]) -> None:
    before = template(**field, patterns=patterns)
    after = Template.model_validate(json.loads(json.dumps(before.model_dump(mode="json"))))
    assert after == before
    assert after.hash == before.hash


def test_an_enum_with_patterns_survives_the_database_in_the_order_of_its_values() -> None:
    before = template(type="enum", patterns={"z": ["zed"], "a": ["ay"]})
    frozen = json.loads(json.dumps(before.model_dump(mode="json"), sort_keys=True))
    assert Template.model_validate(frozen) == before
    assert Template.model_validate(frozen).fields[0].values == ("z", "a")


def test_shipped_templates_survive_the_database() -> None:
    for shipped in list_templates():
        assert Template.model_validate(shipped.model_dump(mode="json")) == shipped


def test_the_hash_changes_with_any_key() -> None:
    hashes = {
        template(type="string", patterns=["a"]).hash,
        template(type="string", patterns=["b"]).hash,
        template(type="string", patterns=["a"], many=True).hash,
        template(type="string", patterns=["a"], description="x").hash,
    }
    assert len(hashes) == 4
    assert all(len(digest) == 64 for digest in hashes)


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string"},
        {"type": "string", "patterns": ["a"], "recogniser": "doi"},
        {"type": "string", "patterns": {"a": ["b"]}},
        {"type": "string", "patterns": ["a"], "values": ["b"]},
        {"type": "string", "patterns": ["a"], "false_patterns": ["b"]},
        {"type": "enum"},
        {"type": "enum", "values": ["a", "A"]},
        {"type": "enum", "values": ["a"], "patterns": {"b": ["c"]}},
        {"type": "enum", "values": ["a"], "patterns": ["c"]},
        {"type": "boolean", "patterns": ["a"], "many": True},
        {"type": "string", "patterns": ["("]},
        {"type": "string", "patterns": ["a*"]},
        {"type": "string", "patterns": ["(" * 900 + ")" * 900]},
        {"type": "string", "patterns": ["a"], "section": "nowhere"},
        {"type": "string", "patterns": ["a"], "surplus": 1},
    ],
)
def test_a_field_that_contradicts_itself_is_refused(field: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        template(**field)


def test_a_template_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        template(type="string", patterns=["a"]).version = 2
