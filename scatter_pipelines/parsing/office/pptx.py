"""PPTX: a page a slide, with its notes."""

from lxml import etree

from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.archive import Archive
from scatter_pipelines.parsing.detect import PPTX
from scatter_pipelines.parsing.office.ooxml import main_part, properties, related, relations
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.walk import Markup, Walk, span_of
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local, parse_xml

MARKUP = Markup(
    dropped=frozenset(("Fallback", "pPr", "rPr", "tblPr", "tcPr", "bodyPr", "nvSpPr", "spPr", "style")),
    blocks=frozenset(("p", "sp")),
    headings={},
    kinds={},
    tables=frozenset(("tbl",)),
    rows=frozenset(("tr",)),
    cells=frozenset(("tc",)),
)
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")


class PptxParser:
    """Codes raised: empty, corrupt, encrypted, too_large. Hidden slides count; a slide's title is a heading."""

    name = "pptx"
    version = f"1 (lxml {etree.__version__})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        archive = Archive(content)
        part = main_part(archive, "presentationml", "ppt/presentation.xml")
        targets = relations(archive, part)
        writer = Sectioned(limits, progress)
        for one in children(child(parse_xml(archive.read(part)), "sldIdLst"), "sldId"):
            target = next((targets[str(value)] for value in one.attrib.values() if str(value) in targets), None)
            if target is not None:
                _write_slide(writer, archive, target[0])
        return writer.finish(PPTX.name, f"{self.name} {self.version}", properties(archive))


def _write_slide(writer: Sectioned, archive: Archive, part: str) -> None:
    writer.new_page()
    PptxWalk(writer, MARKUP).element(parse_xml(archive.read(part)))
    notes = related(archive, part, "notesSlide")
    if notes is not None:
        PptxWalk(writer, MARKUP).element(notes)


class PptxWalk(Walk):
    """Text stands in `t` alone; page numbers, dates and footers are left out."""

    def add_text(self, owner: Element, text: str | None) -> None:
        if local(owner) == "t":
            self.flow.add(text)

    def is_dropped(self, element: Element) -> bool:
        return super().is_dropped(element) or _placeholder(element) in _FURNITURE

    def heading_level(self, element: Element) -> int:
        shape = (
            next((one for one in element.iterancestors() if local(one) == "sp"), None)
            if local(element) == "p"
            else None
        )
        return 1 if shape is not None and _placeholder(shape) in ("title", "ctrTitle") else 0

    def spans(self, element: Element) -> tuple[int, int]:
        """The other cells of a span are there, without text."""
        return span_of(""), 1


def _placeholder(shape: Element) -> str:
    found = child(shape, "nvSpPr", "nvPr", "ph") if local(shape) == "sp" else None
    return "" if found is None else attribute(found, "type")
