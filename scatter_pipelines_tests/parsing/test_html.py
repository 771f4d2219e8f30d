"""Web pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.errors import DocumentError
from scatter_pipelines_tests.parsing.pdfs import parse
from scatter_pipelines_tests.parsing.regions import check_regions, lines, texts

PAGE = b"""<!DOCTYPE html><html><head><title>Of sleep</title><style>p {color: red}</style>
<script>var a = "x";</script></head>
<body><nav>Home | About</nav><h1>Sleep and <i>health</i></h1><p>Slept 10<sup>-4</sup> s,<br>then
  woke.</p><!-- no --><p hidden>secret</p><p style="display: none">secret</p><noscript>Turn on scripts</noscript>
<h2>Methods</h2><ul><li>One</li><li>Two</li></ul><pre>a  b
 c</pre><template>secret</template><table><caption>Doses</caption><tr><th>Drug</th><th>mg</th></tr><tr><td>A</td><td>5
</td></tr></table><footer>&copy; 2020&nbsp;Press</footer></body></html>"""


def test_a_page_is_sections_of_lines() -> None:
    document = parse(PAGE)
    assert lines(document) == [
        ["Sleep and health", "Slept 10^-4 s,", "then woke."],
        ["Methods", "One", "Two", "a  b", " c", "Doses", "Drug\tmg", "A\t5", "© 2020\xa0Press"],
    ]
    assert document.metadata == {"title": "Of sleep"}
    assert (texts(document, "heading"), texts(document, "caption")) == (["Sleep and health", "Methods"], ["Doses"])
    assert texts(document, "table") == ["Drug\tmg\nA\t5"]
    check_regions(document)


def test_an_articles_own_tags_make_a_first_page() -> None:
    tags = {"title": "On sleep", "author": "Ada Low", "doi": "10.1/x", "journal_title": "Rest", "date": "2020/03/01"}
    head = "".join(f'<meta name="citation_{name}" content="{value}">' for name, value in tags.items())
    document = parse(f"<html><head>{head}</head><body><p>Text</p></body></html>".encode())
    assert lines(document) == [["Rest", "On sleep", "Ada Low", "10.1/x", "2020/03/01"], ["Text"]]
    found = [texts(document, kind) for kind in ("title", "author", "doi", "publication_date")]
    assert found == [["On sleep"], ["Ada Low"], ["10.1/x"], ["2020/03/01"]]


@pytest.mark.parametrize(
    "content",
    [
        "<html><p>Größe".encode("utf-16"),
        "<html><meta charset=iso-8859-1><p>Größe".encode("latin-1"),
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html><p>Größe'.encode(),
        "<html><meta charset=no-such-thing><p>Größe".encode(),
    ],
)
def test_the_encoding_is_found(content: bytes) -> None:
    assert parse(content).pages[0].text == "Größe"


def test_a_table_in_a_cell_is_text_of_the_cell() -> None:
    inner = "<table><tr><td>x</td><td>y</td></tr></table>"
    document = parse(f"<html><table><tr><td>a{inner}</td><td>b</td></tr></table>".encode())
    assert texts(document, "table") == ["a x y\tb"]


def code_of(content: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(content)
    return caught.value.code


@pytest.mark.parametrize(
    "content",
    [
        b"<html></html>",
        b"<!DOCTYPE html>",
        b"<html><frameset><frame src='a.html'></frameset></html>",
        b"<html><script>x</script>",
    ],
)
def test_a_page_without_text_is_empty(content: bytes) -> None:
    assert code_of(content) == "empty"


def test_a_page_that_nests_too_deep_says_so_and_loses_nothing_in_silence() -> None:
    assert code_of(b"<html><body>" + b"<div>" * 10_000 + b"deep") == "corrupt"
    assert parse(b"<html><body>" + b"<div>" * 1_000 + b"deep").pages[0].text == "deep"


def test_huge_attributes_and_pictures_in_the_text_are_nothing() -> None:
    picture = b"A" * 12_000_000
    assert parse(b'<html><img src="data:image/png;base64,' + picture + b'"><p>Text').pages[0].text == "Text"


@given(st.text(alphabet="<>/=\"'&;! -\0abhpt1rdn\n", max_size=200))
def test_any_markup_ends_in_a_document_or_a_code(text: str) -> None:
    try:
        check_regions(parse(b"<html>" + text.encode()))
    except DocumentError as error:
        assert error.code in ("empty", "corrupt", "unsupported_type")
