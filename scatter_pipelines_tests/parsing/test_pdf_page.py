"""A word's box is where a reader sees it."""

import io
import logging

import pdfplumber
import pytest
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines_tests.parsing.pdfs import LEFT, RIGHT, column, drawn, parse, prose, raw_pdf, says, words_of

HELLO = b"BT /F1 12 Tf 20 50 Td (Hello there) Tj ET"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_box_is_where_the_reader_sees_the_word_on_a_turned_page(turn: int) -> None:
    page = parse(raw_pdf(HELLO, f"/MediaBox [0 0 200 100] /Rotate {turn}")).pages[0]
    box = page.words[0].box
    assert (page.width, page.height) == ((100, 200) if turn in (90, 270) else (200, 100))
    expected = {0: (20, 38, 47, 52), 90: (48, 20, 62, 47), 180: (153, 48, 180, 62), 270: (38, 153, 52, 180)}
    assert box == pytest.approx(expected[turn], abs=3)


def test_a_box_counts_from_the_corner_of_the_crop_box() -> None:
    page = parse(raw_pdf(HELLO, "/MediaBox [0 0 200 100] /CropBox [10 30 190 90]")).pages[0]
    assert (page.width, page.height) == (180, 60)
    assert page.words[0].box == pytest.approx((10, 28, 37, 42), abs=3)


def test_words_beside_the_visible_page_are_left_out() -> None:
    beside = b" BT /F1 12 Tf 20 -300 Td (cut away) Tj ET"
    assert parse(raw_pdf(HELLO + beside)).pages[0].text == "Hello there"


def test_boxes_agree_with_another_library() -> None:
    content = drawn(says(*prose("left", 10)), lambda canvas: column(canvas, prose("right", 4), RIGHT, 300))
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    with pdfplumber.open(io.BytesIO(content)) as other:
        for ours, theirs in zip(parse(content).pages, other.pages, strict=True):
            expected = theirs.extract_words()
            assert words_of(ours) == [word["text"] for word in expected]
            for word, them in zip(ours.words, expected, strict=True):
                assert (word.box[0], word.box[2]) == pytest.approx((them["x0"], them["x1"]), abs=1)
                assert (word.box[1], word.box[3]) == pytest.approx((them["top"], them["bottom"]), abs=3)


def test_size_and_boldness_come_from_the_font_as_displayed() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(LEFT, 700, "Heading")
        canvas.scale(2, 2)
        canvas.setFont("Helvetica", 5)
        canvas.drawString(LEFT / 2, 300, "body")

    heading, body = parse(drawn(draw)).pages[0].words
    assert heading.size == pytest.approx(14) and heading.bold
    assert body.size == pytest.approx(10) and not body.bold
