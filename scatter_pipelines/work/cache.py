"""What is kept of documents and answers so that nothing is made or paid for twice: its size, and what is dropped."""

from collections.abc import Mapping
from functools import partial

from scatter_pipelines.store import caches
from scatter_pipelines.store.caches import CACHES, DROPPED_AT_ONCE, CacheName, Size
from scatter_pipelines.work.runtime import Runtime


def sizes(runtime: Runtime) -> Mapping[CacheName, Size]:
    return {name: runtime.database.run(partial(caches.size, name=name)) for name in CACHES}


def prune(runtime: Runtime, *, days: float | None = None, most_bytes: int | None = None) -> Mapping[CacheName, Size]:
    """Drops what was not used for `days`, then what does not fit; by default as the settings say. What was dropped.

    Answers are dropped last: they cost money and take little room.
    """
    settings = runtime.settings
    days = settings.cache_days if days is None else days
    room = settings.cache_bytes if most_bytes is None else most_bytes
    dropped = {name: _drop_unused(runtime, name, days) for name in CACHES}
    for name in reversed(CACHES):
        excess = runtime.database.run(partial(caches.drop_excess, name=name, most=room))
        dropped[name] = _sum(dropped[name], excess)
        room = max(0, room - runtime.database.run(partial(caches.size, name=name)).bytes)
    return dropped


def _drop_unused(runtime: Runtime, name: CacheName, days: float) -> Size:
    dropped = Size(0, 0)
    while True:
        page = runtime.database.run(partial(caches.drop_unused, name=name, days=days))
        dropped = _sum(dropped, page)
        if page.entries < DROPPED_AT_ONCE:
            return dropped


def _sum(one: Size, other: Size) -> Size:
    return Size(one.entries + other.entries, one.bytes + other.bytes)
