"""EPUB: the chapters in the order of the spine, each a page."""

import posixpath
from urllib.parse import unquote

from lxml import etree

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.archive import Archive
from scatter_pipelines.parsing.detect import EPUB
from scatter_pipelines.parsing.markup.html import MARKUP, HtmlWalk, parse_html
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local, parse_xml

_METADATA = ("title", "creator", "publisher", "date", "language", "identifier", "subject")


class EpubParser:
    """Codes raised: empty, corrupt, encrypted, too_large."""

    name = "epub"
    version = f"1 (lxml {etree.__version__})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        archive = Archive(content)
        roots = [one for one in parse_xml(archive.read("META-INF/container.xml")).iter() if local(one) == "rootfile"]
        part = attribute(roots[0], "full-path") if roots else ""
        package = parse_xml(archive.read(_inside("", part)))
        locked = archive.find("META-INF/encryption.xml") or b""
        writer = Sectioned(limits, progress)
        for name in _spine(package, posixpath.dirname(part)):
            if name.encode() in locked:
                raise DocumentError("encrypted", "The book is protected by its seller: ask for a copy that is not.")
            _write_chapter(writer, archive.read(name))
        found = children(child(package, "metadata"), *_METADATA)
        return writer.finish(
            EPUB.name, f"{self.name} {self.version}", {local(one): one.text or "" for one in reversed(found)}
        )


def _write_chapter(writer: Sectioned, content: bytes) -> None:
    """A chapter without text (a cover) is no page."""
    writer.new_page()
    if content.strip():
        HtmlWalk(writer, MARKUP).element(parse_html(content))


def _spine(package: Element, folder: str) -> list[str]:
    items = {attribute(one, "id"): one for one in children(child(package, "manifest"), "item")}
    listed = [items.get(attribute(one, "idref")) for one in children(child(package, "spine"), "itemref")]
    return [
        _inside(folder, unquote(attribute(one, "href").partition("#")[0]))
        for one in listed
        if one is not None and "html" in attribute(one, "media-type")
    ]


def _inside(folder: str, name: str) -> str:
    """The part's full name. Raises `corrupt` where it leads out of the book."""
    full = posixpath.normpath(posixpath.join(folder, name))
    if full.startswith(("/", "..")) or ":" in full:
        raise DocumentError("corrupt", f"The book names a part that lies outside of it: {name[:100]!r}.")
    return full
