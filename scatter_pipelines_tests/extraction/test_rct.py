"""The `rct` template on made trials, whose answers are known, and on what is known of real papers."""

import json
from pathlib import Path

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines_tests.extraction.rct_scores import SEED, Scores, parsed, score_trials

_CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
_GOLD = Path(__file__).with_name("gold_rct.jsonl")


def test_made_trials_give_up_their_facts() -> None:
    print(f"seed {SEED}")
    scores = score_trials(24)
    assert set(scores.right) == {
        "design", "blinding", "registration_ids", "population", "sample_size", "arms", "interventions",
        "primary_outcome", "effect_estimates", "p_values",
    }  # fmt: skip
    weak = {name for name in scores.right if min(scores.precision(name), scores.recall(name)) < 0.9}
    assert weak == set(), scores.notes


@pytest.mark.proof
@pytest.mark.skipif(not _CORPUS.is_dir(), reason="the corpus of papers does not lie beside the project")
def test_real_papers_give_up_their_facts() -> None:
    template, scores = load_template("rct"), Scores()
    for row in map(json.loads, _GOLD.read_text("utf-8").splitlines()):
        document = parsed((_CORPUS / "papers" / row["filename"]).read_bytes())
        scores.add(row["filename"], row["fields"], extract_fields(document, template))
    for name in ("design", "sample_size", "arms"):
        assert scores.recall(name) >= 0.8, scores.notes
    assert scores.wrong["registration_ids"] == 0, scores.notes
