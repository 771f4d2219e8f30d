"""Lines of styled words, broken, hyphenated and flowed into frames. Knows nothing of papers."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from reportlab.pdfbase.pdfmetrics import stringWidth

_VOWELS = "aeiouyáéíóúäöüøåè"
_TOGETHER = ("th", "ch", "sh", "ph", "ck", "gh", "qu", "tr", "pr", "br", "cr", "dr", "gr", "fr", "pl", "bl", "cl", "fl")


@dataclass(frozen=True, slots=True)
class Style:
    """Lengths in points; `align` is one of left, center, justify."""

    font: str
    size: float
    leading: float
    align: str = "left"
    indent: float = 0.0
    first_indent: float = 0.0
    before: float = 0.0
    hyphenate: bool = False


class Span(NamedTuple):
    """Text in one font; `rise` lifts it above the base line."""

    text: str
    font: str
    size: float
    rise: float = 0.0


Token = tuple[Span, ...]
"""One word: spans without white space between them."""


@dataclass(frozen=True, slots=True)
class Run:
    """Spans drawn from `x`, with `space` points added at each blank."""

    x: float
    spans: tuple[Span, ...]
    space: float = 0.0


@dataclass(frozen=True, slots=True)
class Strip:
    """A slice of the page as high as `height`, its base line `drop` below its top; `keep` binds it to the next one.

    `lead` is the part of the height that is dropped at the top of a column; `rules` are
    (x0, x1, distance below the top).
    """

    height: float
    drop: float
    runs: tuple[Run, ...] = ()
    rules: tuple[tuple[float, float, float], ...] = ()
    keep: bool = False
    lead: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """A column; y counts upwards from the foot of the page, as PDF does."""

    page: int
    x: float
    top: float
    bottom: float


@lru_cache(maxsize=100_000)
def text_width(text: str, font: str, size: float) -> float:
    return float(stringWidth(text, font, size))


def token_width(token: Token) -> float:
    return sum(text_width(span.text, span.font, span.size) for span in token)


def tokens(spans: Iterable[Span]) -> list[Token]:
    """Cuts spans at blanks; a span that begins without one is glued to the word before it."""
    out: list[list[Span]] = [[]]
    for span in spans:
        for index, word in enumerate(re.split(r"\s+", span.text)):
            if index:
                out.append([])
            if word:
                out[-1].append(span._replace(text=word))
    return [tuple(token) for token in out if token]


@lru_cache(maxsize=20_000)
def break_points(word: str) -> tuple[int, ...]:
    """Where a word may be hyphenated: between two consonants, a rough rule for English; after a hyphen it has."""
    if any(char.isdigit() or char in "@/:[" for char in word):
        return ()
    points = [match.end() for match in re.finditer(r"(?<=[^\W\d]{2})-(?=[^\W\d]{2})", word)]
    letters = word.strip(".,;:()").lower()
    if letters.isalpha() and len(letters) >= 7:
        lead = word.lower().index(letters)
        points += [lead + i for i in range(3, len(letters) - 2) if _between_consonants(letters, i)]
    return tuple(sorted(points, reverse=True))


def _between_consonants(word: str, i: int) -> bool:
    pair = word[i - 1 : i + 1]
    around = word[i - 2] in _VOWELS and word[i + 1] in _VOWELS
    return around and not set(pair) & set(_VOWELS) and pair not in _TOGETHER


def split_token(token: Token, room: float) -> tuple[Token, Token] | None:
    """The longest hyphenated head that fits and the tail, or None."""
    if len(token) != 1:
        return None
    span = token[0]
    for point in break_points(span.text):
        head = span.text[:point].removesuffix("-") + "-"
        if text_width(head, span.font, span.size) <= room:
            return (span._replace(text=head),), (span._replace(text=span.text[point:]),)
    return None


def break_lines(words: list[Token], width: float, style: Style) -> Iterator[list[Token]]:
    """Greedy lines no wider than `width`; a single word that is wider stands alone."""
    blank = text_width(" ", style.font, style.size)
    line: list[Token] = []
    room = width - style.first_indent
    queue = words[::-1]
    while queue:
        word = queue.pop()
        needed = token_width(word) + (blank if line else 0.0)
        if needed <= room or (not line and not style.hyphenate):
            line.append(word)
            room -= needed
            continue
        halves = split_token(word, room - blank) if style.hyphenate else None
        queue.extend(reversed(halves)) if halves else queue.append(word)
        if halves:
            line.append(queue.pop())
        if not line:
            line.append(queue.pop())
        yield line
        line, room = [], width
    if line:
        yield line


def paragraph(spans: Iterable[Span], width: float, style: Style, *, keep: bool = False) -> list[Strip]:
    """The lines of a paragraph; `keep` binds the whole of it to what follows.

    Its first two and last two lines stay together, and so do two lines with figures at their seam: an
    estimate is never parted by a column or page.
    """
    inner = width - 2 * style.indent
    lines = list(break_lines(tokens(spans), inner, style))
    strips = []
    for index, line in enumerate(lines):
        first, last = index == 0, index == len(lines) - 1
        bound = keep if last else keep or first or index == len(lines) - 2 or _figures_at(line, lines[index + 1])
        before = style.before if first else 0.0
        run = _place(line, inner, style, first=first, last=last)
        strips.append(Strip(before + style.leading, before + style.leading * 0.8, (run,), keep=bound, lead=before))
    return strips


def _figures_at(line: list[Token], following: list[Token]) -> bool:
    words = (*line[-2:], *following[:2])
    return any(char.isdigit() for word in words for span in word for char in span.text)


def _place(line: list[Token], width: float, style: Style, *, first: bool, last: bool) -> Run:
    indent = style.first_indent if first else 0.0
    blank = Span(" ", style.font, style.size)
    spans = tuple(span for i, word in enumerate(line) for span in ((blank, *word) if i else word))
    slack = width - indent - token_width(spans)
    x, space = style.indent + indent, 0.0
    if style.align == "center":
        x += slack / 2
    elif style.align == "justify" and not last and len(line) > 1:
        space = slack / (len(line) - 1)
    return Run(x, _join(spans), space)


def _join(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans with neighbours of one look made one."""
    groups = ((look, "".join(span.text for span in same)) for look, same in groupby(spans, key=lambda span: span[1:]))
    return tuple(Span(text, *look) for look, text in groups)


def flow(strips: list[Strip], frames: Iterator[Frame]) -> Iterator[tuple[Frame, float, Strip]]:
    """Each strip with its frame and the y of its top. Strips bound to each other move on together."""
    frame = next(frames)
    y = frame.top
    for group in _groups(strips):
        height = sum(strip.height for strip in group)
        if y - height < frame.bottom:
            frame = next(frames)
            y = frame.top
        for strip in group:
            y += strip.lead if y == frame.top else 0.0
            yield frame, y, strip
            y -= strip.height


def _groups(strips: list[Strip]) -> Iterator[list[Strip]]:
    group: list[Strip] = []
    for strip in strips:
        group.append(strip)
        if not strip.keep:
            yield group
            group = []
    if group:
        yield group
