"""From a tree of marked-up text to blocks, rows and regions. Goes through the tree without recursion, however deep."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from scatter_pipelines.model.document import RegionKind
from scatter_pipelines.parsing.flow import Flow
from scatter_pipelines.parsing.sectioned import Mark, Sectioned
from scatter_pipelines.parsing.xml_tree import Element, attribute, local

_WIDEST_SPAN = 200


@dataclass(frozen=True, slots=True)
class Markup:
    """What the tags of a format mean. Tags named nowhere are inline."""

    dropped: frozenset[str]
    blocks: frozenset[str]
    headings: Mapping[str, int]
    kinds: Mapping[str, RegionKind]
    labels: frozenset[str] = frozenset()
    breaks: frozenset[str] = frozenset(("br", "break", "line-break"))
    tables: frozenset[str] = frozenset(("table",))
    rows: frozenset[str] = frozenset(("tr",))
    cells: frozenset[str] = frozenset(("td", "th"))
    kept: frozenset[str] = frozenset(("pre",))
    raised: frozenset[str] = frozenset(("sup",))
    lowered: frozenset[str] = frozenset(("sub",))


@dataclass(slots=True)
class _Table:
    """The outermost table that is open. A table in a cell is text of that cell.

    The other cells a span covers are left empty, so that columns stay under one another.
    """

    first: Mark | None = None
    nested: int = 0
    row: list[str] | None = None
    cell: list[str] | None = None
    covered: dict[int, int] = field(default_factory=dict)

    def skip_covered(self) -> None:
        row = self.row if self.row is not None else []
        while self.covered.get(len(row), 0) > 0:
            self.covered[len(row)] -= 1
            row.append("")

    def end_cell(self, wide: int, tall: int) -> None:
        if self.row is None or self.cell is None:
            return
        first = len(self.row)
        self.row += [" ".join(self.cell), *([""] * (wide - 1))]
        if tall > 1:
            self.covered.update(dict.fromkeys(range(first, first + wide), tall - 1))
        self.cell = None


class Walk:
    """Writes elements to `writer` by the rules of `markup`. One object may walk several elements, one after another."""

    def __init__(self, writer: Sectioned, markup: Markup, *, page_level: int = 0) -> None:
        self.writer = writer
        self.markup = markup
        self.page_level = page_level
        self.flow = Flow()
        self._structure = markup.blocks | markup.tables | markup.rows | markup.cells | markup.kept
        self._tabular = markup.tables | markup.rows | markup.cells
        self._table: _Table | None = None
        self._open: list[Mark] = []
        self._keep = 0
        self._label = False

    def element(self, root: Element) -> None:
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, one in walker:
            if event == "start":
                if self.is_dropped(one):
                    walker.skip_subtree()
                else:
                    self.start(one)
                    self.add_text(one, one.text)
                continue
            if event == "end" and not self.is_dropped(one):
                self._end(one)
            if one is not root:
                self.add_text(one.getparent(), one.tail)
        self.flush()

    def is_dropped(self, element: Element) -> bool:
        return local(element) in self.markup.dropped

    def heading_level(self, element: Element) -> int:
        """0 for what is no heading."""
        return self.markup.headings.get(local(element), 0)

    def kind_of(self, element: Element) -> RegionKind | None:
        return self.markup.kinds.get(local(element))

    def add_text(self, owner: Element, text: str | None) -> None:
        """`text` stands directly in `owner`."""
        self._label = self._label and not (text and text.strip())
        self.flow.add(text, keep=self._keep > 0)

    def spans(self, element: Element) -> tuple[int, int]:
        """How many columns and rows a cell covers."""
        return span_of(attribute(element, "colspan")), span_of(attribute(element, "rowspan"))

    def flush(self, level: int = 0) -> None:
        """Ends the block that is open."""
        self._label = False
        text = self.flow.take()
        if self._table is not None and self._table.cell is not None:
            if text:
                self._table.cell.append(" ".join(text.split("\n")))
        elif level:
            self.writer.block(" ".join(text.split()), "heading", level=level)
        else:
            self.writer.block(text)

    def start(self, element: Element) -> None:
        name, markup = local(element), self.markup
        if name in markup.breaks:
            self.flow.line_break()
        elif name in markup.raised:
            self.flow.raised()
        elif name in markup.lowered:
            self.flow.lowered()
        self._keep += name in markup.kept
        if self._ends_block(element, name):
            if not self._label:
                self.flush()
            self._start_block(element, name)

    def _ends_block(self, element: Element, name: str) -> bool:
        return name in self._structure or self.kind_of(element) is not None or self.heading_level(element) > 0

    def _start_block(self, element: Element, name: str) -> None:
        level = self.heading_level(element)
        if level and level <= self.page_level and self._table is None and not self._open:
            self.writer.new_page()
        if self.kind_of(element) is not None:
            self._open.append(self.writer.mark())
        if name in self._tabular:
            self._start_table(name)

    def _start_table(self, name: str) -> None:
        table = self._table
        if name in self.markup.tables:
            if table is None:
                self._table = _Table()
            else:
                table.nested += 1
        elif table is None or table.nested:
            return
        elif name in self.markup.rows:
            self._write_row(table)
            table.row, table.cell = [], None
        else:
            self._end_cell(table, 1, 1)
            table.row = [] if table.row is None else table.row
            table.skip_covered()
            table.cell = []

    def _end(self, element: Element) -> None:
        name = local(element)
        if name in self.markup.labels:
            self.flow.add(" ")
            self._label = True
        if not self._ends_block(element, name):
            return
        self.flush(self.heading_level(element))
        self._keep -= name in self.markup.kept
        kind = self.kind_of(element)
        if kind is not None and self._open:
            mark = self._open.pop()
            if self._table is None or self._table.cell is None:
                self.writer.close(kind, mark)
        if name in self._tabular:
            self._end_table(element, name)

    def _end_table(self, element: Element, name: str) -> None:
        table = self._table
        if table is None:
            return
        if name in self.markup.tables:
            if table.nested:
                table.nested -= 1
                return
            self._write_row(table)
            self._table = None
            if table.first is not None:
                self.writer.close("table", table.first)
        elif not table.nested:
            if name in self.markup.cells:
                self._end_cell(table, *self.spans(element))
            else:
                self._write_row(table)

    def _end_cell(self, table: _Table, wide: int, tall: int) -> None:
        if table.cell is not None:
            self.flush()
            table.end_cell(wide, tall)

    def _write_row(self, table: _Table) -> None:
        self._end_cell(table, 1, 1)
        if table.row is None:
            return
        table.skip_covered()
        mark = self.writer.mark()
        self.writer.row(table.row)
        table.row = None
        table.first = table.first or mark


def span_of(value: str) -> int:
    return max(1, min(int(value), _WIDEST_SPAN)) if value.isascii() and value.isdigit() and len(value) < 10 else 1
