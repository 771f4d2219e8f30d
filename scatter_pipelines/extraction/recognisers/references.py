"""The items of the list of references, each as printed, without its number.

The span of one that goes over a page is its first part, and it is not verified then. Confidence: 0.99 markup; 0.95 cut
by numbers, 0.8 by hanging indents, 0.6 by wording.
"""

import re
from collections.abc import Iterator, Mapping

from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.recognisers.reference_list import Way, reference_list
from scatter_pipelines.extraction.text import clean_text

CONFIDENCE: Mapping[Way, float] = {"markup": 0.99, "numbers": 0.95, "indents": 0.8, "wording": 0.6}
_NUMBER = re.compile(r"^[\[(]?\d{1,4}[\]).:]*\s*(?=[^\d\s])")
_LEAST = 10


def read(quote: str) -> str | None:
    return _NUMBER.sub("", clean_text(quote)) or None


def find(reading: Reading) -> Iterator[Found]:
    listed = reading.once(reference_list)
    for item in listed.items:
        value = read("\n".join(reading.layout.text(span) for span in item.spans))
        if value and len(value) >= _LEAST:
            yield Found(value, item.spans[0], CONFIDENCE[listed.way])


RECOGNISER = Recogniser("references", ("text", "string"), find, read)
