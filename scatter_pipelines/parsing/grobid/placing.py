"""From GROBID's parts to regions of the local pages.

A part with coordinates is where the words inside its boxes are, if they are the words that GROBID read there; so
coordinates of another page box, of a turned page or of another document lead to no region, never to a wrong one. A
part without coordinates is where its text stands among the first pages.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from scatter_pipelines.model.document import Document, Page, Region
from scatter_pipelines.parsing.grobid.coordinates import PageBox
from scatter_pipelines.parsing.grobid.letters import Letters, find, letters_of, likeness
from scatter_pipelines.parsing.grobid.tei import Part, Tei
from scatter_pipelines.parsing.service import Check, ServiceRefused

SLACK = 1.0
"""Points by which a word's middle may lie outside of its box."""
SIZE_SLACK = 2.0
BRIDGE = 8
"""Words between two words of one part that may belong to it without a box."""
LIKE = 0.6
FRONT_PAGES = 3
SEARCHED = frozenset({"title", "affiliation", "email", "abstract", "keywords", "journal", "doi", "publication_date"})
"""Kinds whose text is long or peculiar enough to be found by it alone; a heading's words stand in any sentence."""

Span = tuple[int, int, int]
"""Page, start and end."""


def place(tei: Tei, document: Document, check: Check) -> tuple[Region, ...]:
    """Regions in the order of the text: those of the service, and the document's own of other kinds.

    Raises `ServiceRefused` where most of what has coordinates is not where they say.
    """
    placing = _Placing(tei, document)
    regions: list[Region] = []
    for part in tei.parts:
        check()
        regions.extend(Region(part.kind, *span, part.level) for span in placing.spans(part))
    if placing.astray > placing.found:
        raise ServiceRefused(
            f"Its coordinates do not fit the pages: {placing.astray} of {placing.astray + placing.found} parts."
        )
    kinds = {region.kind for region in regions}
    regions.extend(region for region in document.regions if region.kind not in kinds)
    return tuple(sorted(dict.fromkeys(regions), key=lambda region: (region.page, region.start, -region.end)))


class _Placing:
    """The pages of one document, and how many parts were found on them."""

    def __init__(self, tei: Tei, document: Document) -> None:
        self._pages = document.pages
        self._turned = {
            page.number for page in document.pages if not _same_size(page, tei.sizes.get(page.number, (0.0, 0.0)))
        }
        self._rows: dict[int, _Rows] = {}
        self._letters: dict[int, Letters] = {}
        self.found = 0
        self.astray = 0

    def spans(self, part: Part) -> list[Span]:
        if not part.boxes:
            return self._search(part.text) if part.kind in SEARCHED else []
        spans = self._inside_caption(part) if part.kind == "caption" else self._inside(part)
        if spans:
            self.found += 1
        elif part.kind != "caption":
            self.astray += 1
        return spans

    def _inside(self, part: Part) -> list[Span]:
        """The words in the boxes; in one piece they are cut to the part's own letters."""
        spans = list(self._words_in(part.boxes))
        if len(spans) == 1 and (cut := self._cut(part.text, spans[0])) is not None:
            return [cut]
        return spans if likeness(part.text, " ".join(map(self._text, spans))) >= LIKE else []

    def _inside_caption(self, part: Part) -> list[Span]:
        """A caption has no boxes of its own but is among the words of its figure."""
        cuts = (self._cut(part.text, span) for span in self._words_in(part.boxes))
        return [cut for cut in cuts if cut is not None][:1]

    def _words_in(self, boxes: Iterable[PageBox]) -> Iterator[Span]:
        for number, on_page in groupby(sorted(boxes, key=attrgetter("page")), attrgetter("page")):
            if number > len(self._pages) or number in self._turned:
                continue
            page = self._pages[number - 1]
            if number not in self._rows:
                self._rows[number] = _Rows(page)
            rows = self._rows[number]
            inside = sorted({index for box in on_page for index in rows.inside(box)})
            for first, last in _runs(inside):
                yield number, page.words[first].start, page.words[last].end

    def _cut(self, text: str, span: Span) -> Span | None:
        page, start, _ = span
        found = find(text, letters_of(self._text(span)), whole=False)
        return None if found is None else (page, start + found[0], start + found[1])

    def _text(self, span: Span) -> str:
        page, start, end = span
        return self._pages[page - 1].text[start:end]

    def _search(self, text: str) -> list[Span]:
        for page in self._pages[:FRONT_PAGES]:
            if page.number not in self._letters:
                self._letters[page.number] = letters_of(page.text)
            if (found := find(text, self._letters[page.number], whole=True)) is not None:
                return [(page.number, *found)]
        return []


class _Rows:
    """The words of a page by the height of their middle."""

    def __init__(self, page: Page) -> None:
        middles = ((w.box[1] + w.box[3], w.box[0] + w.box[2], index) for index, w in enumerate(page.words))
        self._middles = sorted((y / 2, x / 2, index) for y, x, index in middles)

    def inside(self, box: PageBox) -> Iterator[int]:
        first = bisect_left(self._middles, (box.y0 - SLACK,))
        last = bisect_right(self._middles, (box.y1 + SLACK,))
        return (index for _, x, index in self._middles[first:last] if box.x0 - SLACK <= x <= box.x1 + SLACK)


def _runs(indexes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of words that follow each other, or nearly."""
    start = 0
    for at in range(1, len(indexes) + 1):
        if at == len(indexes) or indexes[at] - indexes[at - 1] > BRIDGE:
            yield indexes[start], indexes[at - 1]
            start = at


def _same_size(page: Page, size: tuple[float, float]) -> bool:
    """A page of which GROBID saw another size was turned or cut otherwise; where it says none, the words decide."""
    if size == (0.0, 0.0):
        return True
    return abs(page.width - size[0]) <= SIZE_SLACK and abs(page.height - size[1]) <= SIZE_SLACK
