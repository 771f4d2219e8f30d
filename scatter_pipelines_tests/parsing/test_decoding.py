"""Bytes become text, or are refused; they are never guessed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.parsing.decoding import decode_text

TEXT = "Größe 5 µg — “quoted” naïve résumé, and then a good deal of plain words to go with it"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_common_encodings_are_told(encoding: str) -> None:
    assert decode_text(TEXT.encode(encoding)) == TEXT


def test_big_endian_utf_16_is_told_by_its_mark() -> None:
    assert decode_text(b"\xfe\xff" + TEXT.encode("utf-16-be")) == TEXT


def test_utf_8_with_one_broken_character_stays_utf_8() -> None:
    assert decode_text(TEXT.encode() + b" \xff " + TEXT.encode()) == f"{TEXT} \ufffd {TEXT}"


def test_text_cut_within_a_character_is_not_taken_for_another_encoding() -> None:
    assert decode_text((TEXT + "é").encode()[:-1]) == TEXT + "\ufffd"


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "shift-jis"])
def test_other_one_byte_encodings_are_refused(encoding: str) -> None:
    assert (
        decode_text(("Привет, мир и всем" if encoding != "shift-jis" else "日本語の文章です").encode(encoding)) is None
    )


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"])))
def test_utf_8_comes_back_as_it_went_in(text: str) -> None:
    assert decode_text(text.encode()) == text.removeprefix("\ufeff")
