"""Effect estimates with their confidence interval, as "OR 1.45 (95% CI 1.10-1.92)"."""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.convert import parse_number
from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import DASHES

_NAMES = {
    "odds ratio": "OR",
    "risk ratio": "RR",
    "relative risk": "RR",
    "rate ratio": "RR",
    "hazard ratio": "HR",
    "hazards ratio": "HR",
    "mean difference": "MD",
    "standardized mean difference": "SMD",
    "standardised mean difference": "SMD",
    "weighted mean difference": "WMD",
    "incidence rate ratio": "IRR",
    "prevalence ratio": "PR",
    "risk difference": "RD",
}
_SHORT = (
    "OR",
    "RR",
    "HR",
    "SMD",
    "WMD",
    "MD",
    "IRR",
    "PR",
    "RD",
    "SHR",
    "ES",
    "aOR",
    "aRR",
    "aHR",
    "AOR",
    "ARR",
    "AHR",
)
_NUMBER = rf"[{DASHES}+]?\s?(?:\d{{1,6}}(?:[.·,∙]\d{{1,6}})?|[.·]\d{{1,6}})"
_MEASURE = "|".join([*(rf"(?i:{name})".replace(" ", r"\s") for name in sorted(_NAMES, key=len, reverse=True)), *_SHORT])
_ESTIMATE = re.compile(
    rf"(?<!\w)(?P<measure>{_MEASURE})(?:s)?(?:\s?[\(\[](?:{'|'.join(_SHORT)})[\)\]])?(?!\w)"
    rf"\s{{0,2}}(?:[=:,\(\[]|of|was|is)?\s{{0,2}}[=]?\s{{0,2}}(?P<estimate>{_NUMBER})\s?%?\s{{0,2}}"
    r"[,;:\(\[]{0,2}\s{0,2}(?:with\s|and\s)?(?:a\s)?(?P<level>\d{2}(?:\.\d)?)\s?%\s{0,2}"
    r"(?:CIs?|C\.I\.|(?i:confidence\sintervals?)|CrI)(?:\s?[\(\[]CI[\)\]])?\s{0,2}[=:,;\(\[]{0,2}\s{0,2}(?:of\s|was\s|from\s)?"
    rf"(?P<low>{_NUMBER})\s{{0,2}}(?:to|and|[{DASHES},;~])\s{{0,2}}(?P<high>{_NUMBER})"
)


def read(quote: str) -> str | None:
    found = _ESTIMATE.search(quote)
    return _value(found) if found else None


def _value(found: re.Match[str]) -> str | None:
    parts = [_digits(found[name]) for name in ("estimate", "low", "high")]
    estimate, low, high = (parse_number(part) for part in parts)
    if estimate is None or low is None or high is None or low > high:
        return None
    measure = " ".join(found["measure"].split())
    return f"{_NAMES.get(measure.lower(), measure)} {parts[0]} ({found['level']}% CI {parts[1]}-{parts[2]})"


def _digits(raw: str) -> str:
    """The number as written, with a dot for the decimal sign and a hyphen for the minus."""
    compact = re.sub(f"^[{DASHES}]", "-", "".join(raw.split()))
    dotted = re.sub(r"[·∙,]", ".", compact)
    return re.sub(r"^(-?)\.", r"\g<1>0.", dotted)


def find(reading: Reading) -> Iterator[Found]:
    for page in reading.layout.document.pages:
        for match in _ESTIMATE.finditer(page.text):
            value = _value(match)
            if value is not None:
                yield Found(value, Span(page.number, match.start(), match.end()))


RECOGNISER = Recogniser("effect_estimate", ("string", "text"), find, read)
