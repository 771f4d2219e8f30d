"""The parts of a paper as strips: opening, abstract, sections, tables, references."""

from collections.abc import Iterator

from scatter_pipelines_tests.generator.house import House
from scatter_pipelines_tests.generator.layout import Run, Span, Strip, Style, paragraph, text_width
from scatter_pipelines_tests.generator.model import Paper, Section, Table


def opening_strips(paper: Paper, house: House, width: float) -> list[Strip]:
    """Title, authors and affiliations."""
    align = "center" if house.centred else "left"
    title = house.style(1.7, font=house.bold, align=align, before=6)
    names = house.style(1.1, align=align, before=8)
    places = house.style(0.84, font=house.italic, align=align, before=1)
    strips = paragraph([_span(paper.title, title)], width, title)
    strips += paragraph(list(_author_spans(paper, names)), width, names)
    strips.append(Strip(4, 0))
    for number, affiliation in enumerate(paper.affiliations, 1):
        strips += paragraph([_mark(str(number), places), _span(affiliation, places)], width, places)
    return strips


def _author_spans(paper: Paper, style: Style) -> Iterator[Span]:
    for index, author in enumerate(paper.authors):
        marks = ",".join(map(str, author.marks)) + (",*" if index == 0 else "")
        yield _span(author.name, style)
        yield _mark(marks, style)
        if index < len(paper.authors) - 1:
            last = index == len(paper.authors) - 2
            yield _span(" and " if last else ", ", style)


def abstract_strips(paper: Paper, house: House, width: float) -> list[Strip]:
    indent = 0.0 if house.columns > 1 else 18.0
    head = house.style(font=house.bold, before=10, indent=indent)
    text = house.style(0.92, align="justify", indent=indent, before=2, hyphenate=house.columns > 1)
    strips = paragraph([_span("Abstract", head)], width, head, keep=True)
    for label, part in paper.abstract:
        spans = [Span(f"{label}: ", house.bold, text.size)] if label else []
        strips += paragraph([*spans, _span(part, text)], width, text)
    words = house.style(0.92, indent=indent, before=5)
    keywords = [Span("Keywords: ", house.bold, words.size), _span("; ".join(paper.keywords), words)]
    strips += paragraph(keywords, width, words)
    strips.append(Strip(10, 0, rules=((indent, width - indent, 7),)))
    return strips


def body_strips(paper: Paper, house: House, width: float) -> list[Strip]:
    strips: list[Strip] = []
    for number, section in enumerate(paper.sections, 1):
        numbered = house.numbered and section.heading != "Funding"
        strips += _section_strips(section, f"{number}. " if numbered else "", house, width)
    return strips + _reference_strips(paper, house, width)


def _section_strips(section: Section, number: str, house: House, width: float) -> list[Strip]:
    head = house.style(1.15, font=house.bold, before=8)
    text = house.style(align="justify", hyphenate=house.columns > 1)
    later = house.style(align="justify", hyphenate=house.columns > 1, first_indent=10)
    strips = paragraph([_span(number + section.heading, head)], width, head, keep=True)
    tables = list(section.tables)
    for index, body in enumerate(section.paragraphs):
        style = later if index else text
        strips += paragraph([_span(body, style)], width, style)
        if tables:
            strips += _table_strips(tables.pop(0), house, width)
    for table in tables:
        strips += _table_strips(table, house, width)
    return strips


def _reference_strips(paper: Paper, house: House, width: float) -> list[Strip]:
    head = house.style(1.15, font=house.bold, before=8)
    item = house.style(0.84)
    strips = paragraph([_span("References", head)], width, head, keep=True)
    for number, reference in enumerate(paper.references, 1):
        strips += paragraph([_span(f"{number}. {reference}", item)], width, item)
    return strips


def _table_strips(table: Table, house: House, width: float) -> list[Strip]:
    """Caption, head and rows between rules, all on one page."""
    cell = house.style(0.82 if house.columns > 1 else 0.88)
    caption = house.style(0.88, font=house.bold, before=8)
    step = cell.leading + 2
    strips = paragraph([_span(table.caption, caption)], width, caption, keep=True)
    columns = _column_starts(table, house, cell, width)
    head = _cells(table.header, columns, cell, house.bold)
    strips.append(Strip(step + 4, step, head, ((0, width, 3), (0, width, step + 3)), keep=True))
    for row in table.rows:
        strips.append(Strip(step, step * 0.75, _cells(row, columns, cell, cell.font), keep=True))
    strips.append(Strip(12, 0, rules=((0, width, 2),)))
    return strips


def _column_starts(table: Table, house: House, cell: Style, width: float) -> list[float]:
    """The first column as wide as its widest cell, the others sharing the rest."""
    widest = max(text_width(row[0], house.bold, cell.size) for row in (table.header, *table.rows)) + 8
    rest = (width - widest) / (len(table.header) - 1)
    return [0.0, *(widest + i * rest for i in range(len(table.header) - 1))]


def _cells(texts: tuple[str, ...], columns: list[float], style: Style, font: str) -> tuple[Run, ...]:
    pairs = zip(columns, texts, strict=True)
    return tuple(Run(x, (Span(text, font, style.size),)) for x, text in pairs if text)


def _span(text: str, style: Style) -> Span:
    return Span(text, style.font, style.size)


def _mark(text: str, style: Style) -> Span:
    return Span(text, style.font, round(style.size * 0.65, 1), rise=round(style.size * 0.35, 1))
