"""The documents that the benchmarks work on; the same ones every time."""

from dataclasses import replace
from pathlib import Path

from scatter_pipelines_tests.generator.model import PaperKind
from scatter_pipelines_tests.generator.papers import draw_paper, generate_batch
from scatter_pipelines_tests.generator.pdf import paper_pdf

BODIES: tuple[tuple[PaperKind, int], ...] = (("one_column", 5), ("two_column", 8), ("trial", 7))
"""Kinds of layout, and how many papers' sections make about ten pages in each."""

SEED = 20_000


def make_long_papers(folder: Path, count: int) -> Path:
    """PDFs of about ten pages."""
    folder.mkdir()
    for index in range(count):
        kind, bodies = BODIES[index % len(BODIES)]
        (folder / f"paper-{index:03d}.pdf").write_bytes(_long_paper(SEED + index * 100, kind, bodies))
    return folder


def _long_paper(seed: int, kind: PaperKind, bodies: int) -> bytes:
    papers = [draw_paper(seed + number, kind, brief=False) for number in range(bodies)]
    sections = tuple(section for paper in papers for section in paper.sections)
    return paper_pdf(replace(papers[0], sections=sections), kind)


def make_small_papers(folder: Path, count: int) -> Path:
    """PDFs of one page."""
    folder.mkdir()
    for paper in generate_batch(count, seed=1):
        (folder / paper.filename).write_bytes(paper.content)
    return folder


def make_notes(folder: Path, count: int) -> Path:
    """Text files of two lines, each with other content."""
    folder.mkdir()
    for number in range(count):
        text = f"Trial number {number}\n\nWe enrolled {number + 10} patients (NCT{number:08d}).\n"
        (folder / f"note-{number:05d}.txt").write_text(text, encoding="utf-8")
    return folder
