"""The date an article of JATS was published on."""

import re

from scatter_pipelines.parsing.markup.jats_text import text_of
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children

_NOT_PUBLISHED = (
    "epreprint",
    "preprint",
    "pmc-release",
    "nihms-submitted",
    "retracted",
    "corrected",
    "received",
    "accepted",
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = re.compile(r"\d{4}")


def publication_date(meta: Element | None) -> str:
    """As 2018-03-07, 2018-03 or 2018: the fullest date of the earliest year, print or online; no preprint's."""
    dates = [_date(one) for one in children(meta, "pub-date") if not _kinds(one) & set(_NOT_PUBLISHED)]
    known = [date for date in dates if date]
    if not known:
        return ""
    year = min(known)[:4]
    return min((date for date in known if date.startswith(year)), key=lambda date: (-len(date), date))


def _kinds(date: Element) -> set[str]:
    return {attribute(date, name).lower() for name in ("pub-type", "date-type")} - {""}


def _date(date: Element) -> str:
    year = _YEAR.search(text_of(child(date, "year")))
    if year is None:
        return ""
    month = _month(text_of(child(date, "month")))
    day = text_of(child(date, "day"))
    if not month:
        return year[0]
    return f"{year[0]}-{month:02}" + (f"-{int(day):02}" if day.isascii() and day.isdigit() and int(day) <= 31 else "")


def _month(text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text) if 1 <= int(text) <= 12 else 0
    return _MONTHS.index(text[:3].lower()) + 1 if text[:3].lower() in _MONTHS else 0
