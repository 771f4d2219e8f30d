"""A page's text made simple for looking things up, with the way back to where each character stood."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d\u00ad\u2043"
_NARROW = "\u2002\u2003\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"
_SMALL = {ord(capital): capital.lower() for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_FOLD = str.maketrans({**_SMALL, **dict.fromkeys(map(ord, _DASHES), "-"), **dict.fromkeys(map(ord, _NARROW), "\u00a0")})
_INVISIBLE = re.compile(r"[\u200b-\u200d\u2060\ufeff]|\u00ad(?![ \t]*\n)")


@dataclass(frozen=True, slots=True)
class Folded:
    """Small letters, every dash a hyphen, every narrow or no-break space U+00A0, nothing invisible."""

    text: str
    _kept: tuple[int, ...] = field(default=())
    _shifts: tuple[int, ...] = field(default=())

    def origin(self, position: int) -> int:
        """Where the character stood in the text that was folded."""
        index = bisect_right(self._kept, position) - 1
        return position + self._shifts[index] if index >= 0 else position


def folded(text: str) -> Folded:
    if not _INVISIBLE.search(text):
        return Folded(text.translate(_FOLD))
    pieces: list[str] = []
    kept: list[int] = []
    shifts: list[int] = []
    start = length = 0
    for gap in _INVISIBLE.finditer(text):
        pieces.append(text[start : gap.start()])
        length += gap.start() - start
        start = gap.end()
        kept.append(length)
        shifts.append(start - length)
    return Folded("".join([*pieces, text[start:]]).translate(_FOLD), tuple(kept), tuple(shifts))
