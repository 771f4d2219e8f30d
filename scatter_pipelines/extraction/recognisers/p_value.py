"""p-values, as "p<0.05": the sign as written (≤ and ≥ kept), the number with a dot and a leading zero."""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.convert import parse_number
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import DASHES

_P = re.compile(
    r"(?<![\w])[pP](?:[\s\-]?[vV]alues?)?\s{0,2}(?:of\s|was\s|is\s)?\s{0,2}"
    r"(?P<sign>[=<>≤≥⩽⩾]|<\s?=|>\s?=)\s{0,2}"
    rf"(?P<number>(?:[01][.·,∙]\d{{1,10}}|[.·]\d{{1,10}}|[01](?![\d.·,])|[1-9](?:[.·]\d{{1,4}})?(?=\s?[x×*]|[eE]))"
    rf"(?:\s?[x×]\s?10\s?\^?\s?[{DASHES}]\s?\d{{1,3}}|[eE][{DASHES}]\d{{1,3}})?)",
)
_SIGNS = {"⩽": "≤", "⩾": "≥", "<=": "≤", ">=": "≥"}


def read(quote: str) -> str | None:
    found = _P.search(quote)
    return _value(found) if found else None


def _value(found: re.Match[str]) -> str | None:
    sign = "".join(found["sign"].split())
    number = parse_number(found["number"])
    if number is None or not 0 <= number <= 1:
        return None
    return f"p{_SIGNS.get(sign, sign)}{_written(found['number'], number)}"


def _written(raw: str, number: float) -> str:
    """With the digits the paper gives: 0.050 stays 0.050."""
    digits = re.sub(r"[·∙,]", ".", raw)
    if re.fullmatch(r"\d?\.\d+", digits):
        return digits if digits[0] != "." else f"0{digits}"
    return f"{number:g}"


def find(reading: Reading) -> Iterator[Found]:
    for page in reading.layout.document.pages:
        for match in _P.finditer(page.text):
            value = _value(match)
            if value is not None:
                yield Found(value, Span(page.number, match.start(), match.end()))


RECOGNISER = Recogniser("p_value", ("string", "text"), find, read)
