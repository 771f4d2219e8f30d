"""Which values are right: by hand, and what holds for any values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.evaluation.matching import match
from scatter_pipelines.evaluation.rules import LEVELS, FieldRule, rule_of
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.model.template import TemplateField
from scatter_pipelines_tests.evaluation.rules import AUTHORS, DOI, KEYWORDS, RULES, TITLE, YEAR, right

WORDS = st.lists(
    st.sampled_from(["Ann Ode", "A. Ode", "ann ode", "abcdefghij", "abcdefghiX", "abcdefghXY", "—", "1"]), max_size=6
)


def test_how_a_field_is_scored_follows_from_its_template_field() -> None:
    rules = {field.name: rule_of(field) for field in load_template("paper").fields}
    assert {name: rule.kind for name, rule in rules.items()} == {
        "title": "text", "authors": "name", "doi": "identifier", "abstract": "text", "journal": "text",
        "year": "number", "registration_ids": "identifier", "sample_size": "number", "p_values": "figure",
        "effect_estimates": "figure", "emails": "identifier", "keywords": "text", "funding": "text",
        "conflicts_of_interest": "text", "reference_count": "number", "reference_dois": "identifier",
    }  # fmt: skip
    assert (rules["title"].main, rules["authors"].main, rules["doi"].main) == ("levenshtein", "soft", "exact")
    assert rules["authors"].nearest("levenshtein") == "soft"
    law = TemplateField(name="law", type="enum", values=("English", "German"))
    assert (rule_of(law).kind, rule_of(law).choices) == ("choice", ("English", "German"))
    named = TemplateField(name="authors", type="string", patterns=("by (.+)",))
    assert rule_of(named).kind == "text", "a name alone decides nothing"


@pytest.mark.parametrize(
    ("rule", "gold", "found", "expected"),
    [
        (TITLE, ["A title"], ["A title"], (1, 1, 1)),
        (TITLE, ["A title"], ["A TITLE."], (0, 1, 1)),
        (TITLE, ["A long title of it"], ["A long title of X"], (0, 0, 1)),
        (TITLE, ["A long title"], ["Something else"], (0, 0, 0)),
        (TITLE, ["A title"], [], (0, 0, 0)),
        (TITLE, ["a.b.c.d"], ["abcd"], (0, 1, 1)),
        (DOI, ["10.1/AbC"], ["10.1/abc"], (1,)),
        (DOI, ["10.1/abc"], ["10.1/abd"], (0,)),
        (YEAR, [2014], ["2014.0"], (1,)),
        (YEAR, [2014], [2015], (0,)),
        (AUTHORS, ["John Smith", "Ann Ode"], ["Ode, A.", "John Smith"], (1, 2)),
        (AUTHORS, ["John Smith"], ["John Smith", "John Smith"], (1, 1)),
        (AUTHORS, ["John Smith", "Jane Smith"], ["J. Smith"], (0, 1)),
        (AUTHORS, [], ["John Smith"], (0, 0)),
    ],
)
def test_right_values_by_hand(rule: FieldRule, gold: list[Any], found: list[Any], expected: tuple[int, ...]) -> None:
    assert right(rule, gold, found) == expected


def test_similar_values_are_paired_so_that_the_most_find_a_partner() -> None:
    """The first found fits both golds, the second only the first: a greedy pairing would lose one."""
    gold, found = ["abcdefghij", "abcdefghZZ"], ["abcdefghiZ", "abcdefgXij"]
    assert right(KEYWORDS, gold, found) == (0, 0, 2)
    assert match(KEYWORDS, gold, found)["levenshtein"] == {0: 1, 1: 0}


@given(rule=st.sampled_from(list(RULES.values())), values=WORDS)
def test_what_is_identical_is_right_at_every_level(rule: FieldRule, values: list[str]) -> None:
    assert set(right(rule, values, values)) == {len(values)}


@given(rule=st.sampled_from(list(RULES.values())), gold=WORDS, found=WORDS)
def test_swapping_gold_and_found_changes_nothing_and_lenient_levels_contain_strict_ones(
    rule: FieldRule, gold: list[str], found: list[str]
) -> None:
    counts = right(rule, gold, found)
    assert counts == right(rule, found, gold)
    assert list(counts) == sorted(counts)
    assert counts[-1] <= min(len(gold), len(found))


@given(gold=WORDS, found=WORDS, data=st.data())
def test_the_order_of_a_list_does_not_count(gold: list[str], found: list[str], data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(gold)), data.draw(st.permutations(found))
    assert right(KEYWORDS, gold, found) == right(KEYWORDS, *mixed)


@given(gold=WORDS, found=WORDS)
def test_no_value_is_used_twice(gold: list[str], found: list[str]) -> None:
    for level, pairs in match(KEYWORDS, gold, found).items():
        assert level in LEVELS
        assert len(set(pairs.values())) == len(pairs)
        assert set(pairs) <= set(range(len(found)))
        assert set(pairs.values()) <= set(range(len(gold)))
