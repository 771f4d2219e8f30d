"""Synthetic papers with their answers: one by one, or any number of small ones."""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from scatter_pipelines_tests.generator import words
from scatter_pipelines_tests.generator.model import (
    Author,
    GeneratedPaper,
    Imprint,
    Paper,
    PaperKind,
    Section,
    TrialFacts,
    chance,
    unique,
)
from scatter_pipelines_tests.generator.pdf import paper_pdf
from scatter_pipelines_tests.generator.plain import paper_markdown, paper_text
from scatter_pipelines_tests.generator.prose import Writer, write_abstract, write_references, write_sections
from scatter_pipelines_tests.generator.study import Study, draw_study

_PDF_KINDS: tuple[PaperKind, ...] = ("one_column", "two_column", "trial")


def generate_paper(seed: int, kind: PaperKind, pages: int | None = None) -> GeneratedPaper:
    """The same arguments give the same bytes, on any day. `pages=1` gives one page; None two to six.

    ValueError for any other number of pages.
    """
    if pages not in (None, 1):
        raise ValueError(f"pages={pages}: only 1 or None")
    paper = draw_paper(seed, kind, brief=pages == 1)
    base = f"{fold(paper.authors[0].family)}-{paper.imprint.year}-{paper.topic.slug}"
    if kind == "text":
        return GeneratedPaper(f"{base}.txt", paper_text(paper).encode(), paper.answers)
    if kind == "markdown":
        return GeneratedPaper(f"{base}.md", paper_markdown(paper).encode(), paper.answers)
    return GeneratedPaper(f"{base}.pdf", paper_pdf(paper, kind), paper.answers)


def generate_batch(n: int, seed: int, pages: int | None = 1) -> Iterator[GeneratedPaper]:
    """`n` PDFs of all kinds with distinct names and bytes; the first ones do not depend on `n`."""
    for index in range(n):
        paper = generate_paper(seed * 1_000_003 + index, _PDF_KINDS[index % len(_PDF_KINDS)], pages)
        yield GeneratedPaper(f"{index:05d}-{paper.filename}", paper.content, paper.answers)


def draw_paper(seed: int, kind: PaperKind, *, brief: bool) -> Paper:
    rng = Random(f"{seed}/{kind}/{brief}")
    trial = kind == "trial" or (kind in ("text", "markdown") and chance(rng, 0.5))
    study = draw_study(rng, trial=trial, results=1 if brief else rng.randint(3, 6))
    writer = Writer(rng, study, brief=brief)
    authors, affiliations = _draw_authors(rng, study, brief=brief)
    effects = [study.primary, *(effect for _, effect in study.secondary)]
    paper = Paper(
        title=_title(rng, study),
        authors=authors,
        affiliations=affiliations,
        email=f"{fold(authors[0].family).replace('-', '.')}@example.org",
        imprint=_draw_imprint(rng, study, seed),
        abstract=write_abstract(writer),
        keywords=study.topic.keywords,
        sections=write_sections(writer),
        references=write_references(writer),
        topic=study.topic,
        registration_ids=study.registrations,
        sample_size=study.arms.total,
        p_values=unique([effect.p_value for effect in effects] + [value for _, value in study.plain_p]),
        effect_estimates=unique([effect.text for effect in effects]),
        brief=brief,
    )
    return replace(paper, trial=_trial_facts(study, paper.sections)) if study.trial else paper


def _trial_facts(study: Study, sections: tuple[Section, ...]) -> TrialFacts:
    blind = any("double-blind" in paragraph for section in sections for paragraph in section.paragraphs)
    facts, effects = study.facts, [study.primary, *(effect for _, effect in study.secondary)]
    return TrialFacts(
        (f"{facts['exposure'].removeprefix('a ')}: {study.arms.n1}", f"{facts['comparator']}: {study.arms.n2}"),
        "double-blind" if blind else "assessor-blind",
        f"{facts['outcome']} at {facts['follow']} months",
        unique([effect.value for effect in effects]),
    )


def fold(name: str) -> str:
    """The name as a plain lower-case file name: ASCII letters, digits and hyphens."""
    special = name.lower().translate(str.maketrans("ø ", "o-", "'"))
    return unicodedata.normalize("NFKD", special).encode("ascii", "ignore").decode()


def _title(rng: Random, study: Study) -> str:
    topic = study.topic
    effect = "Effect of" if study.trial else "Association of"
    patterns = (
        f"{effect} {topic.exposure} {'on' if study.trial else 'with'} {topic.outcome} in {topic.population}",
        f"{topic.exposure} and {topic.outcome} among {topic.population}",
    )
    subtitle = rng.choice((f"a {study.design}", f"results of a {study.design}"))
    title = f"{rng.choice(patterns)}: {subtitle}"
    return title[0].upper() + title[1:]


def _draw_authors(rng: Random, study: Study, *, brief: bool) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    places = rng.sample(words.PLACES, 1 if brief else rng.randint(2, 3))
    affiliations = tuple(
        f"{study.topic.department if i == 0 else rng.choice(words.TOPICS).department}, "
        f"{rng.choice(words.INSTITUTIONS).format(city=city)}, {city}, {country}"
        for i, (city, country) in enumerate(places)
    )
    families = rng.sample(words.FAMILY, rng.randint(2, 3) if brief else rng.randint(3, 8))
    return tuple(_draw_author(rng, family, i, len(places)) for i, family in enumerate(families)), affiliations


def _draw_author(rng: Random, family: str, index: int, places: int) -> Author:
    middle = f" {rng.choice('ABCEGHJKLMNPRST')}." if chance(rng, 0.3) else ""
    mark = index + 1 if index < places else rng.randint(1, places)
    other = rng.randint(1, places) if chance(rng, 0.2) else mark
    return Author(f"{rng.choice(words.GIVEN)}{middle} {family}", family, tuple(sorted({mark, other})))


def _draw_imprint(rng: Random, study: Study, seed: int) -> Imprint:
    journal, year = study.journal, study.year
    number = f"{seed % 1_000_000:06d}" if seed >= 0 else f"{-seed % 1_000_000:06d}"
    doi = rng.choice((
        f"10.5555/{journal.code}.{year}.{number}",
        f"10.5555/{journal.code}-{year}-{number}",
        f"10.5555/s{rng.randint(10_000, 99_999)}-{year % 100:03d}-{number}-{rng.choice('0123456789x')}",
    ))  # fmt: skip
    months = ("12 January", "3 March", "28 May", "17 August", "5 November")
    return Imprint(
        journal, year, year - 1987, rng.randint(1, 12), rng.randint(3, 1_800), doi, f"{rng.choice(months)} {year - 1}"
    )
