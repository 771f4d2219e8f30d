"""What the tags of JATS mean as running text, and the text of one element on one line."""

from lxml import etree

from scatter_pipelines.parsing.flow import Flow
from scatter_pipelines.parsing.walk import Markup
from scatter_pipelines.parsing.xml_tree import Element, local

_BLOCKS = (
    "abstract ack app body boxed-text caption chem-struct-wrap def def-item def-list disp-formula disp-quote fig "
    "fn fn-group glossary kwd-group list list-item notes p sec speech statement supplementary-material table-wrap "
    "table-wrap-foot term thead tbody tfoot title verse-group verse-line attrib answer question trans-abstract"
)
_DROPPED = (
    "graphic inline-graphic media object-id sec-meta alt-text long-desc processing-meta contrib-id "
    "annotation annotation-xml permissions self-uri institution-id"
)
_SEPARATED = {
    "surname": " ",
    "given-names": " ",
    "name": ", ",
    "string-name": ", ",
    "collab": ", ",
    "person-group": " ",
}
_SIGNS = {"mfrac": "/", "msup": "^", "msub": "_"}
MARKUP = Markup(
    dropped=frozenset(_DROPPED.split()),
    blocks=frozenset(_BLOCKS.split()),
    headings={},
    kinds={"caption": "caption", "table-wrap-foot": "footnote"},
    labels=frozenset(("label",)),
    kept=frozenset(("preformat", "code")),
)


def text_of(element: Element | None, *, without: frozenset[str] = frozenset()) -> str:
    """On one line, without the elements of those names."""
    if element is None:
        return ""
    flow = Flow()
    dropped = MARKUP.dropped | without
    walker = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, one in walker:
        name = local(one)
        if event == "start":
            if name in dropped:
                walker.skip_subtree()
                continue
            _open(flow, name)
            flow.add(sign_before(one))
            flow.add(one.text)
            continue
        if name in MARKUP.blocks or name in MARKUP.labels:
            flow.add(" ")
        elif name in _SEPARATED and not one.tail and one.getnext() is not None:
            flow.add(_SEPARATED[name])
        if one is not element:
            flow.add(one.tail)
    return " ".join(flow.take().split())


def _open(flow: Flow, name: str) -> None:
    if name in ("sup", "sub"):
        (flow.raised if name == "sup" else flow.lowered)()
    elif name in MARKUP.blocks or name in MARKUP.breaks or name == "pub-id":
        flow.add(" ")


def sign_before(element: Element) -> str:
    """What tells the second part of a formula's fraction or power from the first."""
    parent = element.getparent()
    sign = "" if parent is None else _SIGNS.get(local(parent), "")
    return sign if sign and parent.index(element) == 1 else ""
