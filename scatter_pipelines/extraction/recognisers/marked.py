"""What the file's own markup says of a kind: the first thing every recogniser asks, and often the last."""

from collections.abc import Callable, Iterator

from scatter_pipelines.extraction.layout import Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading
from scatter_pipelines.model.document import Region, RegionKind
from scatter_pipelines.model.evidence import JsonValue

SURE = 0.99
"""Markup may be wrong, but not often."""

_TOLD = 0.9
"""A region without full markup comes from a service's or a parser's look at the layout."""


def regions(reading: Reading, *kinds: RegionKind) -> Iterator[tuple[Region, Span]]:
    for region in reading.layout.document.regions:
        if region.kind in kinds and region.start < region.end:
            yield region, Span(region.page, region.start, region.end)


def by_markup(reading: Reading, kind: RegionKind, read: Callable[[str], JsonValue]) -> Iterator[Found]:
    """One value for each region of the kind that the recogniser can read."""
    confidence = SURE if reading.layout.document.marked_up else _TOLD
    for _, span in regions(reading, kind):
        value = read(reading.layout.text(span))
        if value is not None:
            yield Found(value, span, confidence)


def is_settled(reading: Reading, kind: RegionKind) -> bool:
    """Whether looking at the page can add nothing: there is a region, or the markup would have had one."""
    document = reading.layout.document
    return any(region.kind == kind for region in document.regions) or document.settles(kind)
