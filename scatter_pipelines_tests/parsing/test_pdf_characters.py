"""What pdfium hands out becomes words that can be stored."""

from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.parsing.pdf_characters import count_doubtful, count_unreadable, tokens_by_line


def lines_of(text: str) -> list[list[str]]:
    return [[token.text for token in line] for line in tokens_by_line([ord(character) for character in text])]


def test_lines_end_at_line_breaks_and_at_the_hyphen_mark() -> None:
    assert lines_of("a few words\r\nbro\x02ken") == [["a", "few", "words"], ["bro-"], ["ken"]]
    assert lines_of("bro\x02\r\nken") == [["bro-"], ["ken"]]


def test_a_soft_hyphen_shows_only_at_a_line_end() -> None:
    assert lines_of("ran\xaddom\r\nblin\xad\r\nded") == [["random"], ["blin-"], ["ded"]]


def test_white_space_of_every_kind_separates_words() -> None:
    assert lines_of("a\u00a0b\u2003c\td") == [["a", "b", "c", "d"]]


def test_what_cannot_be_stored_or_seen_is_dropped_or_replaced() -> None:
    assert lines_of("a\x00b\x03c \x01 d\u200be\ufeff") == [["abc", "de"]]
    assert lines_of("x\ud800y") == [["x\ufffdy"]]


def test_a_surrogate_pair_is_one_character_and_offsets_stay_those_of_pdfium() -> None:
    (line,) = tokens_by_line([0xD835, 0xDF07, ord("g"), ord(" "), ord("b")])
    assert [(token.text, token.first, token.last) for token in line] == [("\U0001d707g", 0, 3), ("b", 4, 5)]


def test_ligatures_are_spelled_out() -> None:
    assert lines_of("o\ufb03ce \ufb01eld") == [["office", "field"]]


def test_unreadable_characters_are_counted() -> None:
    assert count_unreadable([ord(character) for character in "ok \x02\x03\ue000\ufffd\r\n"]) == (6, 3)
    assert count_doubtful("Výbava") == 1
    assert count_doubtful("킜킰톁") == 3


@given(st.lists(st.one_of(st.integers(0, 0x10FFFF), st.integers(0, 0x2100), st.integers(0xD7F0, 0xE010))))
def test_any_codes_give_words_that_can_be_stored(codes: list[int]) -> None:
    last = 0
    for token in (token for line in tokens_by_line(codes) for token in line):
        assert last <= token.first < token.last <= len(codes)
        assert token.text.split() == [token.text]
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in token.text)
        token.text.encode("utf-8")
        last = token.last
