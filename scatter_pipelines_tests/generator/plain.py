"""A paper as plain text (wrapped lines, underlined headings) and as Markdown."""

import textwrap
from collections.abc import Iterator

from scatter_pipelines_tests.generator.model import Paper, Table


def paper_text(paper: Paper) -> str:
    lines = [_journal_line(paper), "", *textwrap.wrap(paper.title, 76), "", *_wrap(", ".join(_names(paper))), ""]
    lines += [line for affiliation in paper.affiliations for line in _wrap(affiliation)]
    lines += ["", *_heading("Abstract")]
    lines += [line for part in _abstract(paper) for line in _wrap(part)]
    lines += ["", *_wrap(f"Keywords: {'; '.join(paper.keywords)}"), ""]
    for section in paper.sections:
        lines += _heading(section.heading)
        lines += [line for body in section.paragraphs for line in (*_wrap(body), "")]
        lines += [line for table in section.tables for line in (*_text_table(table), "")]
    lines += _heading("References")
    lines += [line for i, item in enumerate(paper.references, 1) for line in _wrap(f"{i}. {item}")]
    return "\n".join(lines) + "\n"


def paper_markdown(paper: Paper) -> str:
    parts = [f"# {paper.title}", ", ".join(_names(paper)), "  \n".join(f"*{place}*" for place in paper.affiliations)]
    parts += [_journal_line(paper), "## Abstract"]
    parts += [f"**{label}:** {text}" if label else text for label, text in paper.abstract]
    parts.append(f"**Keywords:** {'; '.join(paper.keywords)}")
    for section in paper.sections:
        parts += [f"## {section.heading}", *section.paragraphs, *map(_markdown_table, section.tables)]
    parts.append("## References")
    parts.append("\n".join(f"{i}. {item}" for i, item in enumerate(paper.references, 1)))
    return "\n\n".join(parts) + "\n"


def _names(paper: Paper) -> Iterator[str]:
    return (author.name for author in paper.authors)


def _abstract(paper: Paper) -> Iterator[str]:
    return (f"{label}: {text}" if label else text for label, text in paper.abstract)


def _journal_line(paper: Paper) -> str:
    imprint = paper.imprint
    place = f"{imprint.year};{imprint.volume}({imprint.issue}):{imprint.first_page}"
    return f"{imprint.journal.name} {place}. {imprint.journal.doi_prefix}{imprint.doi}"


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, 76, break_long_words=False, break_on_hyphens=False)


def _heading(text: str) -> list[str]:
    return [text, "-" * len(text), ""]


def _text_table(table: Table) -> list[str]:
    widths = [max(len(row[i]) for row in (table.header, *table.rows)) for i in range(len(table.header))]
    rows = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table.rows]
    head = "  ".join(cell.ljust(w) for cell, w in zip(table.header, widths, strict=True)).rstrip()
    return [table.caption, "", head, "-" * len(head), *rows]


def _markdown_table(table: Table) -> str:
    rows = [table.header, ("---",) * len(table.header), *table.rows]
    return f"{table.caption}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)
