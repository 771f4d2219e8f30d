"""TEI as GROBID writes it, for papers of the generator: its elements and attributes, and boxes a little off.

Where a text stands is found anew here, by comparing words, so that the code under test is not its own judge.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from xml.sax.saxutils import escape, quoteattr

from scatter_pipelines.model.document import Document, Page, Word
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.generator.house import house_of
from scatter_pipelines_tests.generator.model import Paper, PaperKind
from scatter_pipelines_tests.generator.papers import draw_paper
from scatter_pipelines_tests.generator.pdf import paper_pdf

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
	<teiHeader xml:lang="en">
		<fileDesc>
			<titleStmt>{title}</titleStmt>
			<publicationStmt>
				<publisher/>
				<availability status="unknown"><licence/></availability>
				<date type="published" when="{year}">{year}</date>
			</publicationStmt>
			<sourceDesc><biblStruct>
				<analytic>{authors}</analytic>
				<monogr><title level="j" type="main">{journal}</title><imprint><date/></imprint></monogr>
				<idno type="MD5">00000000000000000000000000000000</idno>
				<idno type="DOI">{doi}</idno>
			</biblStruct></sourceDesc>
		</fileDesc>
		<encodingDesc><appInfo>
			<application version="0.8.2" ident="GROBID" when="2026-01-01T00:00+0000"><desc>GROBID</desc></application>
		</appInfo></encodingDesc>
		<profileDesc>
			<textClass><keywords>{keywords}</keywords></textClass>
			<abstract>{abstract}</abstract>
		</profileDesc>
	</teiHeader>
	<facsimile>{surfaces}</facsimile>
	<text xml:lang="en">
		<body>{body}</body>
		<back>
			{back}
			<div type="references"><listBibl>{references}</listBibl></div>
		</back>
	</text>
</TEI>
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A paper, its PDF, and the PDF as the local parser reads it."""

    paper: Paper
    content: bytes
    document: Document
    numbered: bool


def known(seed: int, kind: PaperKind, *, brief: bool = False) -> Known:
    paper = draw_paper(seed, kind, brief=brief)
    content = paper_pdf(paper, kind)
    house = house_of(paper.imprint.journal, kind, brief=brief)
    return Known(paper, content, parsed(content), house.numbered)


def parsed(content: bytes) -> Document:
    return parse_document(content, limits=ParseLimits(), progress=lambda done, total: None)


class Boxes:
    """Boxes of texts in one document, as GROBID would give them. `shift` moves all of them by so many points."""

    def __init__(self, document: Document, seed: int = 0, shift: float = 0.0) -> None:
        self._document = document
        self._rng = Random(seed)
        self._shift = shift

    def of(self, *texts: str) -> str:
        return ";".join(filter(None, (self._one(text) for text in texts)))

    def line(self, text: str) -> str:
        """Of a heading: a line that has this text and no more."""
        for page in self._document.pages:
            for line in _lines(page.words):
                if " ".join(page.text[word.start : word.end] for word in line) == text:
                    return self._line(page, line, _plain(text))
        return ""

    def _one(self, text: str) -> str:
        """Page by page, as a paragraph goes on there."""
        wanted = _plain(text)
        for page in self._document.pages:
            words = _words_of(page, wanted)
            if words:
                return ";".join(self._line(page, line, wanted) for line in _lines(words))
        return self._over_two_pages(wanted)

    def _over_two_pages(self, wanted: str) -> str:
        for page, after in zip(self._document.pages, self._document.pages[1:], strict=False):
            for cut in range(len(wanted) - 1, 0, -1):
                head, tail = _words_of(page, wanted[:cut]), _words_of(after, wanted[cut:])
                if head and tail and len(wanted) > 40:
                    lines = [(page, line) for line in _lines(head)] + [(after, line) for line in _lines(tail)]
                    return ";".join(self._line(on, line, wanted) for on, line in lines)
        return ""

    def _line(self, page: Page, words: Sequence[Word], wanted: str) -> str:
        """GROBID's box ends before a mark set high behind the last word, and is about as high as the letters."""
        last, off = words[-1], self._rng.uniform(-0.4, 0.4)
        letters = page.text[last.start : last.end]
        kept = letters.rstrip("0123456789,*") if not wanted.endswith(_plain(letters)) else letters
        share = len(kept) / len(letters) if kept else 1.0
        x0, y0 = words[0].box[0] + off, min(word.box[1] for word in words) + 1.2 + off
        x1 = last.box[0] + (last.box[2] - last.box[0]) * max(share, 0.6)
        y1 = max(word.box[3] for word in words) - 0.8 + off
        y0, y1 = y0 + self._shift, y1 + self._shift
        return f"{page.number},{x0:.2f},{y0:.2f},{x1 - x0:.2f},{y1 - y0:.2f}"


def tei_of(made: Known, *, boxes: Boxes | None = None, sizes: Iterable[tuple[float, float]] | None = None) -> str:
    paper, document = made.paper, made.document
    at = boxes or Boxes(document)
    surfaces = sizes or [(page.width, page.height) for page in document.pages]
    return HEAD.format(
        title=f'<title level="a" type="main" coords="{at.of(paper.title)}">{escape(paper.title)}</title>',
        year=paper.imprint.year,
        authors="\n".join(_author(paper, index, at) for index in range(len(paper.authors))),
        journal=escape(paper.imprint.journal.name),
        doi=escape(paper.imprint.doi),
        keywords="".join(f"<term>{escape(word)}</term>" for word in paper.keywords),
        abstract=_abstract(paper, at),
        surfaces="".join(
            f'<surface n="{number}" ulx="0.0" uly="0.0" lrx="{width}" lry="{height}"/>'
            for number, (width, height) in enumerate(surfaces, 1)
        ),
        body="\n".join(_section(made, number, at) for number in range(len(paper.sections))),
        back=_funding(paper, at),
        references="\n".join(_reference(number, text, at) for number, text in enumerate(paper.references)),
    )


def _author(paper: Paper, index: int, at: Boxes) -> str:
    author = paper.authors[index]
    given = author.name.removesuffix(author.family).split()
    names = "".join(
        f'<forename type="{kind}">{escape(name.rstrip("."))}</forename>'
        for kind, name in zip(("first", "middle"), given, strict=False)
    )
    email = f"<email>{paper.email}</email>" if index == 0 else ""
    person = f'<persName coords="{at.of(author.name)}">{names}<surname>{escape(author.family)}</surname></persName>'
    return f"<author>{person}{email}{''.join(_affiliation(paper, mark, at) for mark in author.marks)}</author>"


def _affiliation(paper: Paper, mark: int, at: Boxes) -> str:
    text = paper.affiliations[mark - 1]
    department, _, rest = text.partition(", ")
    institution, _, place = rest.partition(", ")
    return (
        f'<affiliation key="aff{mark - 1}" coords="{at.of(text)}">'
        f'<note type="raw_affiliation"><label>{mark}</label> {escape(text)}.</note>'
        f'<orgName type="department">{escape(department)}</orgName>'
        f'<orgName type="institution">{escape(institution)}</orgName>'
        f"<address><country>{escape(place.rpartition(', ')[2])}</country></address></affiliation>"
    )


def _abstract(paper: Paper, at: Boxes) -> str:
    """Divided with coordinates where it has labels, else one paragraph without any, as GROBID does both."""
    if not paper.abstract[0][0]:
        return f"<p>{escape(paper.abstract[0][1])}</p>"
    return "".join(
        f'<div xmlns="http://www.tei-c.org/ns/1.0"><head coords="{at.of(label)}">{escape(label)}</head>'
        f'<p coords="{at.of(text)}">{escape(text)}</p></div>'
        for label, text in paper.abstract
    )


def _section(made: Known, index: int, at: Boxes) -> str:
    section = made.paper.sections[index]
    if section.heading == "Funding":
        return ""
    number = f"{index + 1}. " if made.numbered else ""
    attribute = f" n={quoteattr(number.strip(' .'))}" if number else ""
    head = f'<head{attribute} coords="{at.line(number + section.heading)}">{escape(section.heading)}</head>'
    paragraphs = "".join(f'<p coords="{at.of(text)}">{escape(text)}</p>' for text in section.paragraphs)
    tables = "".join(
        f'<figure xmlns="http://www.tei-c.org/ns/1.0" type="table" xml:id="tab_{at_}" '
        f'coords="{at.of(table.caption, *(" ".join(row) for row in (table.header, *table.rows)))}">'
        f"<head>{escape(table.caption.partition('. ')[0])}.</head><label>{at_}</label>"
        f"<figDesc>{escape(table.caption.partition('. ')[2])}</figDesc>"
        f'<table coords="{at.of(*(" ".join(row) for row in (table.header, *table.rows)))}">'
        + "".join(
            f"<row>{''.join(f'<cell>{escape(cell)}</cell>' for cell in row)}</row>"
            for row in (table.header, *table.rows)
        )
        + "</table></figure>"
        for at_, table in enumerate(section.tables)
    )
    return f'<div xmlns="http://www.tei-c.org/ns/1.0">{head}{paragraphs}</div>{tables}'


def _funding(paper: Paper, at: Boxes) -> str:
    return "".join(
        f'<div type="funding"><div xmlns="http://www.tei-c.org/ns/1.0">'
        f'<head coords="{at.line(section.heading)}">{section.heading}</head>'
        + "".join(f'<p coords="{at.of(text)}">{escape(text)}</p>' for text in section.paragraphs)
        + "</div></div>"
        for section in paper.sections
        if section.heading == "Funding"
    )


def _reference(number: int, text: str, at: Boxes) -> str:
    return (
        f'<biblStruct xml:id="b{number}" coords="{at.of(text)}"><analytic><title level="a" type="main">'
        f"{escape(text.partition('. ')[2].partition('. ')[0])}</title></analytic>"
        f'<note type="raw_reference">{escape(text)}</note></biblStruct>'
    )


def _plain(text: str) -> str:
    return "".join(c for c in text if not c.isspace() and c not in "-‐")


def _words_of(page: Page, wanted: str) -> list[Word]:
    """The words whose letters, put together, hold those wanted; a mark behind the last word may be left over."""
    text = ""
    ends: list[int] = []
    for word in page.words:
        text += _plain(page.text[word.start : word.end])
        ends.append(len(text))
    start = text.find(wanted)
    if start < 0:
        return []
    stop = start + len(wanted)
    return [
        word for word, end, begin in zip(page.words, ends, [0, *ends], strict=False) if end > start and begin < stop
    ]


def _lines(words: Sequence[Word]) -> list[list[Word]]:
    lines: list[list[Word]] = []
    for word in words:
        same = lines and abs(lines[-1][-1].box[3] - word.box[3]) < 2 and word.box[0] >= lines[-1][-1].box[0]
        if same:
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines
