"""TEI is read with nothing looked up, and what is no TEI is refused in one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.parsing.grobid.coordinates import PageBox, read_coords
from scatter_pipelines.parsing.grobid.letters import find, letters_of, likeness
from scatter_pipelines.parsing.grobid.tei import read_tei
from scatter_pipelines.parsing.service import ServiceUnavailable
from scatter_pipelines_tests.grobid.stand_in import BOMB, EXTERNAL

SMALL = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{}</teiHeader></TEI>'


def test_coordinates_are_boxes_with_two_corners() -> None:
    assert read_coords("1,53.80,194.57,58.71,9.29;10,0,0,1,2") == (
        PageBox(1, 53.80, 194.57, 53.80 + 58.71, 194.57 + 9.29),
        PageBox(10, 0, 0, 1, 2),
    )


@pytest.mark.parametrize(
    "text", ["", ";", "1,2,3", "a,b,c,d,e", "1,nan,1,1,1", "1,1,inf,1,1", "0,1,1,1,1", "1.5,1,1,1,1", "1,1,1,-1,1"]
)
def test_what_is_no_box_is_left_out(text: str) -> None:
    assert read_coords(text) == ()
    assert len(read_coords(f"{text};2,1,1,1,1")) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not TEI"),
        (b"<html><body/></html>", "its root is html"),
        (b"<TEI/>", "its root is TEI"),
        (b"<TEI xmlns='http://www.tei-c.org/ns/1.0'>", "not TEI"),
        (SMALL.format("").encode("utf-16"), "not UTF-8"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"<a>" * 5_000, "not TEI"),
        (BOMB, "declares"),
        (EXTERNAL, "declares"),
    ],
)
def test_what_is_no_tei_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(ServiceUnavailable, match=says):
        read_tei(content)


def test_no_file_is_read_by_way_of_an_entity_or_an_include(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<title>a secret</title>")
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret.as_uri()}"/>'
    header = f"<fileDesc><titleStmt><title>{include}</title></titleStmt></fileDesc>"
    assert not [part for part in read_tei(SMALL.format(header).encode()).parts if "secret" in part.text]


def test_the_version_is_the_one_that_answered() -> None:
    application = '<encodingDesc><appInfo><application version="0.8.2" ident="GROBID"/></appInfo></encodingDesc>'
    assert read_tei(SMALL.format(application).encode()).version == "0.8.2"
    assert read_tei(SMALL.format("").encode()).version == ""


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_in_words(content: bytes) -> None:
    with pytest.raises(ServiceUnavailable):
        read_tei(content)


@given(st.text(max_size=200))
def test_any_coordinates_can_be_read(text: str) -> None:
    assert all(box.x1 > box.x0 and box.y1 > box.y0 for box in read_coords(text))


def test_a_text_is_found_over_line_ends_hyphens_and_ligatures() -> None:
    page = "We ﬁnd a hospi-\ntal, (indeed)."
    found = find("find a hospital", letters_of(page), whole=True)
    assert found is not None and page[slice(*found)] == "ﬁnd a hospi-\ntal"
    found = find("(indeed).", letters_of(page), whole=True)
    assert found is not None and page[slice(*found)] == "(indeed)."
    assert find("hospit", letters_of(page), whole=True) is None
    assert find("hospit", letters_of(page), whole=False) is not None
    assert find("--", letters_of(page), whole=False) is None


@given(st.text(max_size=100), st.text(max_size=100))
def test_likeness_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == (1.0 if letters_of(one).text else 0.0)
