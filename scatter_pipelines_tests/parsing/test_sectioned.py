"""Sectioned text, running text, and the walk through a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.flow import Flow
from scatter_pipelines.parsing.markup.html import MARKUP, HtmlWalk
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines_tests.parsing.regions import check_regions, text_of, texts


def sectioned(**limits: int) -> Sectioned:
    return Sectioned(ParseLimits(**limits), lambda done, total: None)


def flowed(*pieces: str) -> str:
    """`^x` is raised, `_x` lowered."""
    flow = Flow()
    for piece in pieces:
        if piece[0] in "^_":
            (flow.raised if piece[0] == "^" else flow.lowered)()
        flow.add(piece.lstrip("^_"))
    return flow.take()


def test_white_space_is_collapsed() -> None:
    assert flowed(" a\n  b\t", " c ") == "a b c"


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (("10", "^-4"), "10^-4"),
        (("2012", "^3"), "2012^3"),
        (("m", "^2"), "m2"),
        (("H", "_2", "O"), "H2O"),
        (("4", "^th", " week"), "4th week"),
        (("5", "_2"), "5_2"),
    ],
)
def test_a_raised_number_does_not_become_part_of_another(pieces: tuple[str, ...], expected: str) -> None:
    assert flowed(*pieces) == expected


def test_a_region_is_the_text_that_was_written() -> None:
    writer = sectioned()
    writer.block("A title", "title")
    writer.block("By Ada (ada@x.org)", within=[("author", "Ada"), ("email", "ada@x.org"), ("doi", "not there")])
    writer.new_page()
    mark = writer.mark()
    writer.row(["a\tb", "c\nd", ""])
    writer.row(["1", "2", "3"])
    writer.close("table", mark)
    document = writer.finish("text/html", "html 1")
    check_regions(document)
    assert [(region.kind, text_of(document, region)) for region in document.regions] == [
        ("title", "A title"), ("author", "Ada"), ("email", "ada@x.org"), ("table", "a b\tc d\t\n1\t2\t3"),
    ]  # fmt: skip


def test_limits_hold_while_text_is_added() -> None:
    writer = sectioned(max_characters=10)
    writer.block("12345")
    with pytest.raises(DocumentError) as caught:
        writer.block("123456")
    assert caught.value.code == "too_large"
    writer = sectioned(max_pages=1)
    writer.block("one")
    writer.new_page()
    with pytest.raises(DocumentError, match="1 pages"):
        writer.block("two")


def test_progress_is_told_at_each_page_and_may_stop() -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    writer = Sectioned(ParseLimits(), stop)
    writer.block("one")
    with pytest.raises(Stop):
        writer.new_page()


def test_nothing_written_is_empty() -> None:
    with pytest.raises(DocumentError) as caught:
        sectioned().finish("text/html", "html 1")
    assert caught.value.code == "empty"


def test_spans_leave_the_other_cells_empty() -> None:
    writer = sectioned()
    table = "<table><tr><td rowspan='2'>a</td><td colspan='2'>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    HtmlWalk(writer, MARKUP).element(etree.fromstring(table, etree.HTMLParser()))
    assert texts(writer.finish("text/html", "html 1"), "table") == ["a\tb\t\n\tc\td"]


def test_a_depth_of_10_000_is_no_recursion() -> None:
    root = inner = etree.Element("div")
    for _ in range(10_000):
        inner = etree.SubElement(inner, "div")
    inner.text = "deep"
    writer = sectioned()
    HtmlWalk(writer, MARKUP).element(root)
    assert writer.finish("text/html", "html 1").pages[0].text == "deep"


TAGS = ("div", "p", "span", "table", "tr", "td", "h1", "h2", "li", "pre", "br", "sup", "caption", "b", "script")
TREES = st.recursive(
    st.text(max_size=8),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=4)),
    max_leaves=25,
)


def build(tree: object, parent: etree._Element) -> None:
    if isinstance(tree, str):
        clean = "".join(one for one in tree if one.isprintable() or one in "\n\t ")
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + clean
        else:
            parent.text = (parent.text or "") + clean
        return
    assert isinstance(tree, tuple)
    made = etree.SubElement(parent, tree[0])
    for one in tree[1]:
        build(one, made)


@given(TREES)
def test_any_tree_gives_regions_in_their_pages(tree: object) -> None:
    root = etree.Element("body")
    build(tree, root)
    writer = sectioned()
    HtmlWalk(writer, MARKUP, page_level=1).element(root)
    try:
        document = writer.finish("text/html", "html 1")
    except DocumentError as error:
        assert error.code == "empty"
        return
    check_regions(document)
    shown = "".join("".join(page.text.split()) for page in document.pages)
    dropped = {one for top in root.iter("script") for one in top.iter()}
    for one in root.iter():
        if one not in dropped and one.text:
            assert all(word in shown for word in one.text.split() if word.isalnum() and word.isascii())
