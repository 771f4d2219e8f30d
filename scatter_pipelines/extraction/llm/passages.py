"""Which parts of a document an LLM is shown, where not all of it fits into one call.

A document is cut into passages at paragraphs and lines. Passages are ranked by BM25 (Robertson and Zaragoza 2009) of
the words that describe the fields, with the fields' sections and the first page in front; the best fill the first call,
the next best the second. Within a call they stand in the order of the document.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scatter_pipelines.extraction.layout import Layout, Span
from scatter_pipelines.extraction.sections import Sections
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.template import TemplateField

PASSAGE_CHARACTERS = 1_500
K1, B = 1.2, 0.75
SECTION_WEIGHT, FRONT_WEIGHT = 3.0, 2.0
"""Added to a passage's score, in units of the best score by words: for a field's own section, for the first page."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for with from that this was were are has have had not its their which who whom whose into than then "
        "each all any but one two may can will would should could been being also such other given where when what "
        "how value values field document text",
    )
)


@dataclass(frozen=True, slots=True)
class Passage:
    """`pages[page - 1].text[start:end]`, which is `text`."""

    page: int
    start: int
    end: int
    text: str


def passages_of(document: Document, most: int = PASSAGE_CHARACTERS) -> tuple[Passage, ...]:
    """All text but blanks, in the order of the document, in pieces of up to `most` characters."""
    return tuple(
        Passage(page.number, start, end, page.text[start:end])
        for page in document.pages
        for start, end in _cuts(page.text, most)
        if page.text[start:end].strip()
    )


def _cuts(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Cut at an empty line, else a line's end, else a space, in the second half of what fits."""
    start = 0
    while len(text) - start > most:
        end = start + most
        for sign in ("\n\n", "\n", " "):
            found = text.rfind(sign, start + most // 2, end)
            if found >= 0:
                end = found + len(sign)
                break
        yield start, end
        start = end
    yield start, len(text)


def choose(document: Document, fields: Sequence[TemplateField], room: int, calls: int) -> list[tuple[Passage, ...]]:
    """What each call is shown: up to `room` characters a call, in up to `calls` calls, the most promising first."""
    passages = passages_of(document, min(PASSAGE_CHARACTERS, room))
    if sum(_size(passage) for passage in passages) <= room:
        return [_joined(passages)] if passages else []
    windows: list[list[Passage]] = [[] for _ in range(calls)]
    sizes = [0] * calls
    for passage in _ranked(document, passages, fields):
        fits = next((number for number in range(calls) if sizes[number] + _size(passage) <= room), None)
        if fits is not None:
            windows[fits].append(passage)
            sizes[fits] += _size(passage)
    return [_joined(sorted(window, key=lambda passage: (passage.page, passage.start))) for window in windows if window]


def _joined(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Neighbours on a page become one passage."""
    joined: list[Passage] = []
    for passage in passages:
        last = joined[-1] if joined else None
        if last is not None and (last.page, last.end) == (passage.page, passage.start):
            joined[-1] = Passage(last.page, last.start, passage.end, last.text + passage.text)
        else:
            joined.append(passage)
    return tuple(joined)


MARK_CHARACTERS = 40
"""What a passage's own mark takes in the prompt, at most."""


def _size(passage: Passage) -> int:
    return len(passage.text) + MARK_CHARACTERS


def _ranked(document: Document, passages: Sequence[Passage], fields: Sequence[TemplateField]) -> list[Passage]:
    scores = _bm25([_words(passage.text) for passage in passages], _query(fields))
    unit = max(scores, default=0.0) or 1.0
    layout = Layout(document)
    sections = Sections(layout)
    wanted = {field.section for field in fields if field.section is not None}
    spans = [span for section in sorted(wanted) for span in sections.spans(section)]
    first = layout.first_page.number if layout.first_page is not None else 1

    def score(number: int) -> float:
        passage = passages[number]
        of_section = any(_overlap(passage, span) for span in spans)
        return scores[number] + unit * (SECTION_WEIGHT * of_section + FRONT_WEIGHT * (passage.page == first))

    return [passages[number] for number in sorted(range(len(passages)), key=lambda number: (-score(number), number))]


def _overlap(passage: Passage, span: Span) -> bool:
    return passage.page == span.page and passage.start < span.end and span.start < passage.end


def _words(text: str) -> Counter[str]:
    return Counter(word for word in _WORD.findall(text.casefold()) if word not in _COMMON)


def _query(fields: Sequence[TemplateField]) -> frozenset[str]:
    said = (f"{field.name.replace('_', ' ')} {field.description} {' '.join(field.values)}" for field in fields)
    return frozenset(_words(" ".join(said)))


def _bm25(passages: Sequence[Counter[str]], query: frozenset[str]) -> list[float]:
    count = len(passages)
    lengths = [sum(words.values()) for words in passages]
    mean = (sum(lengths) / count if count else 0.0) or 1.0
    weight = {
        word: math.log(1 + (count - having + 0.5) / (having + 0.5))
        for word in query
        if (having := sum(word in words for words in passages))
    }

    def of_passage(words: Counter[str], length: int) -> float:
        dampened = K1 * (1 - B + B * length / mean)
        return sum(
            factor * words[word] * (K1 + 1) / (words[word] + dampened) for word, factor in weight.items() if words[word]
        )

    return [of_passage(words, length) for words, length in zip(passages, lengths, strict=True)]
