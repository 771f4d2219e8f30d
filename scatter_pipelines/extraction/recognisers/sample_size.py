"""How many took part in all: people, not studies, events or those who were only screened.

Sentences are ranked by what they say happened ("randomised", "enrolled") and by where they stand, abstract first. Left
out: numbers of those screened, excluded, lost or dead, shares, years, and one group's size. Where nobody gives a total,
it is the sum of the groups.

How sure: 0.95, 0.85, 0.7 or 0.65 by the wording; 0.05 less before the first heading, 0.25 in the methods and results,
0.4 elsewhere, 0.3 for a number below eight; 0.6 for a sum. What is below 0.35 is left out.
"""

import re
from collections.abc import Iterable, Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers import arms
from scatter_pipelines.extraction.recognisers.counts import COUNT, WHO, count_of
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.model.template import SectionName

_N = rf"(?P<n>{COUNT})"
_DONE = (
    r"(?:randomi[sz]ed|randomly|enrolled|recruited|included|assigned|allocated|analy[sz]ed|participated|took\spart|studied|"
    r"divided|entered)"
)
_PEOPLE = rf"{WHO}\b"
_THINGS = (
    r"(?:minutes?|min|hours?|h|days?|weeks?|months?|years?|mg|g|kg|ml|mm|cm|percent|trials?|stud(?:y|ies)|rcts?|articles?|papers|"
    r"reports|publications|reviews|sites|cent(?:er|re)s|hospitals|practices|groups|arms|times|doses|events|deaths|replicates|"
    r"different|cases\sof|out\sof|of|and|or|to|in|on|for|vs|versus)"
)
_SOME = rf"(?:(?!{_THINGS}\b)[A-Za-z](?:[A-Za-z\-]{{0,23}}[A-Za-z])?\s){{0,4}}?"
_TAKEN = r"(?:randomi[sz](?:ed|ation)|randomly|enrolled|recruited|included)"
_WERE = r"(?:who\s|were\s|was\s|have\s|been\s|had\s|initially\s|finally\s){0,3}"
_RANKED: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), sure)
    for pattern, sure in (
        (rf"(?:total|sample|cohort|population)\s(?:sample\s|size\s|number\s)*(?:of|was|comprised|consisted\sof|included)\s{_N}"
         rf"\s{_SOME}{_PEOPLE}", 0.95),
        (rf"{_N}\s{_SOME}{_PEOPLE}\s(?:\([^)]{{0,60}}\)\s)?{_WERE}{_DONE}", 0.95),
        (rf"{_N}\s(?:of\s(?:them|these|whom)\s)?(?:were|was|underwent)\s(?:then\s|finally\s)?{_TAKEN}", 0.95),
        (rf"(?:randomi[sz]ed|enrolled|recruited|included|assigned|involving|comprising|comprised|with|data\sfrom|among|of)"
         rf"\s(?:a\stotal\sof\s|data\sfrom\s|in\stotal\s)?{_N}\s{_SOME}{_PEOPLE}", 0.85),
        (rf"{_N}\s{_SOME}{_PEOPLE}", 0.7),
        (rf"(?<!\w)N\s?=\s?{_N}", 0.65),
    )
)  # fmt: skip
_PLACES: tuple[tuple[tuple[SectionName, ...], float], ...] = (
    (("abstract",), 0.0),
    (("front",), 0.05),
    (("methods", "results"), 0.25),
    (("introduction", "discussion", "conclusion"), 0.4),
)
LEAST = 0.35
_MOST = 0.95
_FEW = 8
_YEARS = range(1900, 2100)
_DATED = re.compile(
    r"(?:\b(?i:in|since|from|until|till|to|and|between|through|during|by)|[,(]|\b[A-Z][a-z]{2,8}\.?)\s$|^\s?$"
)
_BEFORE = re.compile(
    r"(?:\bper|excluded|excluding|lost|withdr\w+|remaining|other|additional|another|power"
    r"|required|needed|at least|least|occurred in"
    r"|observed in|died|events? in|of whom|age[ds]?|phase|grade|day|week|table|fig\w*\.?|version"
    r"|[=<>≤≥~≈])\s(?:of\s|in\s)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s?(?:\(\d+(?:[.·]\d+)?\s?%|%|who (?:died|withdrew|declined)|(?:were |was )?(?:screened|assessed for eligib"
    r"|approached|invited|excluded|lost|ineligible|not included|withdr|declined|withdrawn)"
    r"|(?:were |was )?(?:[a-z]+ ){0,3}?(?:in|into|to) (?:the |each |receive )?(?:[\w-]+ ){0,4}?(?:group|arm)\b"
    r"|(?:in|per|for) each|per (?:group|arm))",
    re.IGNORECASE,
)


def read(quote: str) -> int | None:
    """The sum where the quote is of groups, else the number by the strongest wording that fits."""
    groups = arms.sizes_in(quote)
    if len(groups) >= 2:
        return sum(size for _, size in groups)
    found = next((match for pattern, _ in _RANKED if (match := pattern.search(quote))), None)
    return count_of(found["n"]) if found else None


def find(reading: Reading) -> Iterator[Found]:
    """Surest first; a place is read only where the places before it leave the question open."""
    groups = list(arms.find(reading))
    waiting = list(_sum(groups))
    for index, (names, less) in enumerate(_PLACES):
        spans = sorted(span for name in names for span in reading.sections.spans(name))
        found = _stated(reading, spans, less)
        waiting += [one for one in found if not any(_overlap(one.span, group.span) for group in groups)]
        waiting.sort(key=lambda one: -(one.confidence or 0.0))
        later = _MOST - _PLACES[index + 1][1] if index + 1 < len(_PLACES) else 0.0
        while waiting and (waiting[0].confidence or 0.0) >= later:
            yield waiting.pop(0)


def _overlap(one: Span, other: Span) -> bool:
    return one.page == other.page and one.start < other.end and other.start < one.end


def _stated(reading: Reading, spans: list[Span], less: float) -> Iterator[Found]:
    for pattern, sure in _RANKED:
        if sure - less >= LEAST:
            yield from _matches(reading, spans, pattern, sure - less)


def _matches(reading: Reading, spans: Iterable[Span], pattern: re.Pattern[str], sure: float) -> Iterator[Found]:
    for span in spans:
        text = reading.layout.document.pages[span.page - 1].text
        for match in pattern.finditer(text, span.start, span.end):
            number = count_of(match["n"])
            if number and not _is_other(text, match, number):
                less = 0.3 if number < _FEW else 0.0
                if sure - less >= LEAST:
                    yield Found(number, Span(span.page, match.start(), match.end()), round(sure - less, 2))


def _is_other(text: str, match: re.Match[str], number: int) -> bool:
    """A year, a share, or people to whom something else happened."""
    before = " ".join(text[max(0, match.start("n") - 40) : match.start("n")].split()) + " "
    after = " ".join(text[match.end() : match.end() + 70].split())
    if number in _YEARS and match["n"].isdigit() and _DATED.search(before):
        return True
    if "=" not in match[0] and _BEFORE.search(before):
        return True
    return _AFTER.match(after if after[:1] in "(%" else f" {after}") is not None


def _sum(groups: list[Found]) -> Iterator[Found]:
    """Of groups that stand on one page."""
    if len(groups) >= 2 and len({group.span.page for group in groups}) == 1:
        span = Span(groups[0].span.page, min(g.span.start for g in groups), max(g.span.end for g in groups))
        yield Found(sum(size for _, size in arms.sizes_of(groups)), span, 0.6)


RECOGNISER = Recogniser("sample_size", ("integer", "number"), find, read)
