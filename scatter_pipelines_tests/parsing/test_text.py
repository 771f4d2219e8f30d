"""Plain text and Markdown."""

import pytest

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.detect import PLAIN_TEXT
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines.parsing.text import TextParser
from scatter_pipelines_tests.parsing.pdfs import parse


def code_of(content: bytes, limits: ParseLimits | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(content, limits)
    return caught.value.code


def test_text_is_one_page_without_layout() -> None:
    document = parse(b"One line.\nAnother\tone.\n")
    (page,) = document.pages
    assert (page.number, page.text, page.words, page.width) == (1, "One line.\nAnother\tone.\n", (), 0)
    assert document.media_type == "text/plain"


def test_markdown_is_kept_as_written() -> None:
    document = parse(b"# Title\n\n- *first* point\n")
    assert (document.media_type, document.pages[0].text) == ("text/markdown", "# Title\n\n- *first* point\n")


def test_line_ends_become_line_feeds_and_nuls_go() -> None:
    assert parse(b"first line\r\nsecond\rthird\x00 and a last one").pages[0].text == (
        "first line\nsecond\nthird and a last one"
    )


def test_utf_16_is_read() -> None:
    assert parse("Größe\r\nGewicht".encode("utf-16")).pages[0].text == "Größe\nGewicht"


def test_form_feeds_part_pages() -> None:
    assert [(page.number, page.text) for page in parse(b"one\ftwo\f").pages] == [(1, "one"), (2, "two"), (3, "")]


@pytest.mark.parametrize("content", [b" \n\t\r\n", b"\f\f", b"\xef\xbb\xbf", bytes(300), b"\xff\xfe"])
def test_nothing_but_white_space_is_empty(content: bytes) -> None:
    assert code_of(content) == "empty"


def test_limits_hold() -> None:
    assert code_of(b"a\fb\fc", ParseLimits(max_pages=2)) == "too_large"
    assert code_of(b"abcdef", ParseLimits(max_characters=5)) == "too_large"


def test_what_cannot_be_decoded_is_refused() -> None:
    with pytest.raises(DocumentError, match="UTF-8"):
        TextParser(PLAIN_TEXT).parse(bytes(range(256)), limits=ParseLimits(), progress=lambda done, total: None)


def test_progress_is_told_once() -> None:
    seen: list[tuple[int, int]] = []
    TextParser(PLAIN_TEXT).parse(b"a\fb", limits=ParseLimits(), progress=lambda *step: seen.append(step))
    assert seen == [(2, 2)]
