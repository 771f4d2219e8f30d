"""The example folder: a handful of papers and odd documents under realistic names, and their answers."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scatter_pipelines_tests.generator.model import Answers, GeneratedPaper, PaperKind
from scatter_pipelines_tests.generator.odd import ODD_SEED, OddKind, generate_odd
from scatter_pipelines_tests.generator.papers import generate_paper

EXAMPLES_SEED = 7
ANSWERS_FILE = Path(__file__).with_name("examples_answers.jsonl")

_KINDS: tuple[tuple[PaperKind, int], ...] = (
    ("one_column", 4), ("two_column", 3), ("trial", 2), ("markdown", 1), ("text", 1),
)  # fmt: skip
_ODD: tuple[OddKind, ...] = ("encrypted", "truncated", "image_only", "empty", "pdf_named_txt")


@dataclass(frozen=True, slots=True)
class Example:
    """A document and how it has to end: completed with `fields`, or as an error with `expected_code`."""

    filename: str
    content: bytes
    expected_code: str | None
    fields: Answers

    @property
    def row(self) -> dict[str, Any]:
        return {
            "filename": self.filename,
            "sha256": hashlib.sha256(self.content).hexdigest(),
            "expected_status": "error" if self.expected_code else "completed",
            "expected_code": self.expected_code,
            "fields": self.fields,
        }


def make_examples(seed: int = EXAMPLES_SEED) -> Iterator[Example]:
    used: set[str] = set()
    for kind, count in _KINDS:
        for index in range(count):
            paper = _unused(seed * 1_000 + index * 20, kind, used)
            used.add(paper.filename)
            first = kind == "two_column" and index == 0
            yield Example(_spoken_name(paper) if first else paper.filename, paper.content, None, paper.answers)
    for odd in _ODD:
        filename, content, code = generate_odd(odd)
        fields = generate_paper(ODD_SEED, "two_column").answers if odd == "pdf_named_txt" else {}
        yield Example(filename, content, code, fields)


def write_examples(folder: Path, seed: int = EXAMPLES_SEED) -> list[Example]:
    """Writes the documents into `folder`, made where it is missing; other files there are left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    examples = list(make_examples(seed))
    for example in examples:
        (folder / example.filename).write_bytes(example.content)
    return examples


def write_answers(path: Path, examples: list[Example]) -> None:
    """One JSON object a line, in the order of the examples."""
    path.write_text("".join(json.dumps(example.row, ensure_ascii=False) + "\n" for example in examples), "utf-8")


def _unused(seed: int, kind: PaperKind, used: set[str]) -> GeneratedPaper:
    paper = generate_paper(seed, kind)
    return paper if paper.filename not in used else _unused(seed + 1, kind, used)


def _spoken_name(paper: GeneratedPaper) -> str:
    """A name as a person gives it to a download, with blanks and a letter outside ASCII."""
    _, year, *topic = Path(paper.filename).stem.split("-")
    return f"Übersicht {' '.join(topic)} ({year}).pdf"
