"""Lines are those a reader sees, though pdfium breaks them at each change of height."""

from scatter_pipelines.parsing.lines import mended
from scatter_pipelines.parsing.placed import Line, PlacedWord


def word(text: str, x: float, y: float, size: float = 10, width: float | None = None) -> PlacedWord:
    """`y` is the top; a letter is half as wide as it is high."""
    return PlacedWord(text, (x, y, x + (width or size * 0.5 * len(text)), y + size), size, False)


def texts(*lines: Line) -> list[str]:
    return [" ".join(one.text for one in line) for line in mended(lines)]


def test_a_line_goes_on_after_a_raised_number() -> None:
    assert texts(
        [word("Suresh", 50, 100), word("Anand2", 85, 97)], [word(",", 115.2, 100), word("Mohan", 122, 100)]
    ) == ["Suresh Anand2, Mohan"]


def test_an_exponent_is_joined_to_its_base() -> None:
    assert texts([word("where", 50, 100), word("I", 80, 100)], [word("2", 84.5, 98, 6), word("values", 92, 100)]) == [
        "where I2 values"
    ]


def test_a_label_before_an_address_stays_apart_from_it() -> None:
    assert texts([word("1", 50, 98, 6)], [word("Department", 53, 100)]) == ["1 Department"]


def test_a_label_that_was_added_to_the_line_above_comes_down() -> None:
    above = [word("Karnataka,", 50, 100), word("India", 105, 100), word("2", 50, 112, 5)]
    assert texts(above, [word("Professor", 53, 113)]) == ["Karnataka, India", "2 Professor"]


def test_a_word_broken_by_a_hyphen_goes_on_in_the_next_line() -> None:
    assert texts([word("signifi-", 300, 100)], [word("cant", 50, 112)]) == ["signifi-", "cant"]


def test_columns_and_cells_beside_each_other_stay_lines_of_their_own() -> None:
    assert texts([word("left", 50, 100)], [word("right", 300, 100)]) == ["left", "right"]


def test_words_one_above_the_other_as_in_turned_text_stay_in_their_line() -> None:
    turned = [PlacedWord("up", (50, 100, 60, 130), 10, False), PlacedWord("on", (50, 65, 60, 95), 10, False)]
    assert texts(turned) == ["up on"]


def test_no_lines_give_no_lines() -> None:
    assert mended([]) == []


def test_a_joined_word_has_the_box_of_both_and_the_size_of_the_longer() -> None:
    ((joined,),) = mended([[word("Anand2", 85, 97)], [word(",", 115, 100)]])
    assert (joined.text, joined.box, joined.size) == ("Anand2,", (85, 97, 120, 110), 10)
