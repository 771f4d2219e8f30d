"""Real papers, where they lie beside the project. Floors a little below the scores of the day (docs/recognisers.md)."""

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.extraction.text import normalise
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.extraction.quotes import Check, checks

_CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
_GOLD = _CORPUS / "gold" / "papers.jsonl"

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(not _GOLD.is_file(), reason="the corpus of papers does not lie beside the project"),
]


@pytest.fixture(scope="module")
def results() -> list[tuple[Mapping[str, Any], Fields]]:
    template = load_template("paper")
    return [
        (gold["fields"], extract_fields(_parsed(_CORPUS / "papers" / gold["filename"]), template))
        for gold in map(json.loads, _GOLD.read_text(encoding="utf-8").splitlines())
    ]


def _parsed(path: Path) -> Any:
    return parse_document(path.read_bytes(), limits=ParseLimits(), progress=lambda done, total: None)


@pytest.mark.parametrize(("name", "floor"), [("title", 0.9), ("doi", 0.95), ("year", 0.95), ("journal", 0.9)])
def test_most_papers_say_who_they_are(results: list[tuple[Mapping[str, Any], Fields]], name: str, floor: float) -> None:
    judged = [(gold[name], fields[name].value) for gold, fields in results if gold.get(name)]
    right = sum(normalise(str(found)) == normalise(str(expected)) for expected, found in judged)
    assert right >= floor * len(judged), f"{right} of {len(judged)}"


def test_nearly_all_abstracts_are_found_whole(results: list[tuple[Mapping[str, Any], Fields]]) -> None:
    judged = [(gold["abstract"], str(fields["abstract"].value)) for gold, fields in results if gold.get("abstract")]
    alike = [SequenceMatcher(None, normalise(gold), normalise(found), autojunk=False).ratio() for gold, found in judged]
    assert sum(ratio >= 0.8 for ratio in alike) >= 0.93 * len(alike), sorted(alike)[:5]


def test_nearly_all_authors_are_found_and_nobody_else(results: list[tuple[Mapping[str, Any], Fields]]) -> None:
    gold = {(i, normalise(name)) for i, (fields, _) in enumerate(results) for name in fields["authors"]}
    found = {
        (i, normalise(str(name))) for i, (_, fields) in enumerate(results) for name in fields["authors"].value or ()
    }
    assert 2 * len(gold & found) >= 0.95 * (len(gold) + len(found)), sorted(gold ^ found)


def test_references_are_counted_as_the_markup_counts_them(results: list[tuple[Mapping[str, Any], Fields]]) -> None:
    papers = [json.loads(line)["filename"] for line in _GOLD.read_text(encoding="utf-8").splitlines()]
    counts = [(_CORPUS / "papers" / paper).with_suffix(".nxml").read_bytes().count(b"<ref id=") for paper in papers]
    judged = [
        (count, fields["reference_count"].value) for count, (_, fields) in zip(counts, results, strict=True) if count
    ]
    assert sum(count == value for count, value in judged) >= 0.9 * len(judged), judged


def test_quotes_stand_where_another_library_has_their_letters_too() -> None:
    """PMC6281068 is left out: pdfplumber puts words of it at other places than they are drawn at, as OCR shows."""
    found = [check for paper in sorted((_CORPUS / "papers").glob("*.pdf")) for check in _checks(paper)]
    wrong = [(check.field, check.evidence.quote[:60], check.there[:60]) for check in found if not check.holds]
    print(f"{len(found)} quotes, {len(wrong)} that another library does not have at their place: {wrong}")
    assert len(wrong) <= 0.005 * len(found)


def _checks(paper: Path) -> list[Check]:
    if paper.stem == "PMC6281068":
        return []
    document = _parsed(paper)
    return [
        check
        for name in ("paper", "rct")
        for check in checks(paper.read_bytes(), extract_fields(document, load_template(name)))
    ]


def test_values_are_verified_but_for_those_that_go_over_a_page_or_take_their_measure_from_a_tables_head(
    results: list[tuple[Mapping[str, Any], Fields]],
) -> None:
    found = [(name, item) for _, fields in results for name, field in fields.items() for item in field.evidence]
    of_tables = {"p_values", "effect_estimates"}
    elsewhere = [item for name, item in found if name not in of_tables]
    assert sum(item.verified for item in elsewhere) >= 0.99 * len(elsewhere)
    assert sum(item.verified for _, item in found) >= 0.95 * len(found)
