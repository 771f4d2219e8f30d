"""XML to a tree, from nobody's word but the file's own: no DTD is loaded, no entity expanded, nothing fetched."""

import re
from html.entities import html5
from typing import TypeAlias

from lxml import etree

from scatter_pipelines.errors import DocumentError

Element: TypeAlias = etree._Element
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_XML_NAMES = frozenset((b"amp", b"lt", b"gt", b"quot", b"apos"))


def parse_xml(content: bytes) -> Element:
    """The root. Raises `corrupt` for what is not well-formed, nests too deep or declares entities of its own.

    Names that a DTD we do not read would define (`&alpha;`) are replaced by the characters HTML gives them.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_NAMED.sub(_character, content), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DocumentError("corrupt", f"The XML cannot be read ({error}): is the file complete?") from error
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise DocumentError("corrupt", "The XML declares entities of its own, which are not expanded: save it without.")
    return root


def _character(found: re.Match[bytes]) -> bytes:
    """As a numeric reference, which holds in every encoding; unknown names stay readable."""
    if found[1] in _XML_NAMES:
        return found[0]
    text = html5.get(found[1].decode() + ";")
    return "".join(f"&#{ord(one)};" for one in text).encode() if text else b"&amp;" + found[1] + b";"


def local(element: Element) -> str:
    """The tag without its namespace; empty for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """The first attribute of that local name, whatever its namespace; empty where there is none."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""


def child(element: Element | None, *path: str) -> Element | None:
    """The first child of the first child ... by local names."""
    for name in path:
        if element is None:
            return None
        element = next((one for one in element if local(one) == name), None)
    return element


def children(element: Element | None, *names: str) -> list[Element]:
    return [] if element is None else [one for one in element if local(one) in names]
