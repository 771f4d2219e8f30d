"""The groups of a trial and how many were in each, as "placebo: 47".

Two wordings: "placebo (n = 47)" and "47 to placebo", "47 patients in the placebo group". A sentence counts when it
names two groups or more; the groups are those of the best sentence: one that says how people were assigned goes before
one that only lists, the abstract before the rest.

How sure: 0.9 where the sentence says "randomised", "assigned" or "allocated", else 0.7; 0.1 less outside of the
abstract, the methods and the results.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.counts import COUNT, WHO, count_of
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.template import SectionName

_MOST = 8
_NEAR: tuple[SectionName, ...] = ("front", "abstract", "methods", "results")
_WORDS = r"[A-Za-z][\w+\-–/.%'’]{0,30}(?:\s[\w+\-–/.%'’]{1,30}){0,7}?"
_LISTED = re.compile(
    rf"(?P<name>{_WORDS})\s?(?:,\s?|[\(\[]\s?)(?:[A-Z]{{1,6}}[,;:]\s?)?[nN]\s?=\s?(?P<n>{COUNT})(?=\s?[\)\],;]|\s?$)"
)
_TOLD = re.compile(
    rf"(?P<n>{COUNT})\s(?:{WHO}\s)?(?:were\s|was\s)?(?:randomly\s)?(?:assigned\s|allocated\s|randomi[sz]ed\s)?"
    rf"(?:in|into|to|received|receiving)\s(?:the\s|receive\s|an?\s)?(?P<name>{_WORDS})"
    r"(?=\s(?:group|arm)\b|\s?[,;:)]|\s?\((?!\s?[nN]\s?=)|\sand\s\d|\.(?:\s|$)|\s(?:and|or)\s(?:the\s)?(?:remaining|other)|$)"
)
_SIZE = re.compile(rf"[nN]\s?=\s?{COUNT}")
_CUTS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"^.*(?:assigned|allocated|randomi[sz]ed|divided)\s(?:to|into)\s",
        r"^.*\b(?:or|versus|vs\.?|either|receiv(?:e|ed|ing)|into|groups?:?|arms?:|than|between|were|was)\s",
        rf"^.*\b{WHO}\s(?:in|on|with|from|to)\s",
        r"^.*\b(?:the|an?|in|to)\s(?=(?:\S+\s){0,3}(?:group|arm)$)",
        r"^(?:(?:and|the|an?|to|of|in|with|for)\s)+",
    )
)
_TAIL = re.compile(r"\s?(?:groups?|arms?)$", re.IGNORECASE)
_ASSIGNED = re.compile(r"randomi[sz]|randomly|assigned|allocated|divided", re.IGNORECASE)
_GROUP = re.compile(r"\b(?:groups?|arms?)\b", re.IGNORECASE)
_NOT_NAMES = re.compile(
    rf"^(?:{WHO}|n|total|all|both|each|respectively|studies|trials|mean|age|women|men|males?|females?|sites?|cent(?:er|re)s?"
    r"|one|two|three|four|five|six|equal|different|follow-up|eligibility|analysis|this|these|which|table|figure|\d.*)$"
    rf"|\b{WHO}$|\b\d+\s(?!(?:mg|g|kg|ml|mL|µg|mcg|IU|cm|min|hours?|days?|weeks?|months?)\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<!vs)[.?!]\s+(?=[A-Z])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class _Arm:
    name: str
    size: int
    start: int
    end: int

    @property
    def value(self) -> str:
        return f"{self.name}: {self.size}"


def read(quote: str) -> str | None:
    found = next(_arms(quote, alone=True), None)
    return found.value if found else None


def sizes_in(quote: str) -> list[tuple[str, int]]:
    """Names and sizes of the groups in a text."""
    return [(arm.name, arm.size) for arm in _arms(quote, alone=True)]


def sizes_of(found: Iterable[Found]) -> list[tuple[str, int]]:
    """Names and sizes from this recogniser's own values."""
    parts = (str(one.value).rpartition(": ") for one in found)
    return [(name, int(size)) for name, _, size in parts]


def find(reading: Reading) -> Iterator[Found]:
    best: tuple[float, list[Found]] = (0.0, [])
    for page in reading.layout.document.pages:
        for arms in _by_sentence(page.text):
            spans = [Span(page.number, arm.start, arm.end) for arm in arms]
            sure = _sure(
                reading, page.text[arms[0].start - 160 if arms[0].start > 160 else 0 : arms[-1].end + 40], spans[0]
            )
            rank = sure + (0.05 if reading.sections.inside(spans[0], "abstract") else 0.0)
            if sure and rank > best[0]:
                best = rank, [Found(arm.value, span, sure) for arm, span in zip(arms, spans, strict=True)]
    yield from best[1]


def _sure(reading: Reading, around: str, span: Span) -> float:
    if reading.sections.inside(span, "references"):
        return 0.0
    sure = 0.9 if _ASSIGNED.search(around) else 0.7 if _GROUP.search(around) else 0.0
    near = any(reading.sections.inside(span, name) for name in _NEAR)
    return round(sure - (0.0 if near else 0.1), 2) if sure else 0.0


def _by_sentence(text: str) -> Iterator[list[_Arm]]:
    """Two to eight groups of one sentence, with names of their own."""
    arms = list(_arms(text))
    while arms:
        ends = [end.start() for end in _SENTENCE_END.finditer(text, arms[0].end, arms[0].end + 1_000)]
        until = ends[0] if ends else arms[0].end + 1_000
        own = [arm for arm in arms if arm.start < until]
        arms = arms[len(own) :]
        names = {arm.name.casefold() for arm in own}
        if 2 <= len(own) <= _MOST and len(names) == len(own):
            yield own


def _arms(text: str, *, alone: bool = False) -> Iterator[_Arm]:
    """In order of the text, none over another; `alone` where the text is a quote without its sentence."""
    end = 0
    for arm in sorted([*_listed(text), *_told(text, alone=alone)], key=lambda arm: arm.start):
        if arm.start >= end:
            yield arm
            end = arm.end


def _listed(text: str) -> Iterator[_Arm]:
    for found in _SIZE.finditer(text):
        since = max(0, found.start() - 90)
        matches = list(_LISTED.finditer(text, since, min(len(text), found.end() + 2)))
        if matches and matches[-1].end("n") == found.end():
            last = matches[-1]
            arm = _arm(last["name"], last["n"], last.start("name"), last.end("n"), cut=True)
            if arm:
                yield arm


def _told(text: str, *, alone: bool) -> Iterator[_Arm]:
    for match in _TOLD.finditer(text):
        sentence = text[max(0, match.start() - 200) : match.end() + 8]
        if alone or _ASSIGNED.search(sentence) or _GROUP.match(text[match.end() :][:8].lstrip()):
            arm = _arm(match["name"], match["n"], match.start(), match.end("name"), cut=False)
            if arm:
                yield arm


def _arm(raw: str, count: str, start: int, end: int, *, cut: bool) -> _Arm | None:
    skipped = _lead(raw) if cut else 0
    cleaned = clean_text(raw[skipped:])
    name = _TAIL.sub("", cleaned[_lead(cleaned) if cut else 0 :]).strip(" .,;:-")
    size = count_of(count)
    if not name or size is None or len(name) > 60 or _NOT_NAMES.search(name):
        return None
    return _Arm(name, size, start + skipped if cut else start, end)


def _lead(raw: str) -> int:
    """How many characters stand before a group's name."""
    start = 0
    for cut in _CUTS:
        found = cut.match(raw[start:])
        start += found.end() if found else 0
    return start


RECOGNISER = Recogniser("arms", ("string", "text"), find, read)
