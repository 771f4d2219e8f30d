"""ODT, ODS and ODP: sections, sheets or slides as pages."""

from lxml import etree

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document, RegionKind
from scatter_pipelines.parsing.archive import Archive
from scatter_pipelines.parsing.detect import MediaType
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.walk import Markup, Walk, span_of
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local, parse_xml

MARKUP = Markup(
    dropped=frozenset(
        ("annotation", "tracked-changes", "note", "forms", "desc", "title", "dde-connection-decls", "settings")
    ),
    blocks=frozenset(("p", "list-item", "text-box", "frame")),
    headings={},
    kinds={"caption": "caption"},
    rows=frozenset(("table-row",)),
    cells=frozenset(("table-cell", "covered-table-cell")),
)
_BODIES = ("text", "spreadsheet", "presentation", "drawing")
_METADATA = ("title", "creator", "initial-creator", "subject", "description", "keyword", "date", "creation-date")
_MOST_SPACES = 100


class OpenDocumentParser:
    """Codes raised: empty, corrupt, encrypted, too_large. Comments and deleted text do not count; notes come last."""

    name = "opendocument"
    version = f"1 (lxml {etree.__version__})"

    def __init__(self, media_type: MediaType) -> None:
        self.media_type = media_type

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        archive = Archive(content)
        if b"encryption-data" in (archive.find("META-INF/manifest.xml") or b""):
            raise DocumentError("encrypted", "The document needs a password: save a copy without it and submit that.")
        body = child(parse_xml(archive.read("content.xml")), "body")
        writer = Sectioned(limits, progress)
        for one in children(body, *_BODIES):
            _write_body(writer, one)
        return writer.finish(self.media_type.name, f"{self.name} {self.version}", _metadata(archive))


def _write_body(writer: Sectioned, body: Element) -> None:
    walk = OpenDocumentWalk(writer, MARKUP, page_level=1)
    for part in body:
        if local(body) != "text":
            writer.new_page()
            writer.block(attribute(part, "name") if local(part) == "table" else "", "heading", level=1)
        if isinstance(part.tag, str):
            walk.element(part)
    writer.new_page()
    for note in body.iter():
        if local(note) == "note-body":
            mark = writer.mark()
            OpenDocumentWalk(writer, MARKUP).element(note)
            writer.close("footnote", mark)


def _metadata(archive: Archive) -> dict[str, str]:
    content = archive.find("meta.xml")
    found = None if content is None else child(parse_xml(content), "meta")
    return {local(one): one.text or "" for one in children(found, *_METADATA)}


class OpenDocumentWalk(Walk):
    """White space is written with tags of its own."""

    def heading_level(self, element: Element) -> int:
        return span_of(attribute(element, "outline-level")) if local(element) == "h" else 0

    def kind_of(self, element: Element) -> RegionKind | None:
        return None

    def spans(self, element: Element) -> tuple[int, int]:
        """Covered cells are there, without text; repeated ones are written once."""
        return 1, 1

    def start(self, element: Element) -> None:
        super().start(element)
        if local(element) == "s":
            self.flow.add(" " * min(span_of(attribute(element, "c")), _MOST_SPACES), keep=True)
        elif local(element) == "tab":
            self.flow.add(" ")
