"""What pdfium says a page's characters are, made fit to store: no geometry, no pdfium here.

pdfium marks a hyphen that it takes for the end of a broken line with U+0002 and leaves out the line break. It becomes
a real hyphen and a line break: the page's text stays what a reader sees, and whoever searches joins "-\\n".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_HYPHEN = "\x02"
_NOTHING = "\x00"
_LINE_FEED = 0x0A
_SOFT_HYPHEN_AT_LINE_END = re.compile(r"\xad(?=\s*(?:\n|$))")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_TOKEN = re.compile(rf"[^\s{_HYPHEN}]+{_HYPHEN}?|{_HYPHEN}|\n")
_UNREADABLE = re.compile(
    "[\x00\x01\x03-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff\ue000-\uf8ff\U000f0000-\U0010ffff]"
)

_DOUBTFUL = re.compile(r"[^\x20-\x7e\u3000-\u9fff\ue000-\uf8ff\ufffd]")

_CONTROL = (*range(0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF)
_INVISIBLE = (0x200B, 0x2060, 0xFEFF, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_KEPT = {ord("\t"): " ", ord("\r"): " ", 0x0B: " ", 0x0C: "\n", 0x85: "\n", _LINE_FEED: "\n", ord(_HYPHEN): _HYPHEN}
_ONE_TO_ONE = {
    **dict.fromkeys((*_CONTROL, *_INVISIBLE), _NOTHING),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **_KEPT,
}
_EXPANDED = {
    ord(_NOTHING): "", 0xAD: "", ord(_HYPHEN): "-",
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word's text and the range of pdfium's characters it was made of."""

    text: str
    first: int
    last: int


def tokens_by_line(codes: Sequence[int]) -> list[list[Token]]:
    """Words of the lines that have any, in content order; each is free of white space and control characters."""
    lines: list[list[Token]] = [[]]
    for found in _TOKEN.finditer(_same_length(codes)):
        text = found.group().translate(_EXPANDED) if found.group() != "\n" else ""
        if text:
            lines[-1].append(Token(text, *found.span()))
        if found.group()[-1] in (_HYPHEN, "\n"):
            lines.append([])
    return [line for line in lines if line]


def count_unreadable(codes: Sequence[int]) -> tuple[int, int]:
    """(all but white space, those of them that say nothing: control, private use, replacement, not a character)."""
    joined = "".join("".join(map(chr, codes)).split())
    return len(joined), len(_UNREADABLE.findall(joined))


def count_doubtful(unmapped: str) -> int:
    """Of a word whose font does not say what its glyphs mean, the characters that are hardly meant.

    pdfium then takes the glyph's number for the character. Where that gives ASCII or Chinese and Japanese it is right
    (the font's numbers were character codes); other results have the look of glyph numbers.
    """
    return len(_DOUBTFUL.findall(unmapped))


def _same_length(codes: Sequence[int]) -> str:
    """One character for each code, so that offsets stay those of pdfium; surrogate pairs become character + nothing."""
    joined = _PAIR.sub(_combined, "".join(map(chr, codes)))
    return _SOFT_HYPHEN_AT_LINE_END.sub(_HYPHEN, joined.translate(_ONE_TO_ONE))


def _combined(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le") + _NOTHING
