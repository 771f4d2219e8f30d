"""Running text as a browser shows it: white space collapsed, line breaks kept, raised and lowered numbers told apart.

A number raised after a digit gets a `^` (10^-4, and 2012^3 for a mark), a lowered one a `_`, so that two numbers never
become one. After a letter nothing is added (m2, H2O), nor before the ending of an ordinal (4th).
"""

import re

_BREAK, _SPACE, _RAISED, _LOWERED = "\v", "\x11", "\x0e", "\x0f"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_WHITE = re.compile(r"[ \t\n\r]+")
_AFTER_DIGIT = re.compile(r"(?<=\d)([\x0e\x0f])(?!(?:st|nd|rd|th)\b)(?=[^\s\x0e\x0f])")
_SIGNS = {_RAISED: "^", _LOWERED: "_"}
_MARKERS = str.maketrans({_RAISED: None, _LOWERED: None, _SPACE: " "})


class Flow:
    """Collects the pieces of one block."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, text: str | None, *, keep: bool = False) -> None:
        """`keep` keeps white space as it is."""
        if not text:
            return
        clean = _CONTROL.sub(" ", text)
        if keep:
            clean = clean.replace("\r", "").replace("\n", _BREAK).replace("\t", _SPACE * 4).replace(" ", _SPACE)
        self._pieces.append(clean)

    def line_break(self) -> None:
        self._pieces.append(_BREAK)

    def raised(self) -> None:
        self._pieces.append(_RAISED)

    def lowered(self) -> None:
        self._pieces.append(_LOWERED)

    def take(self) -> str:
        """The block's text, without white space at its ends; the next block starts empty."""
        if not self._pieces:
            return ""
        text = _WHITE.sub(" ", "".join(self._pieces))
        self._pieces = []
        text = _AFTER_DIGIT.sub(lambda found: _SIGNS[found[1]], text)
        return "\n".join(line.strip(" ").translate(_MARKERS).rstrip() for line in text.split(_BREAK)).strip("\n")
