"""p-values, as "p<0.05": the sign as written (≤ and ≥ kept), the number with a dot and a leading zero.

Not taken: the level that a study calls significant ("p < 0.05 was considered significant"), for it is no result.

How sure: 0.95 with a sign; 0.85 where words stand between ("P for trend = 0.01") or stand for the sign ("p value of
less than 0.001"); 0.8 in a table's column headed "P"; 0.2, and left out, for a level of significance.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.convert import parse_number
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.tables import columns_under
from scatter_pipelines.extraction.text import DASHES

LEAST = 0.5
"""What is less sure is left out."""

_POWER = rf"\s?10\s?\^?\s?[{DASHES}]\s?\d{{1,3}}"
_NUMBER = (
    rf"(?P<number>10\s?\^?\s?[{DASHES}]\s?\d{{1,2}}(?![\d.])"
    rf"|(?:[01]\s?[.·,∙]\s?\d{{1,10}}|[.·]\d{{1,10}}|[01](?![\d.·,]\d)|[1-9](?:[.·]\d{{1,4}})?(?=\s?[x×*·]|[eE]))"
    rf"(?:\s?[x×*·]{_POWER}|[eE][{DASHES}]\d{{1,3}})?)(?!\d)"
)
_SIGN = r"(?P<sign>[=<>≤≥⩽⩾＜＞]|<\s?=|>\s?=)"
_FOR = (
    r"(?:\s?[(\[]?(?:for|of|in)?[\s\-_]{0,2}(?i:trend|interaction|heterogeneity|linear(?:ity)?|difference|non-?inferiority|"
    r"overall|adjusted|adj|log-?rank|two-?\s?sided|2-sided)[)\]]?)?"
)
_P = re.compile(
    rf"(?<![\w])(?:[pP]|𝑝|𝑃|ｐ)(?P<words>(?:[\s\-–]?[vV]alues?)?{_FOR})\s{{0,2}}[,:]?\s{{0,2}}(?:of\s|was\s|is\s|were\s)?\s{{0,2}}"
    rf"(?:{_SIGN}|(?P<less>less\sthan|below)|(?P<greater>greater\sthan|above)|(?P<equal>(?<=of\s)|(?<=was\s)))\s{{0,2}}{_NUMBER}"
)
_SIGNS = {"⩽": "≤", "⩾": "≥", "<=": "≤", ">=": "≥", "＜": "<", "＞": ">"}
_COLUMN = re.compile(r"^[pP](?:[\s\-]?[vV]alues?)?[a-z*†‡]?$")
_CELL = re.compile(rf"(?P<sign>[=<>≤≥]?)\s?{_NUMBER}\s?[*†‡a-d]{{0,3}}")
_SIGNIFICANCE = re.compile(r"significan|\balpha\b|α|cut-?off|threshold", re.IGNORECASE)
_SETTING = re.compile(
    r"consider|regard|accept|deem|defin|\bset\b|assum|declar|level|threshold|cut-?off|taken as|judged|determin|adopted",
    re.IGNORECASE,
)
_LEADS_IN = re.compile(
    r"\b(?:at|as|when|if|where|was|were|is|be|of|with|for|to)\s(?:an?\s|the\s)?(?:two-?\s?(?:sided|tailed)\s)?$",
    re.IGNORECASE,
)
_SET_AFTER = re.compile(
    r"[^.;()]{0,40}\b(?:consider|regard|accept|deem|defin|taken\b|set\b|assum|chosen|used as"
    r"|(?:denot|indicat|represent)\w+\s(?:a\s)?(?:statistical(?:ly)?\s)?significan)",
    re.IGNORECASE,
)


def read(quote: str) -> str | None:
    found = _P.search(quote)
    return _value(found) if found else None


def find(reading: Reading) -> Iterator[Found]:
    """In the order of the pages; then the tables."""
    for page in reading.layout.document.pages:
        for match in _P.finditer(page.text):
            value = _value(match)
            sure = _sure(page.text, match)
            if value is not None and sure >= LEAST:
                yield Found(value, Span(page.number, match.start(), match.end()), sure)
    for _, span in columns_under(reading.layout.document, _COLUMN):
        cell = _CELL.fullmatch(reading.layout.text(span))
        value = _of(cell["sign"] or "=", cell["number"]) if cell else None
        if value is not None:
            yield Found(value, span, 0.8)


def _sure(text: str, match: re.Match[str]) -> float:
    before, after = text[max(0, match.start() - 160) : match.start()], text[match.end() : match.end() + 80]
    if _is_level(re.split(r"[.;]\s", before)[-1], match["number"], after):
        return 0.2
    return 0.85 if match["sign"] is None or len(match["words"]) > 8 else 0.95


def _is_level(before: str, number: str, after: str) -> bool:
    """Whether the sentence sets a level of significance; only round numbers are levels, and no mark of a legend."""
    if not re.fullmatch(r"0?\D0*(?:1|5)0?|0?\D10", number) or before.rstrip().endswith(("*", "†", "‡", "#")):
        return False
    if _SET_AFTER.match(after):
        return True
    return all(pattern.search(before) for pattern in (_SIGNIFICANCE, _SETTING, _LEADS_IN))


def _value(found: re.Match[str]) -> str | None:
    sign = "".join((found["sign"] or "").split())
    return _of(sign or ("<" if found["less"] else ">" if found["greater"] else "="), found["number"])


def _of(sign: str, raw: str) -> str | None:
    compact = "".join(raw.split())
    power = re.fullmatch(rf"10\^?[{DASHES}](\d+)", compact)
    number = 10.0 ** -int(power[1]) if power else parse_number(compact.replace("*", "×"))
    if number is None or not 0 <= number <= 1:
        return None
    return f"p{_SIGNS.get(sign, sign)}{_written(compact, number)}"


def _written(compact: str, number: float) -> str:
    """With the digits the paper gives: 0.050 stays 0.050."""
    digits = re.sub(r"[·∙,]", ".", compact)
    if re.fullmatch(r"\d?\.\d+", digits):
        return digits if digits[0] != "." else f"0{digits}"
    return f"{number:g}"


RECOGNISER = Recogniser("p_value", ("string", "text"), find, read)
