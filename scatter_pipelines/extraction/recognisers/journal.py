"""The journal's name, from what stands in front of year, volume or pages in headings and footers of the first pages."""

import re
from collections import Counter
from collections.abc import Iterator

from scatter_pipelines.extraction.layout import Line, Span
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.text import clean_text
from scatter_pipelines.model.document import Page

_NAME = r"(?P<name>(?:The )?[A-Z][A-Za-zÀ-ÿ&:'’.\- ]{2,90}?)"
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^[A-Z][\w‑-]+ and [A-Z][\w‑-]+ {_NAME}\s+\((?:19|20)\d\d\)\s\d+:",
        rf"(?:et al\.?|\bal\.)\s?:?\s{_NAME}\s+\(?(?:19|20)\d\d\)?[,:;\s]+\d",
        rf"^(?:\d+\s+)?{_NAME}[,.]?\s+\(?(?:19|20)\d\d\)?\s?[,;:]\s?\d",
        rf"^(?:\d+\s+)?{_NAME}[,.]?\s+\((?:19|20)\d\d\)\s?\d",
        rf"^(?:\d+\s+)?{_NAME}[,.]?\s+(?:[Vv]ol(?:ume)?\.?|VOL\.?)\s?\d",
        rf"^(?:\d+\s+)?{_NAME},\s(?:[A-Z][a-z]+(?:[–-][A-Z][a-z]+)?\s)?(?:19|20)\d\d",
        rf"^{_NAME}\s?[|│]\s?(?:https?://|doi|DOI|www|[Vv]ol)",
        rf"^{_NAME},?\s(?:E-?|e)?(?:ISSN|issn)\b",
    )
)
_WORD = re.compile(
    r"\b(?:journal|annals|archives|proceedings|transactions|bulletin|acta|bmc|plos|frontiers|bmj|jama|lancet|world|reports"
    r"|reviews|medicine|surgery|sciences?|research|letters|international|advances|cell|nature)\b",
    re.IGNORECASE,
)
_NOT_NAME = re.compile(
    r"\b(?:copyright|received|accepted|published|department|university|volume|page|downloaded|figure|table|author"
    r"|available|updated)\b"
    r"|^[A-Z][a-z]+ \d|et al",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"^(?:The )?(?:[A-Z][\w-]+ ){0,6}(?:Journal|Annals|Archives|Acta|Bulletin|Proceedings)"
    r"(?: (?:of|for|in|and|&|the|[A-Z][\w-]+),?){0,9}(?<! of)(?<! and)(?<! for)(?<!,)$"
)
_FIRST_PAGES = 3
_HEAD = 0.25
_EDGE = 0.12


def read(quote: str) -> str | None:
    return clean_text(quote).strip(" ,.;:|") or None


def names(reading: Reading) -> tuple[str, ...]:
    """The candidates, best first, each once."""
    return tuple(dict.fromkeys(str(item.value) for item in find(reading)))


def find(reading: Reading) -> Iterator[Found]:
    scored = [item for page in reading.layout.document.pages[:_FIRST_PAGES] for item in _on_page(reading, page)]
    counts = Counter(str(found.value).casefold() for found, _ in scored)
    order = sorted(scored, key=lambda item: -(item[1] + min(counts[str(item[0].value).casefold()], 4)))
    yield from (found for found, _ in order)


def _on_page(reading: Reading, page: Page) -> Iterator[tuple[Found, float]]:
    lines = reading.layout.lines(page)
    for index, line in enumerate(lines):
        if len(line.text) <= 300 and (at_edge(page, line) or page.number == 1):
            found = _in_line(line) or _above_volume(line, lines[index + 1 : index + 2]) or _whole_line(page, line)
            if found:
                yield found, _score(page, line, str(found.value))


def _in_line(line: Line) -> Found | None:
    for form in _FORMS:
        match = form.search(line.text)
        value = read(match["name"]) if match else None
        if match and value and not _NOT_NAME.search(value) and len(value) > 2:
            start = line.span.start + match.start("name")
            return Found(value, Span(line.span.page, start, start + len(match["name"].rstrip(" ,.;:|"))))
    return None


def _above_volume(line: Line, following: tuple[Line, ...]) -> Found | None:
    """A name on a line of its own above "Volume 2014, Article ID 239508"."""
    below = following[0].text if following else ""
    if not re.match(r"(?:Volume|Vol\.?)\s?\d", below) or not _WORD.search(line.text) or _NOT_NAME.search(line.text):
        return None
    return Found(read(line.text), line.span) if len(line.text) <= 100 else None


def names_a_journal(text: str) -> bool:
    return bool(_WHOLE.match(text)) and len(text.split()) > 1


def _whole_line(page: Page, line: Line) -> Found | None:
    """A journal's name alone in a line at the head of a page."""
    if line.box is None or line.box[1] > page.height * _HEAD or not names_a_journal(line.text):
        return None
    return Found(read(line.text), line.span)


def at_edge(page: Page, line: Line) -> bool:
    """Whether the line stands where running heads and footers do."""
    if line.box is None or not page.height:
        return False
    return line.box[3] < page.height * _EDGE or line.box[1] > page.height * (1 - _EDGE)


def _score(page: Page, line: Line, value: str) -> float:
    spelled_out = 2.0 * names_a_journal(value) + 1.0 * (len(value.split()) > 1)
    return 3.0 * at_edge(page, line) + 2.0 * bool(_WORD.search(value)) + spelled_out


RECOGNISER = Recogniser("journal", ("string", "text"), find, read)
