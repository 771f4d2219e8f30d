"""Where a document's sections lie, told from headings: a known title on a line of its own, or at the start of one.

Text order is followed, as the parser gives it. A structured abstract's own labels do not end it. Where the file marks
its headings up, these count alone, and a section ends at the next heading of its level or above.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scatter_pipelines.extraction.layout import Layout, Line, Span
from scatter_pipelines.model.document import Region, RegionKind
from scatter_pipelines.model.template import SectionName

_TITLES: Mapping[SectionName, str] = {
    "abstract": r"(?:article ?info(?:rmation)? ?)?(?:structured )?abstract|summary|synopsis",
    "keywords": r"key ?words(?: and phrases)?|index terms",
    "introduction": r"introduction|backgrounds?|introduction and (?:background|objectives?)"
    r"|background and (?:aims?|objectives?)",
    "methods": r"(?:materials?|patients|subjects|participants)(?:,? (?:and|&) methods)|methods?(?: and materials?)?"
    r"|methodology|experimental(?: section| procedures?)?|study design(?: and methods)?|statistical analys[ie]s",
    "results": r"results?(?: and discussions?)?|findings",
    "discussion": r"discussions?(?: and conclusions?)?|comment",
    "conclusion": r"conclusions?(?: and .{3,40})?|concluding remarks",
    "limitations": r"(?:strengths and )?limitations?(?: of (?:this|the) (?:study|review))?",
    "acknowledgements": r"acknowledge?ments?",
    "funding": r"funding(?: sources?| information| statement)?|financial (?:support|disclosure)(?: and sponsorship)?"
    r"|sources? of (?:funding|support)|grant support|role of the funding source",
    "conflicts": r"(?:conflicts? of interests?|competing (?:financial )?interests?"
    r"|declarations? of (?:conflicting |competing )?interests?|disclosures?)(?: statement)?",
    "ethics": r"ethic(?:s|al)(?: (?:approval|statement|considerations?|issues?).{0,40})?",
    "data": r"(?:data availability|availability of (?:data|supporting data)).{0,30}",
    "registration": r"(?:(?:clinical )?trials?|study|protocol|prospero|systematic review)?[ -]?registration"
    r"(?: (?:number|id|identifier|no\.?|details|and protocol))?",
    "contributions": r"author(?:s['’]?|['’]s)? contributions?|contributors?",
    "abbreviations": r"(?:list of )?abbreviations(?: used)?",
    "appendix": r"appendix.{0,20}|supplement(?:ary|al) (?:materials?|information|data)|supporting information"
    r"|additional files?",
    "references": r"references(?: cited| and notes)?|notes and references|bibliography"
    r"|literature cited|works cited|reference list",
}  # fmt: skip
_NUMBER = r"(?P<number>(?:\d{1,2}|[IVX]{1,4})(?:\.|\)|\s|\s?\|)\s*)?"
_HEADING = re.compile(
    "^(?:#{1,6} )?[*_■●▪]*\\s?"
    + _NUMBER
    + "[*_■●▪]*(?:"
    + "|".join(f"(?P<{n}>{p})" for n, p in _TITLES.items())
    + r")\s*[:.*_]*$",
    re.IGNORECASE,
)
_STATEMENTS: tuple[SectionName, ...] = ("registration", "funding", "conflicts", "acknowledgements")
"""What may be said in one paragraph anywhere, without ending the section around it."""
_RUN_IN = re.compile(
    "^(?:" + "|".join(f"(?P<{name}>{_TITLES[name]})" for name in ("abstract", "keywords", *_STATEMENTS))
    + r")\s*(?:[:.–—]|-\s)\s*(?=\S)",
    re.IGNORECASE,
)  # fmt: skip
_RUN_IN_BARE = re.compile(
    r"^(?:(?P<abstract>Abstract|ABSTRACT)|(?P<keywords>Key ?[Ww]ords|KEYWORDS))\s+(?=[A-Z][\w-]*\s)"
)
_LETTERSPACED = re.compile(r"^(?:[A-Za-z] ){3,}[A-Za-z]$")
_OWN_LABELS = frozenset(
    ("introduction", "methods", "results", "discussion", "conclusion", "limitations", "registration")
)
_SECTION_OF: Mapping[RegionKind, SectionName] = {
    "abstract": "abstract",
    "keywords": "keywords",
    "funding": "funding",
    "conflicts": "conflicts",
    "acknowledgements": "acknowledgements",
    "registration": "registration",
    "reference": "references",
}
_MAX_HEADING = 80
_MAX_ABSTRACT = 6_000
_MAX_UNLABELLED = 60
_MAX_RUN_IN = 1_500


@dataclass(frozen=True, slots=True)
class Heading:
    """`body` is where the section's text starts on the heading's page."""

    name: SectionName
    line: Line
    body: int
    run_in: bool
    numbered: bool


def heading_of(line: Line, body_size: float) -> Heading | None:
    """The heading that a line is, or starts with."""
    if len(line.text) <= _MAX_HEADING:
        text = line.text.replace(" ", "") if _LETTERSPACED.match(line.text) else line.text
        found = _HEADING.match(text)
        if found and _looks_like_heading(line, body_size):
            return Heading(_name(found), line, line.span.end, False, bool(found["number"]))
    found = _RUN_IN.match(line.text) or _RUN_IN_BARE.match(line.text)
    if found:
        return Heading(_name(found), line, line.span.start + found.end(), True, False)
    return None


def _name(found: re.Match[str]) -> SectionName:
    return next(name for name in _TITLES if found.groupdict().get(name) is not None)


def section_named(text: str) -> SectionName | None:
    """The section that a heading's text opens."""
    found = _HEADING.match(" ".join(text.split()))
    return _name(found) if found else None


def _span(region: Region) -> Span:
    return Span(region.page, region.start, region.end)


def _looks_like_heading(line: Line, body_size: float) -> bool:
    if line.size == 0.0 or line.bold or line.text.isupper():
        return True
    return line.text[:1].isupper() or line.text[:1].isdigit() or line.size > body_size


@dataclass(slots=True)
class _Walk:
    """The state while going through the lines: what is open, and since where."""

    current: SectionName = "front"
    characters: int = 0
    labels: set[SectionName] = field(default_factory=set)

    def takes(self, heading: Heading) -> bool:
        """Whether the heading opens a section; an abstract's own label does not."""
        if self.current != "abstract" or heading.name not in _OWN_LABELS or heading.numbered:
            return True
        if heading.line.text.casefold().startswith("strengths"):
            return True
        labelled = bool(self.labels) or self.characters < _MAX_UNLABELLED
        if self.characters and heading.line.text.casefold().strip(":. #") == "introduction":
            return True
        own = labelled and heading.name not in self.labels and self.characters < _MAX_ABSTRACT
        self.labels.add(heading.name)
        return not own


class Sections:
    """The spans of each section: one a page and stretch, in order. `front` is what comes before the first heading."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def spans(self, name: SectionName) -> tuple[Span, ...]:
        return tuple(span for spans in self._found.get(name, {}).values() for span in spans)

    def inside(self, span: Span, name: SectionName) -> bool:
        return any(section.contains(span) for section in self._found.get(name, {}).get(span.page, ()))

    @cached_property
    def _found(self) -> dict[SectionName, dict[int, list[Span]]]:
        found: dict[SectionName, dict[int, list[Span]]] = {}
        for name, span in dict.fromkeys(self._stretches()):
            if span.start < span.end:
                found.setdefault(name, {}).setdefault(span.page, []).append(span)
        return found

    @cached_property
    def headings(self) -> tuple[tuple[str, Span, int], ...]:
        """(text, span, level from 1) of the marked headings, and without any of the lines that are known as such."""
        if self._marked:
            return tuple((self._layout.text(span), span, level) for span, level in self._marked)
        body = self._layout.body_size
        lines = (line for page in self._layout.document.pages for line in self._layout.lines(page))
        found = (heading for line in lines if (heading := heading_of(line, body)) and not heading.run_in)
        return tuple((heading.line.text, heading.line.span, 1) for heading in found)

    @cached_property
    def _marked(self) -> tuple[tuple[Span, int], ...]:
        """The headings of the markup, those of an abstract's parts left out."""
        regions = self._layout.document.regions
        inner = [_span(region) for region in regions if region.kind == "abstract"]
        headings = [(_span(region), max(region.level, 1)) for region in regions if region.kind == "heading"]
        return tuple((span, level) for span, level in headings if not any(part.contains(span) for part in inner))

    def _stretches(self) -> Iterator[tuple[SectionName, Span]]:
        yield from self._by_regions()
        yield from self._by_markup() if self._marked else self._by_lines()

    def _by_regions(self) -> Iterator[tuple[SectionName, Span]]:
        for region in self._layout.document.regions:
            if region.kind in _SECTION_OF:
                yield _SECTION_OF[region.kind], _span(region)

    def _by_markup(self) -> Iterator[tuple[SectionName, Span]]:
        first = self._marked[0][0]
        yield from (("front", part) for part in self._between(Span(1, 0, 0), first))
        open_until: dict[SectionName, Span] = {}
        for index, (span, level) in enumerate(self._marked):
            name = section_named(self._layout.text(span))
            if name is not None and not (name in open_until and span < open_until[name]):
                following = (other for other, depth in self._marked[index + 1 :] if depth <= level)
                open_until[name] = next(following, self._end)
                yield from ((name, part) for part in self._between(span, open_until[name]))

    @property
    def _end(self) -> Span:
        pages = self._layout.document.pages
        return Span(len(pages), len(pages[-1].text), len(pages[-1].text))

    def _between(self, after: Span, until: Span) -> Iterator[Span]:
        """What lies between two spans, page by page."""
        for page in self._layout.document.pages[after.page - 1 : until.page]:
            start = after.end if page.number == after.page else 0
            yield Span(page.number, start, until.start if page.number == until.page else len(page.text))

    def _by_lines(self) -> Iterator[tuple[SectionName, Span]]:
        walk = _Walk()
        for page in self._layout.document.pages:
            start = 0
            for line in self._layout.lines(page):
                heading = heading_of(line, self._layout.body_size)
                if heading is None:
                    walk.characters += len(line.text)
                elif heading.run_in and heading.name in _STATEMENTS:
                    yield heading.name, Span(page.number, heading.body, min(heading.body + _MAX_RUN_IN, len(page.text)))
                elif walk.takes(heading):
                    yield walk.current, Span(page.number, start, line.span.start)
                    walk, start = _Walk(heading.name), heading.body
            yield walk.current, Span(page.number, start, len(page.text))
