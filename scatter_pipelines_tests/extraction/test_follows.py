"""Whether a value follows from the words it was taken from, type by type."""

import pytest

from scatter_pipelines.extraction.follows import follows
from scatter_pipelines.model.evidence import JsonValue
from scatter_pipelines.model.template import TemplateField


def field(**given: object) -> TemplateField:
    return TemplateField.model_validate({"name": "it", "description": "it", **given})


BLINDING = field(type="enum", values=["double-blind", "single-blind", "open-label", "blind"])
WITHDRAWN = field(type="boolean", patterns=["withdrawn"], false_patterns=["completed"])


@pytest.mark.parametrize(
    ("value", "quote", "about"),
    [
        (120, "We enrolled 120 patients", field(type="integer")),
        (1234, "We enrolled 1,234 patients", field(type="integer")),
        (1234, "We enrolled 1 234 patients", field(type="integer")),
        (32, "Thirty-two patients were enrolled", field(type="integer")),
        (-12, "a change of −12 mmHg", field(type="integer")),
        (0.0032, "a yield of 3.2 × 10⁻³ mol", field(type="number")),
        (1_200_000, "some 1.2 million people", field(type="integer")),
        (12, "a range of 5–12 days", field(type="integer")),
        (0.05, "p<0·05", field(type="number")),
        (12.5, "in 12.5% of them", field(type="number")),
        (5.0, "5 mg", field(type="number")),
        (0.005, "5 × 10−3 M", field(type="number")),
        ("2018-03-01", "on 1 March 2018 in Oslo", field(type="date")),
        ("2018-03-01", "(March 1, 2018)", field(type="date")),
        ("2018-03-01", "since 2018-03-01", field(type="date")),
        ("double-blind", "a randomised, double-blind trial", BLINDING),
        (True, "the trial was withdrawn", WITHDRAWN),
        (False, "the trial was completed", WITHDRAWN),
        ("NCT01234567", "registered as NCT01234567 there", field(type="string")),
        ("10.1000/abc-1", "doi: 10.1000/abc-1.", field(type="string", recogniser="doi")),
        ("Norway", "in norway and", field(type="string")),
        ("It was\nsafe", "It was safe.", field(type="text")),
    ],
)  # fmt: skip
def test_what_the_words_say_follows(value: JsonValue, quote: str, about: TemplateField) -> None:
    assert follows(value, quote, about)


@pytest.mark.parametrize(
    ("value", "quote", "about"),
    [
        (None, "We enrolled 120 patients", field(type="integer")),
        (12, "We enrolled 120 patients", field(type="integer")),
        (20, "We enrolled 120 patients", field(type="integer")),
        (121, "We enrolled 120 patients", field(type="integer")),
        (True, "We enrolled 1 patient", field(type="integer")),
        (12, "a change of −12 mmHg", field(type="integer")),
        (1234567, "registered as NCT01234567", field(type="integer")),
        (5, "a mean of 10.5 units", field(type="integer")),
        (3.2, "a yield of 3.2 × 10⁻³ mol", field(type="number")),
        (10, "a yield of 10⁻³ mol", field(type="number")),
        (1.2, "some 1.2 million people", field(type="number")),
        (2, "2 hundred thousand", field(type="integer")),
        (5.0, "5 × 10−3 M", field(type="number")),
        (0.5, "p = 0.05", field(type="number")),
        ("2018-03-02", "on 1 March 2018 in Oslo", field(type="date")),
        ("2018-03-01", "in March 2018", field(type="date")),
        ("2018-04-03", "on 03/04/2018", field(type="date")),
        ("blind", "a randomised, double-blind trial", BLINDING),
        ("open-label", "a randomised, double-blind trial", BLINDING),
        ("double-blind", "a double-blind and then open-label trial", BLINDING),
        ("double-blind", "it was not double-blind", BLINDING),
        ("double-blind", "neither was it ever double-blind", BLINDING),
        (True, "the trial was completed", WITHDRAWN),
        (True, "the trial was not withdrawn", WITHDRAWN),
        (True, "the trial was registered", field(type="boolean")),
        ("NCT01234567", "registered as NCT012345678 there", field(type="string")),
        ("NCT01234567", "registered as NCT01234568 there", field(type="string")),
        ("Sweden", "in Norway and", field(type="string")),
        ("effective", "It was not effective.", field(type="string")),
        ("12", "a change of −12 points", field(type="string")),
        (1, "one of the most frequent symptoms", field(type="integer")),
        (1, "the first one in China", field(type="integer")),
        ("It was unsafe", "It was safe.", field(type="text")),
        ("...", "It was safe...", field(type="text")),
        ("", "It was safe.", field(type="text")),
        (120, "", field(type="integer")),
    ],
)
def test_what_they_do_not_say_does_not(value: JsonValue, quote: str, about: TemplateField) -> None:
    assert not follows(value, quote, about)
