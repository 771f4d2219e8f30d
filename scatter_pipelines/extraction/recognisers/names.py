"""What a person's name looks like, and where in a line of authors the names are."""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.recognisers.front import is_affiliation
from scatter_pipelines.extraction.text import clean_text, with_accents
from scatter_pipelines.model.document import Page

_UPPER = r"A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽ"
_PARTICLE = (
    r"(?:de|da|do|dos|das|di|del|della|dello|degli|der|den|van|von|vom|ten|ter|te|la|le|los|el|al|ul|ur|bin|binti|ibn"
    r"|e|y|i|du|zu|zur|af|av|st\.?)"
)
_GIVEN = rf"(?:(?:al-|el-|ul-|d['’]|n['’])?[{_UPPER}][\w'’´`‐‑–.\-]*)"
_NAME = re.compile(rf"^{_GIVEN}(?:\s+(?:{_GIVEN}|{_PARTICLE}|[dDO]['’]\s?{_GIVEN}))*\s+(?:[dD]['’])?{_GIVEN}$")
_SEPARATOR = re.compile(
    r"[,;•·|&*†‡§¶#∗⁎‖\d\[\]()✉�?¹²³⁰-⁹]+|\band\b|(?<![\w.´`¨˘¸ˇ˛˙])[a-df-xz](?=[\s,*]|$)|\s-\s|\s[.]\s|\s\.$"
)
_DEGREE = re.compile(
    r"(?:,?\s*\b(?:Ph\.?\s?D|M\.?D|M\.?Sc|B\.?Sc|M\.?S|MPH|DDS|DMD|MBBS|MBChB|MRCP|FRCP|FRCS|FRCPC|FACS|FACP|FACC|RN|MA"
    r"|MMed|Dr|Prof|BDS|MDS|PharmD|DVM|MBA|Jr|Sr|MM|BS|BA|DO|DPhil|DrPH|MHS|MHSc|ScD|DSc|EdD|PsyD|DNP|PT|OT|BPharm|MPharm)\b\.?)+$"
)
_HONORIFIC = re.compile(r"^(?:(?:Dr|Prof|Professor|Mr|Mrs|Ms|Associate|Assistant)\.?\s+)+(?=\S)")
_INITIALS = re.compile(r"(?<=[A-Z]\.)(?=[A-Z][a-z])")
_ICON = re.compile(r"(?<=[a-z])(?:ID|iD)$")
_GLUED = re.compile(r"(?<=[a-z]{3})(?<!\bMac)(?<!\bFitz)(?=[A-Z][a-z]{2})")
_LEFT_OVER = re.compile(
    r"\b(?:group|consortium|investigators|collaborators|committee|network|center|centre|avenue|street|road|online|access"
    r"|article|supporting|metrics|keywords?|abstract|background|objectives?|introduction|editors?|usa|china|india|iran"
    r"|japan|korea|germany|italy|france|spain|brazil|canada|australia|turkey|pakistan|egypt|united|kingdom)\b",
    re.IGNORECASE,
)
_MAX_WORDS = 6
_MAX_PARTICLES = 4


def name_in(quote: str) -> str | None:
    """The name without titles and degrees, accents on their letters, words that run together parted."""
    text = _INITIALS.sub(" ", with_accents(clean_text(quote)).strip(" ,.;:*-•"))
    name = _DEGREE.sub("", _HONORIFIC.sub("", _ICON.sub("", text))).strip(" ,;:*-•")
    return _GLUED.sub(" ", name) or None


def pieces(page: Page, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts between separators that look like a person's name."""
    text = page.text[start:end]
    if not re.search(r"[,;&•·]|\band\b", text):
        text = text.replace("\n", "|")
    position = 0
    for match in _SEPARATOR.finditer(text + ","):
        piece = text[position : match.start()]
        stripped = piece.strip(" \n.:-")
        if is_name(stripped):
            first = start + position + piece.index(stripped)
            yield first, first + len(stripped)
        position = match.end()


def is_name(piece: str) -> bool:
    name = name_in(piece) or ""
    words = name.split()
    if not 2 <= len(words) <= _MAX_WORDS + _MAX_PARTICLES or is_affiliation(name) or _LEFT_OVER.search(name):
        return False
    capitals = sum(word[:1].isupper() for word in words)
    return capitals <= _MAX_WORDS and bool(_NAME.match(name))


def share_of_names(page: Page, start: int, end: int) -> float:
    """How much of the letters in a stretch of the page belongs to names."""
    letters = sum(character.isalpha() for character in page.text[start:end])
    named = sum(character.isalpha() for a, b in pieces(page, start, end) for character in page.text[a:b])
    return named / letters if letters else 0.0
