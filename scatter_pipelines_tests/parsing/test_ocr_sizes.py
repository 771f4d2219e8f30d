"""Font sizes from how wide letters run."""

import pytest

from scatter_pipelines.parsing.ocr.sizes import with_sizes
from scatter_pipelines.parsing.placed import Line, PlacedWord

AVERAGE = 0.5
"""Width of most small letters, in sizes."""


def line(text: str, size: float, height: float) -> Line:
    """One word of letters of average width, in a box of any height."""
    return [PlacedWord(text, (10.0, 20.0, 10.0 + AVERAGE * size * len(text), 20.0 + height), height, bold=False)]


def sizes(*lines: Line) -> list[float]:
    return [words[0].size for words in with_sizes(lines)]


def test_the_height_of_a_box_plays_no_part() -> None:
    assert sizes(line("sea", 12, 8), line("sang", 12, 17)) == pytest.approx([12, 12])


def test_lines_of_nearly_one_size_are_of_one_size_and_others_keep_theirs() -> None:
    found = sizes(line("one", 17.0, 9), line("so", 17.4, 9), line("seen", 16.6, 9), line("on", 9, 9))
    assert found[0] == found[1] == found[2] == pytest.approx(17.0) and found[3] == pytest.approx(9)


def test_every_word_of_a_line_has_its_size() -> None:
    words = [*line("one", 10, 9), PlacedWord("seen", (30.0, 20.0, 50.0, 29.0), 3.0, bold=False)]
    (found,) = with_sizes([words])
    assert len({word.size for word in found}) == 1 and [word.text for word in found] == ["one", "seen"]


def test_a_line_without_width_and_no_line_at_all_are_no_matter() -> None:
    assert with_sizes([]) == []
    assert sizes([PlacedWord("x", (1.0, 1.0, 1.0, 2.0), 1.0, bold=False)]) == [0.0]
