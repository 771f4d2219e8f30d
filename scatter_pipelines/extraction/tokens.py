"""A text as a sequence of tokens: numbers, runs of letters, single signs. Two texts with the same tokens say the same.

White space between tokens does not count, nor do hyphens inside words (with white space behind, at a line's end or
where one was), ligatures and other compatibility forms, and the
many forms of dashes and quotation marks. Digits never join over white space, and 10² is not 102.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from scatter_pipelines.extraction.text import DASHES

_HYPHENS = "-\u2010\u2011\u00ad"
_LETTER = r"[^\W\d_]"
_ODD = re.compile(
    rf"(?P<joined>(?<={_LETTER})[{_HYPHENS}]\s*(?={_LETTER}))"
    r"|(?P<unseen>[\u00ad\u200b-\u200f\u2060\ufeff\x00-\x08\x0e-\x1f\x7f])"
    r"|(?P<other>[^\x00-\x7f])"
)
_TOKEN = re.compile(rf"\d+(?:[.,']\d+)*|(?:{_LETTER}|[\u0300-\u036f])+|\S")
_PLAIN = {
    **dict.fromkeys("‘’‚‛′´ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("·∙•⋅", "·"),
    **dict.fromkeys(DASHES, "-"),
}
_KEPT = ("<super>", "<sub>", "<fraction>", "<circle>", "<square>")
_MIDDLE_DOT = re.compile(r"(?<=\d)·(?=\d)")


@lru_cache(maxsize=4_096)
def _plain(letter: str) -> str:
    """A letter's plain form. One that is raised, lowered, circled or a fraction stays what it is."""
    if letter in _PLAIN:
        return _PLAIN[letter]
    kind = unicodedata.decomposition(letter)
    if kind.startswith(_KEPT):
        return letter
    return unicodedata.normalize("NFKD" if kind.startswith("<") else "NFD", letter)


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is what is compared; it stands at `[start, end)` of the text it was taken from."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        return self.text[0].isdecimal()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha()


class Tokens:
    """The tokens of a text, in which a sequence of tokens can be looked for."""

    def __init__(self, text: str) -> None:
        self.tokens = tuple(tokens_of(text))
        self._starts = array("l")
        position = 0
        for token in self.tokens:
            self._starts.append(position)
            position += len(token.text) + 1
        self.joined = "".join(f"\0{token.text}" for token in self.tokens) + "\0"

    def find(self, wanted: "Tokens") -> Iterator[tuple[int, int]]:
        """For each place: index of the first token, and of the one behind the last."""
        if not wanted.tokens:
            return
        position = self.joined.find(wanted.joined)
        while position >= 0:
            first = bisect_left(self._starts, position)
            yield first, first + len(wanted.tokens)
            position = self.joined.find(wanted.joined, position + 1)


def tokens_of(text: str) -> Iterator[Token]:
    plain, offsets = _plained(text)
    for match in _TOKEN.finditer(_MIDDLE_DOT.sub(".", plain)):
        yield Token(match[0], offsets[match.start()], offsets[match.end() - 1] + 1)


def _plained(text: str) -> tuple[str, "array[int]"]:
    """The text in plain form, and for each of its characters the index of the one it comes from."""
    parts: list[str] = []
    offsets = array("l")
    position = 0
    for match in _ODD.finditer(text):
        parts.append(text[position : match.start()])
        offsets.extend(range(position, match.start()))
        if match.lastgroup == "other":
            plain = _plain(match[0])
            parts.append(plain)
            offsets.extend([match.start()] * len(plain))
        position = match.end()
    parts.append(text[position:])
    offsets.extend(range(position, len(text)))
    return "".join(parts), offsets
