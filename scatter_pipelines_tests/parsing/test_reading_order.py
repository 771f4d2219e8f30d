"""Lines are moved only where columns of prose were drawn row by row."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines.parsing.reading_order import in_reading_order

WORD = 28.0
STEP = 31.0


def line(text: str, x: float, y: float) -> list[PlacedWord]:
    """Words of equal width, 10 points high."""
    return [
        PlacedWord(word, (x + STEP * at, y, x + STEP * at + WORD, y + 10), 10, False)
        for at, word in enumerate(text.split())
    ]


def texts(lines: Sequence[Line]) -> list[str]:
    return [" ".join(word.text for word in words) for words in lines]


def row(number: int) -> list[PlacedWord]:
    return line(f"a{number} has its seven words of prose", 50, 12 * number) + line(
        f"b{number} has its seven words of prose", 300, 12 * number
    )


def test_two_columns_drawn_row_by_row_are_told_apart() -> None:
    lines = in_reading_order([row(number) for number in range(9)])
    assert [text[:2] for text in texts(lines)] == [f"{side}{number}" for side in "ab" for number in range(9)]


def test_three_columns_drawn_row_by_row_are_told_apart() -> None:
    def three(number: int) -> list[PlacedWord]:
        columns = enumerate(("a", "b", "c"))
        return [
            word for at, c in columns for word in line(f"{c}{number} has five words here", 40 + 180 * at, 12 * number)
        ]

    lines = in_reading_order([three(number) for number in range(9)])
    assert [text[:2] for text in texts(lines)] == [f"{column}{number}" for column in "abc" for number in range(9)]


def test_rows_whose_columns_are_lines_of_their_own_are_put_right_too() -> None:
    lines = [half for number in range(9) for half in (row(number)[:7], row(number)[7:])]
    assert [text[:2] for text in texts(in_reading_order(lines))] == [f"{s}{n}" for s in "ab" for n in range(9)]


def test_a_few_rows_are_no_reason_to_move_anything() -> None:
    lines = [row(number) for number in range(3)]
    assert in_reading_order(lines) is lines


def test_rows_of_numbers_and_rows_with_holes_stay() -> None:
    numbers = [line("1 2 3 4 5 6 7", 50, 12 * n) + line("1 2 3 4 5 6 7", 300, 12 * n) for n in range(9)]
    assert in_reading_order(numbers) is numbers
    cells = [
        line("a cell", 50, 12 * n) + line("of the", 180, 12 * n) + line("table here", 300, 12 * n) for n in range(9)
    ]
    assert in_reading_order(cells) is cells


def test_columns_in_order_stay_as_they_are() -> None:
    lines = [row(n)[:7] for n in range(9)] + [row(n)[7:] for n in range(9)]
    assert in_reading_order(lines) is lines


@st.composite
def pages(draw: st.DrawFn) -> list[list[PlacedWord]]:
    places = st.tuples(st.sampled_from([50.0, 300.0, 420.0]), st.integers(0, 8), st.integers(1, 12))
    return [line("word " * words, x, 12.0 * y) for x, y, words in draw(st.lists(places, max_size=40))]


@given(pages())
def test_no_word_is_lost_or_doubled(lines: list[list[PlacedWord]]) -> None:
    before = sorted(word.box for words in lines for word in words)
    assert sorted(word.box for words in in_reading_order(lines) for word in words) == before
