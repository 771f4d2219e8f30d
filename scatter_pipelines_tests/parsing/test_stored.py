"""A parsed document comes back from its bytes as it was."""

from scatter_pipelines.model.document import Document, Page, Region, Word
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines.parsing.stored import from_bytes, to_bytes
from scatter_pipelines_tests.generator.papers import generate_batch


def test_everything_of_a_document_comes_back() -> None:
    words = (Word(0, 3, (1.0, 2.5, 3.0, 4.0), 9.5, True), Word(4, 6, (5.0, 2.5, 6.0, 4.0)))
    document = Document(
        (Page(1, "abc dé\0\ud800", words, 600.0, 800.0, True), Page(2, "")),
        "application/pdf",
        "parser 1",
        {"title": "T"},
        (Region("title", 1, 0, 3), Region("heading", 1, 4, 6, 2)),
        True,
        (2,),
    )
    assert from_bytes(to_bytes(document)) == document


def test_parsed_papers_come_back() -> None:
    for paper in generate_batch(4, 7):
        document = parse_document(paper.content, limits=ParseLimits(100, 10_000_000), progress=lambda done, total: None)
        assert from_bytes(to_bytes(document)) == document
