"""Texts compared by their letters and digits alone: hyphens at line ends, ligatures and blanks do not count."""

import unicodedata
from collections import Counter
from dataclasses import dataclass

GRAM = 3


@dataclass(frozen=True, slots=True)
class Letters:
    """`places[i]` is where `text[i]` stands in `source`."""

    text: str
    places: tuple[int, ...]
    source: str


def letters_of(text: str) -> Letters:
    kept = [
        (letter, place)
        for place, character in enumerate(text)
        for letter in unicodedata.normalize("NFKC", character).casefold()
        if letter.isalnum()
    ]
    return Letters("".join(letter for letter, _ in kept), tuple(place for _, place in kept), text)


def find(wanted: str, within: Letters, *, whole: bool) -> tuple[int, int] | None:
    """Start and end in the text that `within` was made of, with the marks that `wanted` begins and ends with.

    `whole`: not as a part of a longer word or number.
    """
    letters = letters_of(wanted)
    sought = letters.text
    at = within.text.find(sought) if sought else -1
    while at >= 0:
        if not whole or _stands_alone(within, at, at + len(sought)):
            return _with_marks(letters, within.source, within.places[at], within.places[at + len(sought) - 1] + 1)
        at = within.text.find(sought, at + 1)
    return None


def _with_marks(wanted: Letters, source: str, start: int, end: int) -> tuple[int, int]:
    before = wanted.source[: wanted.places[0]].lstrip()
    after = wanted.source[wanted.places[-1] + 1 :].rstrip()
    start -= len(before) if source.endswith(before, 0, start) else 0
    return start, end + (len(after) if source.startswith(after, end) else 0)


def _stands_alone(within: Letters, start: int, end: int) -> bool:
    return not (_joined(within, start - 1) or _joined(within, end - 1))


def _joined(within: Letters, left: int) -> bool:
    """Whether the letter at `left` and the next one are of one word or of one number."""
    if left < 0 or left + 1 >= len(within.text):
        return False
    a, b = within.text[left], within.text[left + 1]
    return within.places[left + 1] - within.places[left] <= 1 and a.isdigit() == b.isdigit()


def likeness(one: str, other: str) -> float:
    """0 to 1: the share of three letters in a row that both have, of the one that has more."""
    first, second = _grams(letters_of(one).text), _grams(letters_of(other).text)
    most = max(first.total(), second.total())
    return (first & second).total() / most if most else 0.0


def _grams(text: str) -> Counter[str]:
    return Counter(text[i : i + GRAM] for i in range(max(1, len(text) - GRAM + 1)) if text)
