"""Real papers, where they lie beside the project. Loose floors: quality is measured by `scatter evaluate`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.extraction.text import normalise
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits

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


@pytest.mark.parametrize(("name", "floor"), [("title", 0.6), ("doi", 0.8), ("year", 0.7)])
def test_most_papers_say_who_they_are(results: list[tuple[Mapping[str, Any], Fields]], name: str, floor: float) -> None:
    judged = [(gold[name], fields[name].value) for gold, fields in results if gold.get(name)]
    right = sum(normalise(str(found)) == normalise(str(expected)) for expected, found in judged)
    assert right >= floor * len(judged), f"{right} of {len(judged)}"
