"""From a page's raw text to a value's text, and the comparison of the two. Nothing here knows of fields or pages."""

import re
import unicodedata

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\s*\n\s*(?=[a-zß-ÿ])")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff\x00-\x08\x0e-\x1f\x7f]")
_INSIGNIFICANT = re.compile(r"[\s\-\u2010-\u2015\u2212\u00ad]+")

_ACCENTS = dict(zip("´`¨˘¸ˇ˛˙", "\u0301\u0300\u0308\u0306\u0327\u030c\u0328\u0307", strict=True))
_LOOSE = re.compile(r"(?P<before>[A-Za-z]?)(?P<space> ?)(?P<accent>[´`¨˘¸ˇ˛˙])(?P<after>[A-Za-zı]?)")
_EITHER_SIDE = "´`¨"
_VOWELS = frozenset("aeiouyAEIOUYı")

DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212"
"""Every hyphen, dash and minus that papers use for one another."""


def clean_text(raw: str) -> str:
    """One line: words broken at a line's end joined, ligatures spelled out, spaces single, no control characters."""
    joined = _BROKEN_WORD.sub("", raw)
    return " ".join(_INVISIBLE.sub("", joined).translate(_LIGATURES).split())


def normalise(text: str) -> str:
    """For comparing only: case, white space, hyphens and compatibility forms do not count."""
    cleaned = unicodedata.normalize("NFKC", clean_text(text))
    return _INSIGNIFICANT.sub("", cleaned).casefold()


def same_text(left: str, right: str) -> bool:
    """Whether both say the same; two texts that say nothing do not."""
    folded = normalise(left)
    return bool(folded) and folded == normalise(right)


def with_accents(text: str) -> str:
    """Accents that the file draws beside their letter put on it: "Ren´e" and "Rene´" are both "René"."""
    return _LOOSE.sub(_joined, text) if any(accent in text for accent in _ACCENTS) else text


def _joined(found: "re.Match[str]") -> str:
    before, space, accent, after = found["before"], found["space"], found["accent"], found["after"]
    mark = _ACCENTS[accent]
    first, second = (unicodedata.normalize("NFC", letter + mark) for letter in (before, after.replace("ı", "i")))
    belongs_before = accent in _EITHER_SIDE and before in _VOWELS and not space
    if after and len(second) == 1 and not belongs_before:
        return before + second
    return first + space + after if before and len(first) == 1 else found[0]
