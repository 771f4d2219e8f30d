"""From documents to scores, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.evaluation.bootstrap import Resampling
from scatter_pipelines.evaluation.documents import Item, judged
from scatter_pipelines.evaluation.scores import FieldScores, field_scores, overall_scores
from scatter_pipelines.evaluation.tally import Tally
from scatter_pipelines_tests.evaluation.rules import tallied
from scatter_pipelines_tests.export.rows import NOTHING, failed, found, row


def scores(tally: Tally, name: str) -> FieldScores:
    return field_scores(tally.fields[name], Resampling(len(tally.lines), resamples=100))


def test_of_one_value_the_score_is_the_share_of_gold_that_was_found() -> None:
    tally = tallied(
        ({"title": ("One",)}, {"title": ("One",)}),
        ({"title": ("Two",)}, {"title": ("TWO",)}),
        ({"title": ("Three",)}, {"title": ("quite another",)}),
        ({"title": ("Four",)}, {}),
        ({}, {"title": ("where gold is empty",)}),
    )
    known = scores(tally, "title")
    assert (known.expected, known.found) == (4, 3)
    exact, soft = known.levels["exact"], known.levels["soft"]
    assert (exact.right, soft.right) == (1, 2)
    assert exact.score == exact.recall
    assert soft.recall.value == pytest.approx(2 / 4)
    assert soft.precision.value == pytest.approx(2 / 3)
    assert soft.f1.value == pytest.approx(2 * 2 / (4 + 3))
    field = tally.fields["title"]
    assert (field.extra_documents, field.extra_values) == (1, 1)


def test_of_a_list_the_score_is_micro_f1_over_its_values() -> None:
    tally = tallied(
        ({"authors": ("Ann Ode", "Bo Ek", "Cy Fa")}, {"authors": ("A. Ode", "Bo Ek", "Di Go", "Ed Ho")}),
        ({"authors": ("Flo Ix",)}, {"authors": ("Flo Ix",)}),
        ({}, {"authors": ("Gus Jo", "Hal Ka")}),
    )
    known = scores(tally, "authors")
    assert (known.expected, known.found) == (4, 5)
    assert [known.levels[level].right for level in ("exact", "soft")] == [2, 3]
    assert known.levels["soft"].precision.value == pytest.approx(3 / 5)
    assert known.levels["soft"].recall.value == pytest.approx(3 / 4)
    assert known.levels["soft"].score.value == pytest.approx(2 * 3 / 9)
    assert tally.fields["authors"].extra_values == 2


def test_all_fields_are_one_micro_average_with_the_next_stricter_level_where_one_is_missing() -> None:
    tally = tallied(({"title": ("A long title",), "year": (2014,)}, {"title": ("A long titlX",), "year": (2014,)}))
    tallies = [tally.fields["title"], tally.fields["year"]]
    known = overall_scores(tallies, Resampling(1, resamples=100))
    assert (known.expected, known.found) == (2, 2)
    assert [scores.right for scores in known.levels.values()] == [1, 1, 2]
    assert known.levels["levenshtein"].score.value == 1


def test_nothing_found_has_a_recall_but_no_precision() -> None:
    known = scores(tallied(({"doi": ("10.1/x",)}, {})), "doi").levels["exact"]
    assert (known.recall.value, known.f1.value) == (0, 0)
    assert (known.precision.value, known.precision.low, known.precision.high) == (None, None, None)


def test_a_document_in_error_has_found_nothing() -> None:
    lost = judged(failed("b.pdf"))
    assert (lost.status, lost.code, dict(lost.fields)) == ("error", "encrypted", {})
    whole = judged(row(fields={"authors": found(["Ann Ode", "Bo Ek"], quote="Ode"), "doi": NOTHING}))
    assert [(item.value, item.quote, item.verified, item.confidence) for item in whole.fields["authors"]] == [
        ("Ann Ode", "Ode", True, 0.93),
        ("Bo Ek", "Ode", True, 0.93),
    ]
    assert whole.fields["doi"] == ()


def test_evidence_and_confidence_are_counted_value_by_value() -> None:
    sure = Item("Ann Ode", 1, "Ann Ode", verified=True, ocr=True, confidence=0.9)
    unsure = Item("Bo Wrong", 1, "Bo", verified=False, confidence=0.4)
    unknown = Item("Cy Fa", 1, "Cy Fa", verified=True)
    tally = tallied(({"authors": ("A. Ode", "Cy Fa")}, {"authors": (sure, unsure, unknown)})).fields["authors"]
    assert (tally.values, tally.verified, tally.ocr) == (3, 2, 1)
    known = tally.confidence
    assert (known.right, known.right_values, known.wrong, known.wrong_values) == (0.9, 1, 0.4, 1)


def test_a_disagreement_has_of_a_list_only_what_differs_and_says_how_near_it_is() -> None:
    tally = tallied(
        ({"authors": ("Ann Ode", "Bo Ek")}, {"authors": ("A. Ode", "Bo Ek")}),
        ({"authors": ("Ann Ode",)}, {"authors": ("Ann Ode", "Bo Ek")}),
        ({"authors": ("Ann Ode",)}, {"authors": ("Ann Ode",)}),
    )
    first, second = tally.fields["authors"].disagreements
    assert (first.gold, [item.value for item in first.found], first.right_at) == (("Ann Ode",), ["A. Ode"], "soft")
    assert (second.gold, [item.value for item in second.found], second.right_at) == ((), ["Bo Ek"], None)


NAMES = st.lists(st.sampled_from(["Ann Ode", "A. Ode", "Bo Ek", "Cy Fa"]), min_size=1, max_size=4).map(tuple)


@given(documents=st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6))
def test_scores_are_shares_and_swapping_the_sides_swaps_precision_and_recall(
    documents: list[tuple[tuple[str, ...], tuple[str, ...]]],
) -> None:
    there = scores(tallied(*(({"authors": a}, {"authors": b}) for a, b in documents)), "authors")
    back = scores(tallied(*(({"authors": b}, {"authors": a}) for a, b in documents)), "authors")
    for level, known in there.levels.items():
        estimates = (known.score, known.precision, known.recall, known.f1)
        assert all(0 <= one.low <= one.high <= 1 for one in estimates if one.low is not None and one.high is not None)
        assert known.precision.value == back.levels[level].recall.value
        assert known.f1.value == back.levels[level].f1.value
