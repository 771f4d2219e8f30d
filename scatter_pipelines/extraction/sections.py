"""Where a document's sections lie, told from headings: a known title on a line of its own, or at the start of one.

Text order is followed, as the parser gives it. A structured abstract's own labels do not end it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scatter_pipelines.extraction.layout import Layout, Line, Span
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
    "references": r"references(?: cited)?|bibliography|literature cited|works cited|reference list",
}  # fmt: skip
_NUMBER = r"(?P<number>(?:\d{1,2}|[IVX]{1,4})(?:\.|\)|\s|\s?\|)\s*)?"
_HEADING = re.compile(
    "^(?:#{1,6} )?[*_■●▪]*"
    + _NUMBER
    + "[*_■●▪]*(?:"
    + "|".join(f"(?P<{n}>{p})" for n, p in _TITLES.items())
    + r")\s*[:.*_]*$",
    re.IGNORECASE,
)
_RUN_IN = re.compile(
    "^(?:" + "|".join(f"(?P<{name}>{_TITLES[name]})" for name in ("abstract", "keywords", "registration", "funding"))
    + r")\s*(?:[:.–—]|-\s)\s*(?=\S)",
    re.IGNORECASE,
)  # fmt: skip
_LETTERSPACED = re.compile(r"^(?:[A-Za-z] ){3,}[A-Za-z]$")
_OWN_LABELS = frozenset(
    ("introduction", "methods", "results", "discussion", "conclusion", "limitations", "registration")
)
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
    found = _RUN_IN.match(line.text)
    if found:
        return Heading(_name(found), line, line.span.start + found.end(), True, False)
    return None


def _name(found: re.Match[str]) -> SectionName:
    return next(name for name in _TITLES if found.groupdict().get(name) is not None)


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
        for name, span in self._stretches():
            if span.start < span.end:
                found.setdefault(name, {}).setdefault(span.page, []).append(span)
        return found

    def _stretches(self) -> Iterator[tuple[SectionName, Span]]:
        walk = _Walk()
        for page in self._layout.document.pages:
            start = 0
            for line in self._layout.lines(page):
                heading = heading_of(line, self._layout.body_size)
                if heading is None:
                    walk.characters += len(line.text)
                elif heading.run_in and heading.name in ("registration", "funding"):
                    yield heading.name, Span(page.number, heading.body, min(heading.body + _MAX_RUN_IN, len(page.text)))
                elif walk.takes(heading):
                    yield walk.current, Span(page.number, start, line.span.start)
                    walk, start = _Walk(heading.name), heading.body
            yield walk.current, Span(page.number, start, len(page.text))
