"""A mark raised after a word stands apart; an exponent stays with what it stands on."""

import pytest
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines_tests.parsing.pdfs import drawn, parse

SIZE, SMALL, RAISED = 10.0, 6.0, 4.0


def raised(*parts: str, font: str = "Helvetica", rise: float = RAISED, small: float = SMALL) -> str:
    """The text of a page on which every second part is small and raised, set without a space between the parts."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(100, 500)
        for at, part in enumerate(parts):
            text.setFont(font, small if at % 2 else SIZE)
            text.setRise(rise if at % 2 else 0)
            text.textOut(part)
        canvas.drawText(text)

    return parse(drawn(draw)).pages[0].text


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("Smith", "1"), "Smith 1"),
        (("Smith", "1,2", " and Li", "3"), "Smith 1,2 and Li 3"),
        (("Smith", "a,b", ", Jones", "c"), "Smith a,b, Jones c"),
        (("Garcia", "1,*"), "Garcia 1,*"),
        (("as shown.", "12–14"), "as shown. 12–14"),
        (("was reported,", "3", " but"), "was reported, 3 but"),
    ],
)
def test_a_mark_after_a_word_is_a_word_of_its_own(parts: tuple[str, ...], text: str) -> None:
    assert raised(*parts) == text


@pytest.mark.parametrize(
    "parts",
    [
        ("I", "2"), ("10", "-4"), ("mm", "2"), ("kg/m", "2"), ("30 cm", "3"), ("Ca", "2+"), ("Brand", "TM"),
        ("the 3", "rd"), ("x", "2"), ("R", "2"), ("min", "-1"),
    ],
)  # fmt: skip
def test_what_belongs_to_a_word_stays_with_it(parts: tuple[str, ...]) -> None:
    assert raised(*parts) == "".join(parts)


def test_a_lowered_character_is_no_mark() -> None:
    assert raised("vitamin", "2", rise=-3) == "vitamin2"


def test_letters_of_one_size_are_one_word() -> None:
    assert raised("Smith", "1", rise=0, small=SIZE) == "Smith1"


def test_the_boxes_of_word_and_mark_lie_side_by_side_and_have_their_own_size() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(100, 500)
        text.setFont("Helvetica", SIZE)
        text.textOut("Smith")
        text.setFont("Helvetica", SMALL)
        text.setRise(RAISED)
        text.textOut("1,2")
        canvas.drawText(text)

    word, mark = parse(drawn(draw)).pages[0].words
    assert (word.size, mark.size) == (pytest.approx(SIZE), pytest.approx(SMALL))
    assert word.box[2] <= mark.box[0] + 0.5 and mark.box[1] < word.box[1] + 2
