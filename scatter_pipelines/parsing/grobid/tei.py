"""GROBID's TEI: which parts of a document it names, with their text and where it saw them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from scatter_pipelines.model.document import RegionKind
from scatter_pipelines.parsing.grobid.coordinates import PageBox, read_coords
from scatter_pipelines.parsing.grobid.letters import letters_of
from scatter_pipelines.parsing.service import ServiceUnavailable

NS = {"t": "http://www.tei-c.org/ns/1.0"}
ROOT = f"{{{NS['t']}}}TEI"
DECLARES = re.compile(r"<!(DOCTYPE|ENTITY)")
MOST_PARTS = 50_000
SECTIONS: dict[str, RegionKind] = {"acknowledgement": "acknowledgements", "funding": "funding", "conflict": "conflicts"}
"""Types of the parts of `back`, and what they are here."""


@dataclass(frozen=True, slots=True)
class Part:
    """One named part. Without `boxes` its text is all there is to find it by."""

    kind: RegionKind
    text: str
    boxes: tuple[PageBox, ...] = ()
    level: int = 0


@dataclass(frozen=True, slots=True)
class Tei:
    """`sizes` are width and height of the pages as GROBID saw them, by number."""

    version: str
    sizes: dict[int, tuple[float, float]]
    parts: tuple[Part, ...]


def read_tei(content: bytes) -> Tei:
    """Raises `ServiceUnavailable` for what is not TEI. Nothing outside `content` is ever read."""
    root = _root(content)
    applications = root.xpath(".//t:application[@ident='GROBID']/@version", namespaces=NS)
    parts = tuple(part for _, part in zip(range(MOST_PARTS), _parts(root), strict=False))
    return Tei(str(applications[0]) if applications else "", dict(_sizes(root)), parts)


def _root(content: bytes) -> Any:
    """GROBID declares no entities, so what declares some is refused before a parser sees it."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ServiceUnavailable("The answer is not TEI: it is not UTF-8.") from error
    if DECLARES.search(text):
        raise ServiceUnavailable("The answer is not GROBID's TEI: it declares a document type or entities.")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ServiceUnavailable(f"The answer is not TEI: {str(error)[:200]}.") from error
    if root.tag != ROOT:
        raise ServiceUnavailable(f"The answer is not TEI: its root is {str(root.tag)[:100]}.")
    return root


def _sizes(root: Any) -> Iterator[tuple[int, tuple[float, float]]]:
    for surface in root.iterfind("t:facsimile/t:surface", NS):
        try:
            yield int(surface.get("n", "")), (float(surface.get("lrx", "")), float(surface.get("lry", "")))
        except ValueError:
            continue


def _parts(root: Any) -> Iterator[Part]:
    yield from _front(root)
    yield from _abstract(root)
    text = root.find("t:text", NS)
    if text is not None:
        yield from _headings(text)
        yield from _notes(text)
        yield from _figures(text)
        yield from _back(text)
    for entry in root.iterfind(".//t:listBibl/t:biblStruct", NS):
        yield _part("reference", entry, raw="raw_reference")


def _front(root: Any) -> Iterator[Part]:
    """The header. GROBID repeats the title in `analytic`, and has no coordinates for what it normalises."""
    title = root.find(".//t:titleStmt/t:title", NS)
    if title is not None:
        yield _part("title", title)
    source = root.find(".//t:sourceDesc/t:biblStruct", NS)
    if source is not None:
        for author in source.iterfind("t:analytic/t:author", NS):
            yield from (_part("author", name) for name in author.iterfind("t:persName", NS))
            yield from (_part("affiliation", place, raw="raw_affiliation") for place in _all(author, "t:affiliation"))
            yield from (Part("email", _text(email)) for email in _all(author, "t:email"))
        yield from (Part("journal", _text(title)) for title in _all(source, "t:monogr/t:title[@level='j']"))
        yield from (Part("doi", _text(idno)) for idno in _all(source, "t:idno[@type='DOI']"))
    yield from (Part("publication_date", _text(date)) for date in _all(root, ".//t:publicationStmt/t:date"))
    words = [_text(term) for term in _all(root, ".//t:profileDesc/t:textClass/t:keywords//t:term")]
    words = words or [_text(keywords) for keywords in _all(root, ".//t:profileDesc/t:textClass/t:keywords")]
    yield Part("keywords", " ".join(words))


def _abstract(root: Any) -> Iterator[Part]:
    """One part, whatever it is divided into; without coordinates where GROBID did not divide it."""
    abstract = root.find(".//t:profileDesc/t:abstract", NS)
    if abstract is not None:
        boxes = [box for element in abstract.iter() for box in _boxes(element)]
        yield Part("abstract", _text(abstract), tuple(boxes))


def _headings(text: Any) -> Iterator[Part]:
    for head in text.iterfind(".//t:div/t:head", NS):
        number = head.get("n", "")
        yield Part("heading", f"{number} {_text(head)}".strip(), _boxes(head), _level(number))


def _level(number: str) -> int:
    return max(1, len([part for part in number.split(".") if part.strip()]))


def _notes(text: Any) -> Iterator[Part]:
    for note in text.iterfind(".//t:note[@place='foot']", NS):
        label, said = note.get("n", ""), _text(note)
        yield Part("footnote", said if said.startswith(label) else f"{label} {said}", _boxes(note))


def _figures(text: Any) -> Iterator[Part]:
    for figure in text.iterfind(".//t:figure", NS):
        yield Part("caption", _caption(figure), _boxes(figure))
        yield from (_part("table", table) for table in _all(figure, "t:table") if figure.get("type") == "table")


def _caption(figure: Any) -> str:
    """GROBID repeats the head of some captions at the beginning of their description."""
    head, said = (" ".join(map(_text, _all(figure, path))) for path in ("t:head", "t:figDesc"))
    return said if letters_of(said).text.startswith(letters_of(head).text) else f"{head} {said}"


def _back(text: Any) -> Iterator[Part]:
    for division in text.iterfind("t:back/t:div", NS):
        kind = SECTIONS.get(division.get("type", ""))
        if kind is not None:
            yield from (_part(kind, paragraph) for paragraph in division.iterfind(".//t:p", NS))


def _part(kind: RegionKind, element: Any, raw: str = "") -> Part:
    """`raw` is the type of the note that has the text as it stands in the document, after a label of its own."""
    note = element.find(f"t:note[@type='{raw}']", NS) if raw else None
    if note is None:
        return Part(kind, _text(element), _boxes(element))
    pieces = [note.text or "", *(child.tail or "" for child in note)]
    return Part(kind, " ".join(" ".join(pieces).split()), _boxes(element))


def _boxes(element: Any) -> tuple[PageBox, ...]:
    return read_coords(element.get("coords", ""))


def _all(element: Any, path: str) -> list[Any]:
    return list(element.iterfind(path, NS))


def _text(element: Any) -> str:
    """White space made plain; elements are words of their own."""
    pieces = (piece for piece in element.itertext() if piece.strip())
    return " ".join(" ".join(pieces).split())
