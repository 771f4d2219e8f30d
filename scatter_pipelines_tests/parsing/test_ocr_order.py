"""Reading order of pieces found on a picture, and boxes of pages that were turned."""

import pytest

from scatter_pipelines.parsing.ocr.order import in_reading_order
from scatter_pipelines.parsing.ocr.turned import turned_back
from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines_tests.parsing.pdfs import prose

SIZE = 10.0
LETTER = 5.0


def piece(text: str, x: float, y: float) -> list[PlacedWord]:
    """Words of 5 points a letter, 10 points high, from `x`, `y` down."""
    words, left = [], x
    for word in text.split():
        right = left + LETTER * len(word)
        words.append(PlacedWord(word, (left, y, right, y + SIZE), SIZE, bold=False))
        left = right + LETTER
    return words


def column(name: str, rows: int, x: float, y: float) -> list[Line]:
    return [piece(text, x, y + 12 * row) for row, text in enumerate(prose(name, rows))]


def texts(pieces: list[Line]) -> list[str]:
    return [" ".join(word.text for word in line) for line in in_reading_order(pieces)]


def read(*columns: list[Line]) -> list[str]:
    """As written: column after column."""
    return [" ".join(word.text for word in line) for lines in columns for line in lines]


@pytest.mark.parametrize("drift", [0.0, 4.0, 7.0])
def test_columns_are_read_one_after_the_other_also_where_their_lines_are_not_level(drift: float) -> None:
    title = [piece("A title that goes from the left edge right across both of the columns of this page " * 2, 20, 20)]
    left, right = column("Left", 20, 20, 60), column("Right", 20, 360, 60 + drift)
    foot = [piece("And a foot note that goes across as well, longer than a column, much longer than one " * 2, 20, 400)]
    shuffled = sorted([*title, *left, *right, *foot], key=lambda line: (line[0].box[1], line[0].box[0]))
    assert texts(shuffled) == read(title, left, right, foot)


def test_three_columns_are_read_one_after_the_other() -> None:
    columns = [column(name, 12, x, 50) for name, x in (("First", 20), ("Second", 340), ("Third", 660))]
    shuffled = sorted((line for one in columns for line in one), key=lambda line: (line[0].box[1], line[0].box[0]))
    assert texts(shuffled) == read(*columns)


def test_the_rows_of_a_table_stay_whole() -> None:
    rows = [
        [piece(f"Age group {row}", 20, 50 + 14 * row), piece(f"{row * 7} ({row})", 300, 50 + 14 * row)]
        for row in range(9)
    ]
    assert texts([cell for row in rows for cell in row]) == [f"Age group {row} {row * 7} ({row})" for row in range(9)]


def test_a_table_above_a_column_does_not_keep_the_columns_together() -> None:
    left = column("Left", 20, 20, 60)
    table = [[piece(f"Arm {row}", 360, 60 + 12 * row), piece(f"{row}.5 kg", 600, 60 + 12 * row)] for row in range(6)]
    right = column("Right", 13, 360, 140)
    shuffled = sorted(
        [*left, *(cell for row in table for cell in row), *right], key=lambda line: (line[0].box[1], line[0].box[0])
    )
    rows = [f"Arm {row} {row}.5 kg" for row in range(6)]
    assert texts(shuffled) == [*read(left), *rows, *read(right)]


def test_nothing_is_lost_or_made_up() -> None:
    assert in_reading_order([]) == []
    assert in_reading_order([[]]) == []
    assert texts([piece("alone", 5, 5)]) == ["alone"]


@pytest.mark.parametrize(
    ("turns", "box"),
    [(0, (10, 20, 30, 25)), (1, (75, 10, 80, 30)), (2, (70, 175, 90, 180)), (3, (20, 170, 25, 190))],
)
def test_a_box_on_the_turned_page_is_told_on_the_page_itself(turns: int, box: tuple[float, ...]) -> None:
    """The page is 100 by 200; turned to the left once, what was its right edge is the upper one."""
    word = PlacedWord("x", (10.0, 20.0, 30.0, 25.0), SIZE, bold=False)
    assert turned_back([[word]], turns, 100, 200)[0][0].box == box
