"""HTML, as a browser would show it without a style sheet or a script. Nothing a page refers to is fetched."""

import codecs
import re

from lxml import etree

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document, RegionKind
from scatter_pipelines.parsing.decoding import decode_text
from scatter_pipelines.parsing.detect import HTML
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.walk import Markup, Walk
from scatter_pipelines.parsing.xml_tree import Element, local

_WITHIN = 4096
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9._:-]+)""", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_META = re.compile(r"(?:citation_|dc\.|dcterms\.|og:title|author$|description$|keywords$)", re.IGNORECASE)
_BLOCKS = (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figure footer form header "
    "hr html legend li main menu ol option p search section summary ul thead tbody tfoot"
)
_DROPPED = (
    "head script style template noscript nav iframe frame object embed applet svg canvas audio video select textarea "
    "button datalist annotation annotation-xml"
)
MARKUP = Markup(
    dropped=frozenset(_DROPPED.split()),
    blocks=frozenset(_BLOCKS.split()),
    headings={f"h{level}": level for level in range(1, 7)},
    kinds={"caption": "caption", "figcaption": "caption"},
    kept=frozenset(("pre", "listing", "plaintext", "xmp")),
)
_FRONT: tuple[tuple[str, RegionKind | None], ...] = (
    ("citation_journal_title", "journal"),
    ("citation_title", "title"),
    ("citation_author", "author"),
    ("citation_doi", "doi"),
    ("citation_publication_date", "publication_date"),
    ("citation_date", "publication_date"),
)


class HtmlParser:
    """Codes raised: empty, corrupt, too_large.

    A page for what comes before the first section and for each section: `h2`, or `h1` where there are several.
    Scripts, styles, forms' controls, `nav` and what is hidden are left out. What an article's page says of it in
    `citation_` tags becomes a first page of its own.
    """

    name = "html"
    version = f"1 (lxml {etree.__version__})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        root = parse_html(content)
        metadata = metadata_of(root)
        writer = Sectioned(limits, progress)
        _front_page(writer, root)
        write_html(writer, root)
        return writer.finish(HTML.name, f"{self.name} {self.version}", metadata)


def parse_html(content: bytes) -> Element:
    """The root, whatever the state of the markup. Raises `empty` and, where it nests too deep, `corrupt`."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    text = _DECLARATION.sub("", decode_html(content).replace("\0", ""))
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise DocumentError("empty", "The page holds no text.") from error
    if root is None:
        raise DocumentError("empty", "The page holds no text.")
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise DocumentError("corrupt", "The page's elements are nested too deep to be read: save it as PDF or text.")
    return root


def decode_html(content: bytes) -> str:
    """By byte order mark, else by the page's own word if that can be so, else as text is."""
    marked = content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    said = None if marked else _CHARSET.search(content[:_WITHIN])
    if said:
        try:
            name = codecs.lookup(said[1].decode("ascii")).name
            return content.decode("cp1252" if name in ("iso8859-1", "ascii") else name)
        except (LookupError, ValueError):
            pass
    return decode_text(content) or content.decode("cp1252", "replace")


def write_html(writer: Sectioned, root: Element) -> None:
    """The page's body, with a page for each section of its highest level that has several."""
    several = sum(1 for _ in zip(root.iter("h1"), range(2), strict=False)) > 1
    HtmlWalk(writer, MARKUP, page_level=1 if several else 2).element(root)


def metadata_of(root: Element) -> dict[str, str]:
    """The title and the tags that libraries and search engines read; several of a name are joined by `; `."""
    found: dict[str, list[str]] = {}
    title = next(root.iter("title"), None)
    if title is not None:
        found["title"] = [" ".join("".join(title.itertext()).split())]
    for name, value in _meta(root):
        found.setdefault(name, []).append(value)
    return {name: "; ".join(values) for name, values in found.items()}


def _meta(root: Element) -> list[tuple[str, str]]:
    pairs = [
        ((one.get("name") or one.get("property") or "").strip().lower(), one.get("content") or "")
        for one in root.iter("meta")
    ]
    return [(name, " ".join(value.split())) for name, value in pairs if _META.match(name) and value.strip()]


def _front_page(writer: Sectioned, root: Element) -> None:
    """One line a value. Only where the page says that it is of an article."""
    meta = _meta(root)
    names = {name for name, _ in meta}
    if "citation_title" not in names:
        return
    for wanted, kind in _FRONT:
        if wanted == "citation_date" and "citation_publication_date" in names:
            continue
        for name, value in meta:
            if name == wanted:
                writer.block(value, kind)
    writer.new_page()


class HtmlWalk(Walk):
    """Leaves out what the page hides."""

    def is_dropped(self, element: Element) -> bool:
        if local(element) in self.markup.dropped or "hidden" in element.attrib:
            return True
        style = element.get("style")
        return (element.get("aria-hidden") == "true" and not len(element)) or bool(style and _HIDDEN.search(style))
