"""A document goes to the parser of its content, or is refused in words a person understands."""

import re

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.parse import parse_document, parser_version
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.parsing.pdfs import drawn, parse, says

PDF = drawn(says("Hello there"))


def refusal(content: bytes) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        parse(content)
    return caught.value


def test_what_is_not_read_is_named_with_what_to_do() -> None:
    for content, name in ((b"\x89PNG\r\n\x1a\n", "picture (PNG)"), (b"<?xml version='1.0'?><note/>", "an XML file")):
        error = refusal(content)
        assert error.code == "unsupported_type"
        assert name in error.message and "Save or convert" in error.message


def test_random_bytes_are_refused_and_zero_bytes_are_empty() -> None:
    assert refusal(bytes(range(256)) * 4).code == "unsupported_type"
    assert refusal(b"").code == "empty"


def test_each_kind_goes_to_its_parser() -> None:
    assert parse(PDF).parser.startswith("pdfium")
    assert parse(b"Hello there").parser.startswith("text")
    assert parse(b"<!DOCTYPE html><html><body>403 Forbidden</body></html>").parser.startswith("html")


def test_the_version_names_every_parser_and_the_library() -> None:
    assert parser_version() == parser_version()
    assert pypdfium2.version.PYPDFIUM_INFO.tag in parser_version()
    assert re.search(r"docx \d.*html \d.*jats \d.*pdfium \d.*; text \d.*xlsx \d", parser_version())
    assert parse(PDF).parser in parser_version()


def outcome(content: bytes) -> str:
    """Parses with few pages and characters allowed, so that damage which multiplies them stays cheap."""
    try:
        limits = ParseLimits(max_pages=100, max_characters=100_000)
        return parse_document(content, limits=limits, progress=lambda done, total: None).media_type
    except DocumentError as error:
        return error.code


@given(st.binary(max_size=300))
def test_any_bytes_end_in_a_document_or_a_code(content: bytes) -> None:
    assert outcome(content)


@given(st.integers(0, len(PDF) - 1), st.integers(0, 255), st.integers(0, len(PDF)))
def test_a_damaged_pdf_ends_in_a_document_or_a_code(place: int, byte: int, kept: int) -> None:
    damaged = bytearray(PDF)
    damaged[place] = byte
    assert outcome(bytes(damaged[: max(kept, place + 1)]))
