"""Draws a paper as a PDF: a full-width opening, then one or two columns, with running heads and page numbers."""

import io
from collections.abc import Iterator

from reportlab import rl_config
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines_tests.generator.blocks import abstract_strips, body_strips, opening_strips
from scatter_pipelines_tests.generator.house import House, house_of
from scatter_pipelines_tests.generator.layout import Frame, Strip, flow
from scatter_pipelines_tests.generator.model import Paper, PaperKind

Placed = tuple[Frame, float, Strip]

# Publishers' PDFs hold binary streams; reportlab's ASCII85 is a fifth larger and slow in pure Python.
rl_config.useA85 = 0


def paper_pdf(paper: Paper, kind: PaperKind, password: str | None = None) -> bytes:
    """`kind` is one_column, two_column or trial. With `password` the file cannot be opened without it."""
    house = house_of(paper.imprint.journal, kind, brief=paper.brief)
    placed = list(_place(paper, house))
    buffer = io.BytesIO()
    lock = StandardEncryption(password, strength=128) if password else None
    canvas = Canvas(buffer, pagesize=house.page_size, invariant=1, pageCompression=1, encrypt=lock)
    canvas.setTitle(paper.title)
    canvas.setAuthor(", ".join(author.name for author in paper.authors))
    canvas.setSubject("Synthetic document: people, data and identifiers are invented")
    for page in range(placed[-1][0].page + 1):
        for frame, y, strip in placed:
            if frame.page == page:
                _draw_strip(canvas, frame.x, y, strip)
        _draw_margins(canvas, paper, house, page)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _place(paper: Paper, house: House) -> Iterator[Placed]:
    opening = opening_strips(paper, house, house.text_width)
    body = body_strips(paper, house, house.column_width)
    if house.abstract_in_column:
        body = abstract_strips(paper, house, house.column_width) + body
    else:
        opening += abstract_strips(paper, house, house.text_width)
    top = house.page_size[1] - house.margin - 18
    head = list(flow(opening, iter([Frame(0, house.margin, top, house.bottom)])))
    yield from head
    used = sum(strip.height for _, _, strip in head)
    yield from flow(body, _frames(house, top, top - used - 10))


def _frames(house: House, top: float, first_top: float) -> Iterator[Frame]:
    page = 0
    while True:
        for column in range(house.columns):
            x = house.margin + column * (house.column_width + house.gutter)
            yield Frame(
                page, x, first_top if page == 0 else top, house.bottom + (house.note_height if page == 0 else 0)
            )
        page += 1


def _draw_strip(canvas: Canvas, x: float, top: float, strip: Strip) -> None:
    for x0, x1, drop in strip.rules:
        canvas.setLineWidth(0.5)
        canvas.line(x + x0, top - drop, x + x1, top - drop)
    for run in strip.runs:
        text = canvas.beginText(x + run.x, top - strip.drop)
        text.setWordSpace(run.space)
        for span in run.spans:
            text.setFont(span.font, span.size)
            if span.rise:
                text.setRise(span.rise)
            text.textOut(span.text)
            if span.rise:
                text.setRise(0)
        # Word space outlives its text object.
        text.setWordSpace(0)
        canvas.drawText(text)


def _draw_margins(canvas: Canvas, paper: Paper, house: House, page: int) -> None:
    width, height = house.page_size
    left, right, top = house.margin, width - house.margin, height - house.margin + 6
    imprint = paper.imprint
    number = str(imprint.first_page + page)
    doi = imprint.journal.doi_prefix + imprint.doi
    canvas.setFont(house.font, 8)
    canvas.setLineWidth(0.4)
    canvas.line(left, top - 5, right, top - 5)
    if page:
        canvas.drawString(left, top, _running_authors(paper))
        canvas.drawRightString(right, top, f"{imprint.journal.abbreviation} {imprint.year};{imprint.volume}")
        canvas.drawCentredString(width / 2, house.margin - 22, number)
        return
    canvas.drawString(left, top, _journal_line(paper))
    if imprint.journal.doi_place == "header":
        canvas.drawRightString(right, top, doi)
    else:
        canvas.drawRightString(right, house.margin - 22, doi)
    canvas.drawString(left, house.margin - 22, number)
    _draw_note(canvas, paper, house)


def _draw_note(canvas: Canvas, paper: Paper, house: House) -> None:
    """The foot note of the first page: correspondence and the date of receipt."""
    y = house.bottom + house.note_height - 14
    canvas.line(house.margin, y + 9, house.margin + 80, y + 9)
    canvas.setFont(house.font, 7.5)
    note = f"*Correspondence: {paper.authors[0].name}, {paper.email}. Received {paper.imprint.received}."
    canvas.drawString(house.margin, y, note)


def _running_authors(paper: Paper) -> str:
    families = [author.family for author in paper.authors]
    return " and ".join(families) if len(families) < 3 else f"{families[0]} et al."


def _journal_line(paper: Paper) -> str:
    """Volume, issue and first page; the last page is known only when all is placed, so it is left out."""
    imprint = paper.imprint
    return f"{imprint.journal.name} {imprint.year};{imprint.volume}({imprint.issue}):{imprint.first_page}"
