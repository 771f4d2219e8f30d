"""JATS, the XML of scientific articles: https://jats.nlm.nih.gov. A front page, a page a section, the references."""

from lxml import etree

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document, RegionKind
from scatter_pipelines.parsing.detect import JATS
from scatter_pipelines.parsing.markup.jats_front import write_front
from scatter_pipelines.parsing.markup.jats_references import write_reference
from scatter_pipelines.parsing.markup.jats_text import MARKUP, sign_before, text_of
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.walk import Walk
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local, parse_xml

_BACK_KINDS: dict[str, RegionKind] = {"ack": "acknowledgements"}
_TITLES = {"ack": "Acknowledgements", "ref-list": "References", "app": "Appendix", "glossary": "Abbreviations"}
_FUNDING = ("financial-disclosure", "supported-by", "funding")
_CONFLICTS = ("conflict", "coi-statement")


class JatsParser:
    """Codes raised: empty, corrupt, too_large."""

    name = "jats"
    version = f"1 (lxml {etree.__version__})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        root = parse_xml(content)
        articles = [one for one in root.iter() if local(one) == "article"]
        if not articles:
            raise DocumentError("corrupt", "The XML looks like JATS but holds no article: is the file complete?")
        writer = Sectioned(limits, progress)
        for article in articles:
            _write_article(writer, article)
        title = text_of(child(articles[0], "front", "article-meta", "title-group", "article-title"))
        return writer.finish(JATS.name, f"{self.name} {self.version}", {"title": title}, marked_up=True)


def _write_article(writer: Sectioned, article: Element) -> None:
    front = child(article, "front")
    writer.new_page()
    if front is not None:
        write_front(writer, front)
    _write_body(writer, child(article, "body"))
    floats = child(article, "floats-group")
    if floats is not None:
        writer.new_page()
        JatsWalk(writer).element(floats)
    _write_back(writer, child(article, "back"))
    for sub in children(article, "sub-article", "response"):
        writer.new_page()
        writer.block(text_of(child(sub, "front-stub", "title-group", "article-title")), "heading", level=1)
        _write_body(writer, child(sub, "body"))
        _write_back(writer, child(sub, "back"))


def _write_body(writer: Sectioned, body: Element | None) -> None:
    walk = JatsWalk(writer)
    for one in [] if body is None else body:
        if local(one) == "sec":
            writer.new_page()
        walk.element(one)


def _write_back(writer: Sectioned, back: Element | None) -> None:
    if back is None:
        return
    writer.new_page()
    for one in back:
        name = local(one)
        if name == "ref-list":
            _write_references(writer, one)
        elif name == "app-group":
            for app in one:
                _write_part(writer, app)
        else:
            _write_part(writer, one)


def _write_part(writer: Sectioned, part: Element) -> None:
    """A part of the back matter, under its own heading or the usual one for its kind."""
    if local(part) in ("sec", "app"):
        writer.new_page()
    title = child(part, "title")
    if title is None and local(part) in _TITLES:
        writer.block(_TITLES[local(part)], "heading", level=1)
    kind = _BACK_KINDS.get(local(part))
    if kind is not None and title is not None:
        writer.block(text_of(title), "heading", level=1)
    mark = writer.mark()
    JatsWalk(writer, titled=kind is not None).element(part)
    if kind is not None:
        writer.close(kind, mark)


def _write_references(writer: Sectioned, references: Element) -> None:
    """A page of its own, one line a reference; lists within the list follow."""
    writer.new_page()
    writer.block(text_of(child(references, "title")) or _TITLES["ref-list"], "heading", level=1)
    for one in references.iter():
        if local(one) == "ref":
            write_reference(writer, one)


class JatsWalk(Walk):
    """Titles of sections are headings of their depth; of several forms of a formula one is kept."""

    def __init__(self, writer: Sectioned, *, titled: bool = False) -> None:
        super().__init__(writer, MARKUP)
        self._titled = titled

    def is_dropped(self, element: Element) -> bool:
        parent = element.getparent()
        if self._titled and local(element) == "title" and local(parent) == "ack":
            return True
        if parent is not None and local(parent) == "alternatives":
            return element is not best_form(parent)
        return super().is_dropped(element)

    def start(self, element: Element) -> None:
        super().start(element)
        self.flow.add(sign_before(element))

    def heading_level(self, element: Element) -> int:
        if local(element) != "title":
            return 0
        parent = element.getparent()
        if local(parent) in ("sec", "app", "ack", "notes", "glossary", "fn-group", "bio", "boxed-text"):
            return max(1, sum(local(above) in ("sec", "app", "ack") for above in element.iterancestors()))
        return 0

    def kind_of(self, element: Element) -> RegionKind | None:
        name = local(element)
        if name == "fn":
            return footnote_kind(element)
        if name == "sec" and "fund" in attribute(element, "sec-type").lower():
            return "funding"
        if name == "sec" and attribute(element, "sec-type").lower() in _CONFLICTS:
            return "conflicts"
        return self.markup.kinds.get(name)


def footnote_kind(element: Element) -> RegionKind:
    kind = attribute(element, "fn-type").lower()
    if kind in _FUNDING:
        return "funding"
    return "conflicts" if kind in _CONFLICTS else "footnote"


def best_form(alternatives: Element) -> Element | None:
    """MathML is closest to text; else TeX, else whatever comes first that has text."""
    forms = {local(one): one for one in reversed(alternatives)}
    for name in ("math", "textual-form", "tex-math", "table"):
        if name in forms:
            return forms[name]
    return next((one for one in alternatives if local(one) != "graphic"), None)
