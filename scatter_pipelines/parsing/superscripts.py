"""Where a raised mark is set right after a word, as citations and the marks of affiliations are, without a space.

"Smith" and a small "1,2" are two things, and so are "shown." and a small "12". An exponent ("m2", "Ca2+", "x2") belongs
to what it stands on. Told from the heights of the characters' boxes and from the two texts; no pdfium here.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_SMALLER = 0.82
_RAISED = 0.12
_CLOSING = ".,;:)"
_MARK = re.compile(r"(?:\d{1,3}|[a-rt-z]|[*†‡§¶#∗⁎])(?:[,;–-]?(?:\d{1,3}|[a-rt-z]|[*†‡§¶#∗⁎]))*,?")
_WORD = re.compile(r"[^\W\d_]{2}[.,;:)\]”’]{0,2}$")
_UNIT = re.compile(r"(?:^|[/·.])(?:[kdcmµμn]?m|in|ft|ha|dyn|sec|min|hr?)$")


def mark_in(text: str, lefts: Sequence[float], tops: Sequence[float], bottoms: Sequence[float]) -> int:
    """The offset in `text` where a raised mark begins that is no part of the word before it; 0 where there is none.

    `lefts`, `tops` and `bottoms` are those of each character's box, y growing upwards, in the order of `text`.
    """
    height = tops[0] - bottoms[0]
    raised = [
        0 < top - bottom < _SMALLER * height and bottom - bottoms[0] > _RAISED * height
        for top, bottom in zip(tops, bottoms, strict=True)
    ]
    if True not in raised or not all(left < right for left, right in pairwise(lefts)):
        return 0
    first = raised.index(True)
    last = len(raised) - raised[::-1].index(True)
    alone = all(raised[first:last]) and not text[last:].strip(_CLOSING) and stands_alone(text[:first], text[first:last])
    return first if alone else 0


def stands_alone(word: str, mark: str) -> bool:
    """Whether the raised `mark` right after `word` is a mark and not a part of it."""
    return bool(_MARK.fullmatch(mark) and _WORD.search(word)) and not _UNIT.search(word)
