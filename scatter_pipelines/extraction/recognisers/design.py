"""The design of the study, in one of a few words (`DESIGNS`): what its title, abstract and methods call it.

A section that names a design votes for it with the weight of its place: 5 before the first heading, where the title is,
2 in the abstract and the methods, 1 in the results, none elsewhere; "this was a ..." doubles it. A closer word
("crossover") goes before the wider one ("randomised") that it implies.

How sure: the share of the votes that agree, wider words counting as agreement, from 0.5 to 0.95.
"""

import re
from collections import Counter
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.template import SectionName

_RANDOM = r"randomi[sz](?:ed|ation)"
_PILOT, _STUDY, _MORE = r"(?:pilot|feasibility)", r"(?:trial|study|design)\b", r"(?:,?\s[a-z-]+)"
_DESIGNS: tuple[tuple[str, str], ...] = (
    ("meta-analysis", r"meta-?\s?analys[ie]s|systematic\sreview"),
    ("review", r"(?:narrative|literature|scoping)\sreview|review\sof\s(?:clinical\s)?(?:trials|studies)"),
    ("cluster randomised", rf"cluster[-\s]{_RANDOM}|cluster\s(?:controlled\s)?trial|stepped[-\s]wedge"),
    ("randomised crossover", r"cross-?\s?over\s(?:[a-z-]+\s){0,3}?(?:trial|study|design)\b"),
    ("randomised factorial", r"(?:\d\s?[×x]\s?\d\s)?factorial\s(?:[a-z-]+\s){0,3}?(?:trial|study|design)\b"),
    ("non-randomised trial", rf"(?:non|un)-?\s?{_RANDOM}|quasi-?\s?(?:experimental|{_RANDOM})|single-?\s?arm"),
    ("randomised pilot", rf"{_PILOT}{_MORE}{{0,4}}?,?\s{_RANDOM}|{_RANDOM}{_MORE}{{0,3}}?\s{_PILOT}"),
    ("randomised parallel", r"parallel[-\s](?:group|arm|design)"),
    ("randomised", rf"{_RANDOM}{_MORE}{{0,6}}?\s{_STUDY}|randomly\s(?:assigned|allocated|divided)|\bRCT\b"),
    ("case-control", r"case-?[-\s]?control\sstudy"),
    ("cohort", r"cohort\sstudy|longitudinal\s(?:observational\s)?study"),
    ("cross-sectional", r"cross-?\s?sectional\s(?:[a-z-]+\s)?(?:study|survey|design)"),
    ("case report", r"case\s(?:report|series)"),
)  # fmt: skip
DESIGNS = tuple(name for name, _ in _DESIGNS)
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _DESIGNS)
_WEIGHTS: tuple[tuple[SectionName, int], ...] = (
    ("front", 5),
    ("abstract", 2),
    ("methods", 2),
    ("results", 1),
)
_SAYS = re.compile(
    r"(?:this|ours?|present|current)\s(?:[\w-]+\s){0,4}?(?:is|was)\s(?:an?\s)?(?:[\w,-]+\s){0,8}$"
    r"|we\s(?:conducted|performed|carried\sout|did|undertook)\s(?:an?\s)?(?:[\w,-]+\s){0,8}$|in\sthis\s(?:[\w,-]+\s){0,8}$",
    re.IGNORECASE,
)


def read(quote: str) -> str | None:
    return next((name for name, pattern in _PATTERNS if pattern.search(quote)), None)


def find(reading: Reading) -> Iterator[Found]:
    """The design with the most votes, then the others."""
    votes: Counter[str] = Counter()
    first: dict[str, Span] = {}
    for section, weight in _WEIGHTS:
        said: dict[str, bool] = {}
        for span in reading.sections.spans(section):
            for name, place, says in _mentions(reading, span):
                said[name] = said.get(name, False) or says
                first.setdefault(name, place)
        for name, says in said.items():
            votes[name] += 2 * weight if says else weight
    total = votes.total()
    for name in sorted(votes, key=lambda name: (-_support(votes, name), DESIGNS.index(name))):
        yield Found(name, first[name], round(min(0.95, max(0.5, _support(votes, name) / total)), 2))


def _support(votes: Counter[str], name: str) -> float:
    """Its own votes, and those of the wider word, which a closer one takes over."""
    closer = name.startswith("randomised ") or name == "cluster randomised"
    return votes[name] + (votes["randomised"] if closer and votes[name] >= 2 else 0)


def _mentions(reading: Reading, span: Span) -> Iterator[tuple[str, Span, bool]]:
    text = reading.layout.document.pages[span.page - 1].text
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(text, span.start, span.end):
            says = _SAYS.search(" ".join(text[max(0, match.start() - 120) : match.start()].split()) + " ") is not None
            yield name, Span(span.page, match.start(), match.end()), says


RECOGNISER = Recogniser("design", ("string", "text"), find, read)
