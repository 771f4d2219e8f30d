"""Numbers under which a study is registered, written as the registry writes them. Not those of references."""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser

_REGISTRIES: tuple[tuple[str, str], ...] = (
    (r"NCT[\s\-#:]{0,2}(\d{8})", "NCT{}"),
    (r"ISRCTN[\s\-#:]{0,2}(\d{8})", "ISRCTN{}"),
    (r"ACTRN[\s\-#:]{0,2}(\d{14})", "ACTRN{}"),
    (r"ChiCTR[\s\-]{0,2}([A-Z]{2,4}[\s\-]?\d{8,10})", "ChiCTR-{}"),
    (r"ChiCTR[\s\-]{0,2}(\d{8,10})", "ChiCTR{}"),
    (r"UMIN[\s\-#:]{0,2}(?:CTR)?[\s\-#:]{0,2}(\d{9})", "UMIN{}"),
    (r"JPRN[\s\-]{0,2}([A-Za-z]{3,9}[\s\-]?\d{5,10})", "JPRN-{}"),
    (r"jRCT(s?[\s\-]{0,2}\d{9,10})", "jRCT{}"),
    (r"(?:PROSPERO[^.;\d]{0,40}?)?\bCRD[\s\-#:]{0,2}(\d{8,11})", "CRD{}"),
    (r"DRKS[\s\-#:]{0,2}(\d{8})", "DRKS{}"),
    (r"CTRI[\s\-/]{0,2}(\d{4}/\d{2,3}/(?:\d{2,3}/)?\d{5,6})", "CTRI/{}"),
    (r"IRCT[\s\-#:]{0,2}(\d{8,20}N\d{1,3}|\d{10,20})", "IRCT{}"),
    (r"PACTR[\s\-#:]{0,2}(\d{15,16})", "PACTR{}"),
    (r"KCT[\s\-#:]{0,2}(\d{7})", "KCT{}"),
    (r"RBR[\s\-]{0,2}([0-9a-z]{6,8})", "RBR-{}"),
    (r"TCTR[\s\-#:]{0,2}(\d{11})", "TCTR{}"),
    (r"NTR[\s\-#:]{0,2}(\d{3,5})", "NTR{}"),
    (r"EudraCT[^.;\d]{0,30}(\d{4}[\-\u2010-\u2013]\d{6}[\-\u2010-\u2013]\d{2})", "{}"),
)
_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:" + "|".join(pattern for pattern, _ in _REGISTRIES) + r")(?![A-Za-z0-9])",
)


def read(quote: str) -> str | None:
    """The first number in the quote, in its registry's own form."""
    found = _ID.search(quote)
    return _value(found) if found else None


def _value(found: re.Match[str]) -> str:
    group = found.lastindex or 1
    number = re.sub(r"[\u2010-\u2013]", "-", "".join(found[group].split()))
    return _REGISTRIES[group - 1][1].format(number)


def find(reading: Reading) -> Iterator[Found]:
    for page in reading.layout.document.pages:
        for match in _ID.finditer(page.text):
            span = Span(page.number, match.start(), match.end())
            if not reading.sections.inside(span, "references"):
                yield Found(_value(match), span)


RECOGNISER = Recogniser("registration", ("string", "text"), find, read)
