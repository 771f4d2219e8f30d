"""The DOIs printed in the list of references, in its order; not the article's own, which may stand behind it.

Confidence: 0.99 markup; 0.95 for one that stands whole in a line, 0.8 where it goes over a line's end.
"""

from collections.abc import Iterator

from scatter_pipelines.extraction.recognisers import doi
from scatter_pipelines.extraction.recognisers.marked import regions
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser

_MARKED, _WHOLE, _BROKEN = 0.99, 0.95, 0.8


def read(quote: str) -> str | None:
    found = doi.IN_LIST.search(quote)
    return doi.without_tail("".join(found[0].split())) if found else None


def find(reading: Reading) -> Iterator[Found]:
    marked = any(True for _ in regions(reading, "reference"))
    own = reading.once(doi.own)
    for page in reading.layout.document.pages:
        for item in doi.on_page(page, doi.IN_LIST):
            listed = reading.sections.inside(item.span, "references") and not doi.cites_itself(reading, item)
            if listed and not (own and str(own.value).casefold() == str(item.value).casefold()):
                broken = "\n" in reading.layout.text(item.span)
                yield Found(item.value, item.span, _MARKED if marked else _BROKEN if broken else _WHOLE)


RECOGNISER = Recogniser("reference_dois", ("string", "text"), find, read)
