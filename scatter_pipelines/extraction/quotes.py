"""Finding the words somebody quotes in the pages of a document: the same words, or none.

A quote that stands there letter by letter may still say something else than the page: one that leaves out the sign of
its number or the "not" before it, or that is a number found in many places. Such quotes are not found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.tokens import Token, Tokens
from scatter_pipelines.model.document import Document, Page

MOST_CHARACTERS = 20_000
"""A longer quote is not looked for."""
MOST_HINTED = 1_000
HINT_SCORE = 80.0
"""Of 100, by rapidfuzz's partial ratio."""

NEGATIONS = frozenset(
    (
        "not",
        "no",
        "never",
        "without",
        "neither",
        "nor",
        "cannot",
        "none",
        "non",
        "hardly",
        "barely",
        "lack",
        "lacks",
        "lacked",
        "fail",
        "fails",
        "failed",
        "unable",
        "unlikely",
        "absence",
    )
)
NEGATED_WITHIN = 3
"""Words between a negation and what it negates, at most."""
_CUTS_OFF = frozenset(".,;:!?()[]")
_SIGNS = frozenset("-+±<>≤≥~≈=")


@dataclass(frozen=True, slots=True)
class Located:
    """Where a quote stands first, and in how many places."""

    span: Span
    occurrences: int


class QuoteFinder:
    """Of one document; each page is taken apart once, when the first quote is looked for."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def _pages(self) -> tuple[tuple[Page, Tokens], ...]:
        return tuple((page, Tokens(page.text)) for page in self._document.pages if page.text.strip())

    def find(self, quote: str) -> Located | None:
        """The first place that says what the quote says; None where there is none or too many."""
        if len(quote) > MOST_CHARACTERS:
            return None
        wanted = Tokens(quote)
        if not any(token.is_word or token.is_number for token in wanted.tokens):
            return None
        places = list(self._places(wanted))
        bare = not any(token.is_word for token in wanted.tokens)
        if not places or (bare and len(places) > 1):
            return None
        return Located(places[0], len(places))

    def _places(self, wanted: Tokens) -> Iterator[Span]:
        for page, tokens in self._pages:
            for first, behind in tokens.find(wanted):
                if stands_for_itself(page.text, tokens.tokens, first, behind):
                    yield Span(page.number, tokens.tokens[first].start, tokens.tokens[behind - 1].end)

    def hint(self, quote: str) -> tuple[Span, float] | None:
        """The place most like the quote and how much, 0 to 1; proves nothing."""
        needle = " ".join(quote.split())[:MOST_HINTED]
        best: tuple[Span, float] | None = None
        for page, _ in self._pages if len(needle) > 1 else ():
            found = fuzz.partial_ratio_alignment(needle, page.text, score_cutoff=HINT_SCORE)
            if found is None or found.dest_end <= found.dest_start or (best and found.score / 100 <= best[1]):
                continue
            span = _trimmed(page, found.dest_start, found.dest_end)
            if span is not None:
                best = span, found.score / 100
        return best


def _trimmed(page: Page, start: int, end: int) -> Span | None:
    text = page.text[start:end]
    inner = text.strip()
    start += len(text) - len(text.lstrip())
    return Span(page.number, start, start + len(inner)) if inner else None


def stands_for_itself(text: str, tokens: tuple[Token, ...], first: int, behind: int) -> bool:
    """Whether nothing that belongs to the words was left out before or behind them."""
    return not (
        _lacks_its_sign(text, tokens, first) or _is_negated(text, tokens, first) or _goes_on(text, tokens, behind)
    )


def _lacks_its_sign(text: str, tokens: tuple[Token, ...], first: int) -> bool:
    """A number right behind a sign, or behind a dot or comma that begins it: "−12" is not 12, ".5" is not 5."""
    if not tokens[first].is_number or first == 0:
        return False
    sign = tokens[first - 1]
    if sign.end != tokens[first].start or sign.text not in ("-", "+", "±", ".", ","):
        return False
    before = tokens[first - 2] if first > 1 else None
    touches = before is not None and before.end == sign.start
    if sign.text in (".", ","):
        return not touches or (before is not None and before.is_number)
    return not touches or (before is not None and not (before.is_number or before.is_word or before.text in ")%"))


def _goes_on(text: str, tokens: tuple[Token, ...], behind: int) -> bool:
    """A last number that the page goes on with: "5" of "5 × 10−3", of "5 million" or of "5²"."""
    last = tokens[behind - 1]
    if not last.is_number or behind == len(tokens):
        return False
    following = tokens[behind]
    rest = text[last.end : following.start]
    if following.text in ("×", "x") and behind + 1 < len(tokens) and tokens[behind + 1].is_number:
        return tokens[behind + 1].text == "10"
    if following.text.casefold() in ("million", "billion", "thousand", "hundred"):
        return True
    return not rest and following.text[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔"


def _is_negated(text: str, tokens: tuple[Token, ...], first: int) -> bool:
    """A negation in the same clause, up to a few words before the quote."""
    for step in range(1, NEGATED_WITHIN + 1):
        if step > first:
            return False
        token = tokens[first - step]
        if token.text.casefold() in NEGATIONS or token.text == "'t" or _is_contracted(tokens, first - step):
            return True
        if token.text in _CUTS_OFF or not (token.is_word or token.is_number or token.text == "'"):
            return False
    return False


def _is_contracted(tokens: tuple[Token, ...], at: int) -> bool:
    """The "t" of "didn't"."""
    return at >= 2 and tokens[at].text == "t" and tokens[at - 1].text == "'" and tokens[at - 2].text.endswith("n")
