"""Who paid: the statement under its heading, else the sentence that names a grant or says there was none.

Confidence: 0.99 markup, 0.9 under its heading, 0.75 for a sentence elsewhere.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.recognisers import statements
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser

_STATEMENT = statements.Statement(
    "funding",
    "funding",
    re.compile(
        r"\b(?:was|were|is|are|been|(?:study|work|research|project)\s(?:is|was))\s(?:\w+\s){0,2}?(?:supported|funded|financed|sponsored)"
        r"\s(?:\w+\s){0,3}?by\b|\bno\s(?:specific\s|external\s)?(?:funding|financial\ssupport|grants?)\b"
        r"|\breceived\s(?:\w+\s){0,3}(?:funding|grants?)\sfrom\b",
        re.IGNORECASE,
    ),
)

read = statements.read


def find(reading: Reading) -> Iterator[Found]:
    yield from statements.find(reading, _STATEMENT)


RECOGNISER = Recogniser("funding", ("text", "string"), find, read)
