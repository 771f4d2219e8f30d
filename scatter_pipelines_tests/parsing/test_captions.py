"""Captions of figures and foot notes, and lines that only look like them."""

import pytest
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines_tests.parsing.pdfs import HEIGHT, LEFT, column, drawn, parse, prose
from scatter_pipelines_tests.parsing.regions import texts

CAPTION = ["Figure 2. Survival of the trees in both", "gardens, by year."]


def page(*lines: str, foot: list[str] | None = None, gap: float = 30, size: float = 9) -> bytes:
    """Prose, a gap, the lines, a gap and prose again; `foot` in small type at the page's end."""

    def draw(canvas: Canvas) -> None:
        column(canvas, prose("before", 6), LEFT, HEIGHT - 80)
        canvas.setFont("Helvetica", size)
        column(canvas, lines, LEFT, HEIGHT - 80 - 60 - gap)
        canvas.setFont("Helvetica", 9)
        column(canvas, prose("after", 12), LEFT, HEIGHT - 80 - 60 - gap - 12 * len(lines) - gap)
        canvas.setFont("Helvetica", 8)
        column(canvas, foot or [], LEFT, 90)

    return drawn(draw)


@pytest.mark.parametrize(
    "label", ["Figure 2.", "Fig. 2:", "FIGURE 2 |", "Figure-2:", "Scheme 1.", "Supplementary Figure S3."]
)
def test_a_caption_is_its_paragraph(label: str) -> None:
    lines = [CAPTION[0].replace("Figure 2.", label), CAPTION[1]]
    assert texts(parse(page(*lines)), "caption") == ["\n".join(lines)]


def test_a_label_without_a_sign_counts_with_space_above_it() -> None:
    lines = ["Figure 2 Survival of the trees"]
    assert texts(parse(page(*lines)), "caption") == lines
    assert texts(parse(page(*lines, gap=12)), "caption") == []


@pytest.mark.parametrize(
    "line", ["Figure 2 shows how the trees lived.", "Figure 2, in which", "Figures are not numbered."]
)
def test_prose_that_begins_with_figure_is_no_caption(line: str) -> None:
    assert texts(parse(page(line)), "caption") == []


def test_a_caption_ends_where_the_type_changes() -> None:
    lines = [*CAPTION, "in smaller type than what follows"]
    assert texts(parse(page(*lines, gap=12, size=8)), "caption") == ["\n".join(lines)]


def test_foot_notes_begin_at_their_marks() -> None:
    foot = ["* Correspondence to the author", "at the garden.", "† Both did the same work."]
    found = texts(parse(page(*CAPTION, foot=foot)), "footnote")
    assert found == ["\n".join(foot[:2]), foot[2]]


def test_small_type_without_a_mark_is_no_foot_note_nor_is_a_mark_in_the_texts_type() -> None:
    assert texts(parse(page("* A line of a list in the type of the text", foot=["No mark at all"])), "footnote") == []
