"""Which document a line of gold is about."""

import pytest

from scatter_pipelines.evaluation.gold import GoldLine
from scatter_pipelines.evaluation.pairing import DocumentName, Pairing, pair

A = DocumentName("1", "PMC12.pdf", "file:///x/PMC12.pdf", "aa", {"study": "S1"})
B = DocumentName("2", "smith.2019.pdf", "file:///x/smith.2019.pdf", "bb", {"study": "S2"})
TWIN = DocumentName("3", "PMC12.pdf", "file:///y/PMC12.pdf", "cc", {"study": "S2"})


def line(number: int = 1, **identity: str) -> GoldLine:
    return GoldLine(number, identity, {"year": (1,)})


def partner(one: GoldLine, *documents: DocumentName, column: str | None = None) -> tuple[list[str], dict[str, int]]:
    pairing = pair([one], documents or (A, B), column)
    return list(pairing.lines), pairing.how


@pytest.mark.parametrize(
    ("identity", "document", "key"),
    [
        ({"sha256": "AA"}, "1", "sha256"),
        ({"uri": "file:///x/smith.2019.pdf"}, "2", "uri"),
        ({"filename": "PMC12.pdf"}, "1", "filename"),
        ({"filename": "PMC12.nxml"}, "1", "stem"),
        ({"filename": "smith.2019"}, "2", "stem"),
        ({"id": "PMC12"}, "1", "id"),
        ({"id": "PMC12.pdf"}, "1", "id"),
        ({"id": "smith.2019"}, "2", "id"),
        ({"sha256": "aa", "filename": "smith.2019.pdf"}, "1", "sha256"),
        ({"sha256": "of a newer download", "filename": "PMC12.pdf"}, "1", "filename"),
    ],
)
def test_the_first_key_that_finds_one_document_decides(identity: dict[str, str], document: str, key: str) -> None:
    assert partner(line(**identity)) == ([document], {key: 1})


def test_a_key_that_fits_several_is_decided_by_another_or_listed() -> None:
    assert partner(line(filename="PMC12.pdf", uri=TWIN.uri), A, TWIN) == (["3"], {"uri": 1})
    pairing = pair([line(filename="PMC12.pdf")], [A, TWIN])
    assert pairing.ambiguous == [(line(filename="PMC12.pdf"), [A.uri, TWIN.uri])]
    assert (pairing.lines, pairing.unmatched, pairing.without_gold) == ({}, [], ["PMC12.pdf", "PMC12.pdf"])


def test_nothing_is_dropped_silently() -> None:
    lines = [line(1, id="PMC12"), line(2, id="PMC99"), line(3, filename="pmc12.pdf")]
    pairing = pair(lines, [A, B])
    assert pairing == Pairing(
        lines={"1": lines[0]}, how={"id": 1}, unmatched=[lines[1], lines[2]], without_gold=["smith.2019.pdf"]
    )


def test_two_lines_for_one_document_are_told() -> None:
    lines = [line(1, id="PMC12"), line(2, sha256="aa")]
    assert pair(lines, [A, B]).twice == [(lines[0], lines[1])]


def test_a_manifest_column_alone_decides_where_it_is_named() -> None:
    assert partner(line(study="S1"), column="study") == (["1"], {"study": 1})
    assert pair([line(study="S2")], [A, B, TWIN], "study").ambiguous[0][1] == [B.uri, TWIN.uri]
    assert pair([line(study="PMC12")], [A, B], "study").unmatched == [line(study="PMC12")]
