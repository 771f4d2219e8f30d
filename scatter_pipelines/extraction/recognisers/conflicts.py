"""What the authors declare of their interests: the statement under its heading, else the sentence that declares it.

Confidence: 0.99 markup, 0.9 under its heading, 0.75 for a sentence elsewhere.
"""

import re
from collections.abc import Iterator

from scatter_pipelines.extraction.recognisers import statements
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser

_STATEMENT = statements.Statement(
    "conflicts",
    "conflicts",
    re.compile(
        r"\b(?:no|any|potential)\s(?:\w+\s){0,3}?(?:conflicts?\sof\sinterests?|competing\s(?:\w+\s)?interests?)\b"
        r"|\bdeclar\w+\s(?:\w+\s){0,4}?(?:conflicts?|competing)\b",
        re.IGNORECASE,
    ),
)

read = statements.read


def find(reading: Reading) -> Iterator[Found]:
    yield from statements.find(reading, _STATEMENT)


RECOGNISER = Recogniser("conflicts", ("text", "string"), find, read)
