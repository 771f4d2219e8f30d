"""How the `rct` template does on made trials: `python -m scatter_pipelines_tests.extraction.rct_scores`.

A field's recall is the share of the answers that were found, its precision the share of what was found that is one.
Of a text field the answer is key words: all of them have to stand in the value.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.extraction.text import normalise
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.generator.model import Answers, PaperKind
from scatter_pipelines_tests.generator.papers import draw_paper, generate_paper

TEXTS = ("population", "interventions", "primary_outcome")
SEED = 5_000
_KINDS: tuple[PaperKind, ...] = ("trial", "text", "markdown")


@dataclass(slots=True)
class Scores:
    """Answers found, answers missed and values that are no answer, by field; `notes` say which."""

    right: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def precision(self, name: str) -> float:
        return self.right[name] / max(1, self.right[name] + self.wrong[name])

    def recall(self, name: str) -> float:
        return self.right[name] / max(1, self.right[name] + self.missed[name])

    def add(self, where: str, answers: Answers, fields: Fields) -> None:
        for name, answer in answers.items():
            found, wanted = _values(fields[name].value), _values(answer)
            right = _keyed(found, wanted) if name in TEXTS else _same(found, wanted)
            self.right[name] += right
            self.missed[name] += len(wanted) - right
            self.wrong[name] += len(found) - right if name not in TEXTS else int(bool(found) and not right)
            if right < len(wanted) or (name not in TEXTS and right < len(found)):
                self.notes.append(f"{where} {name}: {found} is not {wanted}")


def _values(value: object) -> list[str]:
    if isinstance(value, tuple | list):
        return [str(one) for one in value]
    return [] if value is None else [str(value)]


def _same(found: list[str], wanted: list[str]) -> int:
    return len({normalise(one) for one in found} & {normalise(one) for one in wanted})


def _keyed(found: list[str], wanted: list[str]) -> int:
    return sum(any(normalise(key) in normalise(value) for value in found) for key in wanted)


def parsed(content: bytes) -> Document:
    return parse_document(content, limits=ParseLimits(), progress=lambda done, total: None)


def made_trials(count: int, seed: int = SEED) -> Iterator[tuple[str, Document, Answers]]:
    """(name, document, answers) in PDF, text and Markdown by turns; other studies that a seed draws are passed over."""
    made = 0
    while made < count:
        kind, seed = _KINDS[made % len(_KINDS)], seed + 1
        paper = draw_paper(seed, kind, brief=False)
        if paper.trial is not None:
            made += 1
            yield f"{kind} {seed}", parsed(generate_paper(seed, kind).content), paper.trial_answers


def score_trials(count: int, seed: int = SEED) -> Scores:
    template, scores = load_template("rct"), Scores()
    for where, document, answers in made_trials(count, seed):
        scores.add(where, answers, extract_fields(document, template))
    return scores


def main() -> None:
    scores = score_trials(60)
    print(f"60 made trials from seed {SEED}")
    for name in scores.right | scores.missed:
        print(f"{name:18} precision {scores.precision(name):.3f} recall {scores.recall(name):.3f}")
    print("\n".join(scores.notes[:40]))


if __name__ == "__main__":
    main()
