"""The numbers before the lines of a manuscript are left out; those of lists, tables and references are not."""

from collections.abc import Sequence

from scatter_pipelines.parsing.line_numbers import without_line_numbers
from scatter_pipelines.parsing.placed import Line, PageLines, PlacedWord


def line(number: str, text: str, at: int, x: float = 72) -> Line:
    """A number that ends at x = 60, unless it is empty, and words from `x` on."""
    words = [PlacedWord(number, (60 - 5 * len(number), 14 * at, 60, 14 * at + 10), 8, False)] if number else []
    for word in text.split():
        words.append(PlacedWord(word, (x, 14 * at, x + 5 * len(word), 14 * at + 10), 10, False))
        x += 5 * len(word) + 3
    return words


def texts(lines: Sequence[Line]) -> list[str]:
    return [" ".join(word.text for word in one) for one in without_line_numbers(PageLines(1, lines)).lines]


PROSE = ["words of a line of prose"] * 20


def test_numbers_of_every_line_are_left_out() -> None:
    assert texts([line(str(at + 31), text, at) for at, text in enumerate(PROSE)]) == PROSE


def test_numbers_of_every_fifth_line_are_left_out() -> None:
    numbers = [str(at + 1) if (at + 1) % 5 == 0 else "" for at in range(30)]
    assert texts([line(number, "words of a line", at) for at, number in enumerate(numbers)]) == ["words of a line"] * 30


def test_numbers_on_lines_of_their_own_are_left_out_too() -> None:
    lines = [one for at, text in enumerate(PROSE) for one in (line(str(at + 1), "", at), line("", text, at))]
    assert texts(lines) == PROSE


def test_numbers_that_count_some_lines_only_stay() -> None:
    lines = [line(str(at // 3 + 1) if at % 3 == 0 else "", "reference with a name", at) for at in range(30)]
    assert sum(text[0].isdigit() for text in texts(lines)) == 10


def test_numbers_with_text_to_their_left_stay() -> None:
    lines = [line(str(at + 1), "value", at) for at in range(20)]
    lines.append([PlacedWord("group", (10, 300, 40, 310), 10, False)])
    assert sum(text[0].isdigit() for text in texts(lines)) == 20


def test_numbers_that_do_not_count_stay() -> None:
    lines = [line(str(at * at + 7), "measured", at) for at in range(20)]
    assert texts(lines) == [f"{at * at + 7} measured" for at in range(20)]


def test_a_page_without_lines_stays_as_it_is() -> None:
    assert texts([]) == []
