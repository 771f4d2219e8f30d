"""A paper as content, before it is laid out in any format."""

from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from scatter_pipelines_tests.generator.words import Journal, Topic

PaperKind = Literal["one_column", "two_column", "trial", "text", "markdown"]
Answers = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    paragraphs: tuple[str, ...]
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Author:
    """`marks` are the numbers of the author's affiliations, counted from 1."""

    name: str
    family: str
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Imprint:
    """What the journal adds to a manuscript."""

    journal: Journal
    year: int
    volume: int
    issue: int
    first_page: int
    doi: str
    received: str


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """What the `rct` template has to find beyond the `paper` one; `effect_estimates` in the recogniser's form."""

    arms: tuple[str, str]
    blinding: str
    primary_outcome: str
    effect_estimates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """`abstract` is pairs of label and text; an unstructured one has a single pair with an empty label."""

    title: str
    authors: tuple[Author, ...]
    affiliations: tuple[str, ...]
    email: str
    imprint: Imprint
    abstract: tuple[tuple[str, str], ...]
    keywords: tuple[str, ...]
    sections: tuple[Section, ...]
    references: tuple[str, ...]
    topic: Topic
    registration_ids: tuple[str, ...]
    sample_size: int
    p_values: tuple[str, ...]
    effect_estimates: tuple[str, ...]
    brief: bool
    trial: TrialFacts | None = None

    @property
    def answers(self) -> Answers:
        return {
            "title": self.title,
            "authors": [author.name for author in self.authors],
            "doi": self.imprint.doi,
            "abstract": " ".join(f"{label}: {text}" if label else text for label, text in self.abstract),
            "journal": self.imprint.journal.name,
            "year": self.imprint.year,
            "registration_ids": list(self.registration_ids),
            "sample_size": self.sample_size,
            "p_values": list(self.p_values),
            "effect_estimates": list(self.effect_estimates),
        }

    @property
    def trial_answers(self) -> Answers:
        """Of a trial; ValueError for another study."""
        if self.trial is None:
            raise ValueError(f"{self.title}: not a trial")
        return {
            "design": "randomised parallel",
            "blinding": self.trial.blinding,
            "registration_ids": list(self.registration_ids),
            "population": self.topic.population,
            "sample_size": self.sample_size,
            "arms": list(self.trial.arms),
            "interventions": [self.topic.exposure, self.topic.comparator],
            "primary_outcome": self.trial.primary_outcome,
            "effect_estimates": list(self.trial.effect_estimates),
            "p_values": list(self.p_values),
        }


@dataclass(frozen=True, slots=True)
class GeneratedPaper:
    """A document's bytes and what the `paper` template has to find in it."""

    filename: str
    content: bytes
    answers: Answers


def unique(items: list[str]) -> tuple[str, ...]:
    """The items in order, without repeats."""
    return tuple(dict.fromkeys(items))


def chance(rng: Random, share: float) -> bool:
    return rng.random() < share
