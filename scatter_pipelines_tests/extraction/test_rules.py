import time

import pytest

from scatter_pipelines.errors import DocumentError, UsageError
from scatter_pipelines.extraction.extract import check_engine, extract_fields, fields_to_json, missing_required
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import FieldValue
from scatter_pipelines_tests.extraction.documents import laid_out, plain, template


def extracted(document: Document, **field: object) -> FieldValue:
    return extract_fields(document, template(**field))["it"]


def quotes(found: FieldValue) -> list[str]:
    return [evidence.quote for evidence in found.evidence]


def test_the_whole_match_is_the_value_where_a_pattern_has_no_group() -> None:
    assert extracted(plain("grant AB-12 here"), type="string", patterns=[r"AB-\d+"]).value == "AB-12"


def test_group_one_is_the_value_and_its_text_the_quote() -> None:
    found = extracted(plain("grant AB-12 here"), type="string", patterns=[r"grant (\S+) (here)"])
    assert (found.value, quotes(found)) == ("AB-12", ["AB-12"])


def test_the_group_named_value_goes_before_group_one() -> None:
    assert extracted(plain("grant AB-12"), type="string", patterns=[r"(grant) (?P<value>\S+)"]).value == "AB-12"


def test_the_first_pattern_is_the_strongest() -> None:
    assert extracted(plain("b then a"), type="string", patterns=["a", "b"]).value == "a"


def test_a_space_in_a_pattern_matches_a_line_break() -> None:
    assert extracted(plain("sample size \nof 40"), type="integer", patterns=[r"sample size of (\d+)"]).value == 40
    assert extracted(plain("a b"), type="string", patterns=["a[ ]b"]).value == "a b"


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "It is:  x\ny", "x y"),
        ("text", "It is: hyphen-\nated words", "hyphenated words"),
        ("integer", "It is: 1,234", 1234),
        ("number", "It is: 0·05", 0.05),
        ("date", "It is: 14 March 2018", "2018-03-14"),
    ],
)
def test_each_type_reads_its_value_and_verifies_it(kind: str, text: str, value: object) -> None:
    found = extracted(plain(text), type=kind, patterns=[r"(?s)It is:\s*(.+)"])
    assert found.value == value
    assert found.evidence[0].verified


def test_a_match_that_is_not_of_the_type_is_passed_over() -> None:
    assert extracted(plain("n: many, n: 12"), type="integer", patterns=[r"n: (\w+)"]).value == 12


def test_an_enum_is_found_by_its_words_in_any_case() -> None:
    found = extracted(plain("It was a Cohort study, not a cohorting one"), type="enum", values=["trial", "cohort"])
    assert (found.value, quotes(found)) == ("cohort", ["Cohort"])


def test_an_enum_is_found_by_the_patterns_of_its_values() -> None:
    patterns = {"RCT": [r"randomi[sz]ed"], "cohort": ["cohort"]}
    found = extracted(plain("a randomised study"), type="enum", patterns=patterns)
    assert (found.value, quotes(found), found.evidence[0].verified) == ("RCT", ["randomised"], True)


def test_a_boolean_is_true_by_its_patterns_and_false_by_the_others() -> None:
    rules = {"type": "boolean", "patterns": ["blinded"], "false_patterns": ["not blinded", "open-label"]}
    assert extracted(plain("patients were blinded"), **rules).value is True
    assert extracted(plain("patients were not blinded"), **rules).value is False
    assert extracted(plain("nothing is said"), **rules).value is None


def test_many_has_each_value_once_with_its_evidence_in_order() -> None:
    found = extracted(plain("x1 x2", "x1 x3"), type="string", many=True, patterns=[r"x\d"])
    assert found.value == ("x1", "x2", "x3")
    assert [(evidence.page, evidence.quote) for evidence in found.evidence] == [(1, "x1"), (1, "x2"), (2, "x3")]


def test_what_is_not_found_is_none_for_one_and_for_many() -> None:
    assert extracted(plain("y"), type="string", patterns=["x"]) == FieldValue(None)
    assert extracted(plain("y"), type="string", many=True, patterns=["x"]) == FieldValue(None)


def test_a_section_tie_limits_where_patterns_look() -> None:
    text = "Abstract\nWe had N = 1.\nIntroduction\nOnce N = 2.\nMethods\nNow N = 3.\nReferences\nN = 4."
    for section, value in {"abstract": 1, "introduction": 2, "methods": 3, "references": 4, "funding": None}.items():
        assert extracted(plain(text), type="integer", patterns=[r"N = (\d)"], section=section).value == value


def test_a_section_tie_limits_a_recogniser() -> None:
    text = (
        "Abstract\nWe found a great deal, and all of it was significant, as p = 0.01\nMethods\nx\nResults\np = 0.02\n"
    )
    assert extracted(plain(text), type="string", recogniser="p_value", section="results").value == "p=0.02"


def test_a_pattern_does_not_look_beyond_its_section() -> None:
    assert (
        extracted(plain("Methods\nN =\nResults\n5"), type="string", patterns=[r"N =\s+\w+"], section="methods").value
        is None
    )


def test_a_hostile_pattern_ends_the_document_and_not_the_worker() -> None:
    started = time.monotonic()
    with pytest.raises(DocumentError) as caught:
        extracted(plain("a" * 200 + "!"), type="string", patterns=[r"(a|aa)+$"])
    assert caught.value.code == "pattern_timeout"
    assert "(a|aa)+$" in caught.value.message
    assert time.monotonic() - started < 60


def test_the_box_covers_the_words_of_the_quote_alone() -> None:
    document = laid_out([("one two three four", 10.0, False)])
    evidence = extracted(document, type="string", patterns=["two three"]).evidence[0]
    words = document.pages[0].words
    assert evidence.bbox == (words[1].box[0], words[1].box[1], words[2].box[2], words[2].box[3])


def test_missing_required_fields_are_named_and_are_no_error() -> None:
    wanted = template(type="string", required=True, patterns=["x"])
    assert missing_required(extract_fields(plain("y"), wanted), wanted) == ("it",)
    assert missing_required(extract_fields(plain("x"), wanted), wanted) == ()


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="rules") as caught:
        check_engine("magic", template(type="string", patterns=["x"]))
    assert caught.value.code == "config_invalid"


def test_rules_refuse_a_field_that_only_a_description_tells_of() -> None:
    described = template(type="string", description="What it is.")
    with pytest.raises(UsageError, match="finds nothing for it") as caught:
        check_engine("rules", described)
    assert caught.value.code == "template_invalid"
    check_engine("llm", described)


def test_fields_leave_in_the_shape_of_the_exported_line() -> None:
    found = extract_fields(laid_out([("doi: 10.1000/x", 10.0, False)]), template(type="string", recogniser="doi"))
    assert fields_to_json(found) == {
        "it": {
            "value": "10.1000/x",
            "evidence": [
                {
                    "page": 1,
                    "start": 5,
                    "end": 14,
                    "quote": "10.1000/x",
                    "bbox": [75.0, 60.0, 120.0, 70.0],
                    "verified": True,
                    "ocr": False,
                    "confidence": 0.9,
                }
            ],
        }
    }


def test_a_field_without_a_value_leaves_as_null_without_evidence() -> None:
    found = extract_fields(plain("y"), template(type="string", many=True, patterns=["x"]))
    assert fields_to_json(found) == {"it": {"value": None, "evidence": []}}
