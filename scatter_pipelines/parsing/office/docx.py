"""DOCX: the text of a Word document as it reads with all changes accepted."""

from lxml import etree

from scatter_pipelines.model.document import Document, RegionKind
from scatter_pipelines.parsing.archive import Archive
from scatter_pipelines.parsing.detect import DOCX
from scatter_pipelines.parsing.office.ooxml import main_part, properties, related
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.walk import Markup, Walk, span_of
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local, parse_xml

_DROPPED = (
    "del moveFrom instrText delText delInstrText Fallback pPr rPr tblPr trPr tcPr tblGrid sectPr sdtPr sdtEndPr "
    "positionH positionV sizeRelH sizeRelV oMathParaPr fPr ctrlPr"
)
MARKUP = Markup(
    dropped=frozenset(_DROPPED.split()),
    blocks=frozenset(("p",)),
    headings={},
    kinds={},
    breaks=frozenset(("br", "cr")),
    tables=frozenset(("tbl",)),
    rows=frozenset(("tr",)),
    cells=frozenset(("tc",)),
    raised=frozenset(),
    lowered=frozenset(),
)
_SIGNS = {"den": "/", "sup": "^", "sub": "_"}
_LEVELS = 9
_LONGEST_CHAIN = 20


class DocxParser:
    """Codes raised: empty, corrupt, encrypted, too_large.

    A page for each heading of the first level. Insertions count, deletions, comments, headers and footers do not;
    foot- and endnotes are on the last page.
    """

    name = "docx"
    version = f"1 (lxml {etree.__version__})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        archive = Archive(content)
        part = main_part(archive, "wordprocessingml", "word/document.xml")
        styles = Styles(related(archive, part, "styles"))
        writer = Sectioned(limits, progress)
        DocxWalk(writer, styles).element(parse_xml(archive.read(part)))
        for kind in ("footnotes", "endnotes"):
            _write_notes(writer, styles, related(archive, part, kind))
        return writer.finish(DOCX.name, f"{self.name} {self.version}", properties(archive))


def _write_notes(writer: Sectioned, styles: "Styles", notes: Element | None) -> None:
    writer.new_page()
    for note in children(notes, "footnote", "endnote"):
        if attribute(note, "type") in ("", "normal"):
            mark = writer.mark()
            DocxWalk(writer, styles).element(note)
            writer.close("footnote", mark)


class Styles:
    """What a paragraph's style says of it, whatever the style's id is in the language of the program."""

    def __init__(self, styles: Element | None) -> None:
        self._styles = {attribute(one, "styleId"): one for one in children(styles, "style")}

    def level(self, name: str) -> int:
        """Of a heading, from 1; 0 for other text."""
        for style in self._chain(name):
            called = attribute_of(style, "name").casefold()
            if called.startswith("heading ") and called[8:].isdigit():
                return min(int(called[8:]), _LEVELS)
            level = outline_level(child(style, "pPr"))
            if level:
                return level
        return 0

    def kind(self, name: str) -> RegionKind | None:
        names = {attribute_of(style, "name").casefold() for style in self._chain(name)}
        if "title" in names:
            return "title"
        return "caption" if "caption" in names else None

    def _chain(self, name: str) -> list[Element]:
        """The style and those it is based on."""
        chain: list[Element] = []
        while name in self._styles and len(chain) < _LONGEST_CHAIN:
            chain.append(self._styles[name])
            name = attribute_of(chain[-1], "basedOn")
        return chain


def attribute_of(element: Element | None, *path: str) -> str:
    """The `val` of the child at `path`."""
    found = child(element, *path)
    return "" if found is None else attribute(found, "val")


def outline_level(properties: Element | None) -> int:
    value = attribute_of(properties, "outlineLvl")
    return int(value) + 1 if value.isascii() and value.isdigit() and int(value) < _LEVELS else 0


class DocxWalk(Walk):
    """Text stands in `t` alone; what a paragraph is, its properties say."""

    def __init__(self, writer: Sectioned, styles: Styles) -> None:
        super().__init__(writer, MARKUP, page_level=1)
        self._styles = styles

    def add_text(self, owner: Element, text: str | None) -> None:
        if local(owner) == "t":
            self.flow.add(text, keep=False)

    def heading_level(self, element: Element) -> int:
        if local(element) != "p":
            return 0
        paragraph = child(element, "pPr")
        own = child(paragraph, "outlineLvl")
        return outline_level(paragraph) if own is not None else self._styles.level(attribute_of(paragraph, "pStyle"))

    def kind_of(self, element: Element) -> RegionKind | None:
        return self._styles.kind(attribute_of(element, "pPr", "pStyle")) if local(element) == "p" else None

    def spans(self, element: Element) -> tuple[int, int]:
        """Cells merged downwards are there, without text."""
        return span_of(attribute_of(element, "tcPr", "gridSpan")), 1

    def start(self, element: Element) -> None:
        super().start(element)
        name = local(element)
        raised = attribute_of(element, "rPr", "vertAlign") if name == "r" else ""
        if raised == "superscript":
            self.flow.raised()
        elif raised == "subscript":
            self.flow.lowered()
        elif name in ("tab", "ptab"):
            self.flow.add(" ")
        elif name == "noBreakHyphen":
            self.flow.add("-")
        elif name in _SIGNS and attribute(element, "val") == "":
            self.flow.add(_SIGNS[name])
