"""Tables come out as rows whose cells are apart by tabs; what is no table stays as it was."""

from collections.abc import Callable, Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines.model.document import Document, Region
from scatter_pipelines_tests.parsing.pdfs import HEIGHT, LEADING, LEFT, drawn, parse

COLUMNS = (LEFT, 220.0, 320.0, 420.0)
TOP = HEIGHT - 150

Cells = Sequence[Sequence[str]]


def rows_at(canvas: Canvas, rows: Cells, top: float = TOP, leading: float = LEADING) -> None:
    """Row by row, each cell where its column begins."""
    for number, row in enumerate(rows):
        for x, cell in zip(COLUMNS, row, strict=False):
            canvas.drawString(x, top - number * leading, cell)


def with_table(draw: Callable[[Canvas], None], caption: str = "Table 1. What was measured.") -> Document:
    """A page with a line of prose, a caption, what `draw` draws, and prose below."""

    def page(canvas: Canvas) -> None:
        canvas.drawString(LEFT, TOP + 3 * LEADING, "Before the table there is a sentence of several words of prose.")
        canvas.drawString(LEFT, TOP + LEADING, caption)
        draw(canvas)
        canvas.drawString(LEFT, TOP - 200, "After it another sentence of prose goes on and on to the right edge.")

    return parse(drawn(page))


def tables(document: Document) -> list[list[list[str]]]:
    return [
        [line.split("\t") for line in document.pages[one.page - 1].text[one.start : one.end].split("\n")]
        for one in document.regions
        if one.kind == "table"
    ]


PLAIN = [
    ["Group", "Age", "Women", "P"],
    ["Control", "42.5", "21 (46%)", "0.03"],
    ["Treated", "41.4", "19 (40%)", "0.2"],
]


def test_a_table_is_rows_of_cells_between_its_caption_and_the_prose() -> None:
    document = with_table(lambda canvas: rows_at(canvas, PLAIN))
    assert tables(document) == [PLAIN]
    text = document.pages[0].text
    (caption,) = [one for one in document.regions if one.kind == "caption"]
    assert text[caption.start : caption.end] == "Table 1. What was measured."
    assert text.split("\n")[0].startswith("Before") and text.split("\n")[-1].startswith("After")


def test_an_empty_cell_keeps_its_place() -> None:
    rows = [["Group", "Age", "Women"], ["Control", "", "21"], ["", "41", "19"], ["Treated", "40", ""]]
    assert tables(with_table(lambda canvas: rows_at(canvas, rows))) == [
        [["Group", "Age", "Women"], ["Control", "", "21"], ["", "41", "19"], ["Treated", "40"]]
    ]


def test_a_cell_of_two_lines_is_one_cell() -> None:
    def draw(canvas: Canvas) -> None:
        rows_at(canvas, [["Group", "Age"]])
        rows_at(canvas, [["Mixed negative", "5"], ["and positive"]], TOP - 16, leading=9)
        rows_at(canvas, [["Fungi", "4"], ["Others", "6"]], TOP - 41, leading=16)

    assert tables(with_table(draw)) == [
        [["Group", "Age"], ["Mixed negative and positive", "5"], ["Fungi", "4"], ["Others", "6"]]
    ]


def test_a_row_that_names_a_group_is_a_row_of_one_cell() -> None:
    rows = [["Group", "Age"], ["Women of the study"], ["Control", "42"], ["Treated", "41"]]
    assert tables(with_table(lambda canvas: rows_at(canvas, rows))) == [rows]


def test_every_word_has_its_box_and_the_text_between_words_is_white_space() -> None:
    page = with_table(lambda canvas: rows_at(canvas, PLAIN)).pages[0]
    ends = [0, *(word.end for word in page.words)]
    assert all(not page.text[end : word.start].strip() for end, word in zip(ends, page.words, strict=False))
    (cell,) = [word for word in page.words if page.text[word.start : word.end] == "0.03"]
    assert cell.box[0] == pytest.approx(COLUMNS[3], abs=1)


@pytest.mark.parametrize(
    "lines",
    [
        ["Prose that goes on from the left edge to the right edge of its column", "in several lines, as prose does."],
        ["Only one row", "follows here"],
    ],
)
def test_prose_that_begins_with_table_is_no_table(lines: list[str]) -> None:
    document = with_table(lambda canvas: rows_at(canvas, [[line] for line in lines]), "Table 1 shows what was measured")
    assert document.regions == ()
    assert "\t" not in document.pages[0].text


def test_rows_without_a_caption_stay_as_they_are() -> None:
    assert with_table(lambda canvas: rows_at(canvas, PLAIN), "Below are three rows").regions == ()


def test_two_tables_on_a_page_are_two() -> None:
    def draw(canvas: Canvas) -> None:
        rows_at(canvas, PLAIN)
        canvas.drawString(LEFT, TOP - 5 * LEADING, "Table 2. More of it.")
        rows_at(canvas, PLAIN[:1] * 3, TOP - 6.5 * LEADING)

    assert tables(with_table(draw)) == [PLAIN, PLAIN[:1] * 3]


def test_regions_lie_on_their_page_in_order() -> None:
    found: tuple[Region, ...] = with_table(lambda canvas: rows_at(canvas, PLAIN)).regions
    assert [one.kind for one in found] == ["caption", "table"]
    assert found[0].end < found[1].start
