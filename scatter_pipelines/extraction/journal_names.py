"""A journal's full name from the code in its DOIs, or from its ISO 4 abbreviation where that leaves no choice.

The two tables beside this module hold general knowledge: which code a publisher gives which journal, and what an
abbreviated word stands for in front of another word and as the last one (empty: it cannot stand there).
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

_JOINED = {"j": "Journal of", "front": "Frontiers in", "ann": "Annals of", "arch": "Archives of"}
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_MOST_WORDS = 9


def _rows(name: str) -> Iterator[list[str]]:
    text = (resources.files("scatter_pipelines.extraction") / name).read_text(encoding="utf-8")
    yield from (line.split("\t") for line in text.splitlines())


@cache
def _codes() -> Mapping[str, str]:
    return {prefix: title for prefix, title in _rows("journal_codes.tsv")}


@cache
def _lengths() -> tuple[int, ...]:
    """How long the prefixes are, the longest first."""
    return tuple(sorted({len(prefix) for prefix in _codes()}, reverse=True))


@cache
def _words() -> Mapping[str, tuple[str, str]]:
    return {short: (before, last) for short, before, last in _rows("journal_words.tsv")}


def of_doi(doi: str) -> str | None:
    """The journal whose code the DOI begins with; a code ends where the digits or a sign begin."""
    folded = doi.casefold()
    for length in _lengths():
        title = _codes().get(folded[:length])
        if title and not (folded[length - 1].isalpha() and folded[length : length + 1].isalpha()):
            return title
    return None


def spelled_out(short: str) -> str | None:
    """ "Int J Mol Sci" as "International Journal of Molecular Sciences"; None where it could mean something else."""
    tokens = re.sub(r"\.(?=\s|$)", "", short.replace(". ", " ")).split()
    if not 2 <= len(tokens) <= _MOST_WORDS or not any(_is_short(token) for token in tokens):
        return None
    at = next((i for i, token in enumerate(tokens) if token.casefold() in _JOINED), None)
    if at is None:
        return _phrase(tokens, first=True)
    if at and tokens[at].casefold() != "j":
        return None
    before, after = _modifiers(tokens[:at], first=False), _phrase(tokens[at + 1 :], first=True)
    return " ".join([*before, _JOINED[tokens[at].casefold()], after]) if before is not None and after else None


def _is_short(token: str) -> bool:
    word = token.casefold()
    return word in _JOINED or (word in _words() and word not in _words()[word])


def _phrase(tokens: list[str], *, first: bool) -> str | None:
    """Modifiers and the one noun they belong to."""
    if not tokens:
        return None
    last = _words().get(tokens[-1].casefold(), ("", ""))[1]
    before = _modifiers(tokens[:-1], first=first)
    return " ".join([*before, _capital(last)]) if last and before is not None else None


def _modifiers(tokens: list[str], *, first: bool) -> list[str] | None:
    """None where a word cannot modify another. One that is a noun elsewhere ("Surg") must stand first to be sure."""
    found = []
    for index, token in enumerate(tokens):
        before, last = _words().get(token.casefold(), ("", ""))
        if token.isupper() and len(token) > 1 and index == 0:
            before, last = token, ""
        if not before or (last and before != last and not (first and index == 0)):
            return None
        found.append(_capital(before))
    return found


def _capital(word: str) -> str:
    return word[:1].upper() + re.sub(r"-([a-z])", lambda found: "-" + found[1].upper(), word[1:])


def is_doi(text: str) -> bool:
    return bool(_DOI.fullmatch(text.strip()))
