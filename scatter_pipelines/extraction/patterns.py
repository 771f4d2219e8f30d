"""A user's own regular expressions: compiled once, and stopped when they take too long on one document."""

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache

import regex

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.model.document import Document

SECONDS = 1.0
"""Processor time one pattern may take on a document, and again on each million of characters it searches."""

_MILLION = 1_000_000
_TOKEN = regex.compile(r"\\[NpP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]| |.", regex.DOTALL)
_VERBOSE = regex.compile(r"\(\?[A-Za-z0-9]*x[A-Za-z0-9-]*[:)]")
_ANY_SPACE = r"(?>\s\n|\s)"


@lru_cache(maxsize=4_096)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """The pattern with each space outside of a character class made to match a line break too."""
    if _VERBOSE.search(pattern):
        return regex.compile(pattern)
    spaced = "".join(_ANY_SPACE if token == " " else token for token in _TOKEN.findall(pattern))
    try:
        return regex.compile(spaced)
    except regex.error:
        return regex.compile(pattern)


def matches(document: Document, spans: Iterable[Span], pattern: str) -> Iterator[tuple[Span, "regex.Match[str]"]]:
    """Each match that is not empty, with its value's span. Raises `DocumentError` `pattern_timeout`."""
    searched = list(spans)
    allowed = SECONDS * (1 + sum(span.end - span.start for span in searched) / _MILLION)
    clock = _Clock(allowed)
    try:
        for span in searched:
            yield from _matches_in(document, span, pattern, clock)
    except TimeoutError as error:
        message = f"the pattern {pattern!r} took longer than {allowed:.1f} s; make it simpler or tie it to a section"
        raise DocumentError("pattern_timeout", message) from error


def is_in(quote: str, pattern: str) -> bool:
    """Whether the pattern matches in the quote taken by itself; one that takes too long does not."""
    try:
        return compiled(pattern).search(quote, timeout=SECONDS) is not None
    except TimeoutError:
        return False


class _Clock:
    """What is left of the time; the library measures processor time too, so a busy machine does not count."""

    def __init__(self, allowed: float) -> None:
        self._end = time.process_time() + allowed

    def left(self) -> float:
        left = self._end - time.process_time()
        if left <= 0:
            raise TimeoutError
        return left


def _matches_in(
    document: Document, span: Span, pattern: str, clock: _Clock
) -> Iterator[tuple[Span, "regex.Match[str]"]]:
    text = document.pages[span.page - 1].text
    for match in compiled(pattern).finditer(text, span.start, span.end, timeout=clock.left()):
        start, end = match.span(_value_group(match))
        if start < end:
            yield Span(span.page, start, end), match


def _value_group(match: "regex.Match[str]") -> int | str:
    """The group `value`, else group 1, else the whole match; the whole match also where the group took no part."""
    group: int | str = "value" if "value" in match.re.groupindex else min(match.re.groups, 1)
    return group if match.span(group)[0] >= 0 else 0
