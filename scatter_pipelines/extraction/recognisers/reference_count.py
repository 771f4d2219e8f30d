"""How many references the list has. The quote is the last one: where they are numbered it says the count itself.

Confidence: 0.99 markup; 0.95 by numbers without a gap, 0.85 with one, 0.7 by hanging indents, 0.5 by wording.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.reference_list import ReferenceList, reference_list

_NUMBER = re.compile(r"^[\[(]?(\d{1,4})\b")
_LEAST_BY_WORDING = 3


def read(quote: str) -> int | None:
    """The number at the quote's start."""
    found = _NUMBER.match(quote.strip())
    return int(found[1]) if found else None


def find(reading: Reading) -> Iterator[Found]:
    listed = reading.once(reference_list)
    if not listed.items or (listed.way == "wording" and len(listed.items) < _LEAST_BY_WORDING):
        return
    last = listed.items[-1]
    yield Found(last.number or len(listed.items), last.spans[0], _confidence(listed))


def _confidence(listed: ReferenceList) -> float:
    if listed.way == "numbers":
        return 0.95 if listed.items[-1].number == len(listed.items) else 0.85
    return {"markup": 0.99, "indents": 0.7}.get(listed.way, 0.5)


RECOGNISER = Recogniser("reference_count", ("integer", "number"), find, read)
