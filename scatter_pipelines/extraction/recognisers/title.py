"""The title: the largest type in the upper part of the first page that is not the journal's name or frame.

Without a layout: the first heading or paragraph. The file's own metadata only choose among what stands on the page, as
they are often wrong. Confidence: 0.99 markup; 0.97 the metadata say the same; else 0.6 where another candidate is as
large, up to 0.95 with the margin to it; 0.6 without a layout, 0.85 there with a heading's mark.
"""

import html
from collections.abc import Iterable, Iterator, Mapping

from scatter_pipelines.extraction.layout import Line, Span, words_in
from scatter_pipelines.extraction.recognisers import journal
from scatter_pipelines.extraction.recognisers.front import (
    Block,
    blocks,
    is_affiliation,
    is_citation,
    is_furniture,
    is_kind,
)
from scatter_pipelines.extraction.recognisers.marked import by_markup, is_settled
from scatter_pipelines.extraction.recognisers.names import share_of_names
from scatter_pipelines.extraction.recognisers.protocol import Found, Reading, Recogniser
from scatter_pipelines.extraction.sections import heading_of
from scatter_pipelines.extraction.text import clean_text, normalise, with_accents
from scatter_pipelines.model.document import Page

_UPPER_PART = 0.62
_SUPERSCRIPT = 0.75
_MAX_CHARACTERS = 500
_MARKS = "*†‡§#¶∗⁎0123456789, "
_SHORT_WORDS, _SHORT_FACTOR = 3, 0.7
"""A journal's name is often larger than the title, but short."""
_NAMES, _MOSTLY = 1.5, 0.8
_SUBTITLE, _LARGE, _SAME_EDGE = 0.7, 1.3, 3.0
_LEAST_HINT = 20
_HINTED = 100.0
_ALONE, _HINT, _HEADED, _PLAIN = 0.93, 0.97, 0.85, 0.6


def read(quote: str) -> str | None:
    return with_accents(clean_text(quote.lstrip("# ").rstrip(_MARKS[:10]))) or None


def find(reading: Reading) -> Iterator[Found]:
    yield from by_markup(reading, "title", read)
    page = reading.layout.first_page
    if page is None or is_settled(reading, "title"):
        return
    candidates = reading.once(title_blocks)
    for index, block in enumerate(candidates):
        block = _with_subtitle(reading, page, block)
        span = _without_marks(page, block)
        value = read(page.text[span.start : span.end])
        if value:
            yield Found(value, span, _confidence(reading, candidates, index))


def _confidence(reading: Reading, candidates: list[Block], index: int) -> float:
    """By the margin to the next candidate, in type sizes."""
    block, hint = candidates[index], _hint(reading)
    if index:
        return 0.3
    if _is_hinted(block, hint):
        return _HINT
    if not block.size:
        return _HEADED if _is_first_heading(block, reading.once(_headings)) else _PLAIN
    if len(candidates) == 1:
        return _ALONE
    margin = _score(block, hint) / max(_score(candidates[1], hint), 1.0) - 1.0
    return min(0.95, _PLAIN + margin)


def title_blocks(reading: Reading) -> list[Block]:
    """Candidates, best first."""
    page = reading.layout.first_page
    if page is None:
        return []
    if not page.words:
        return _first_lines(reading, page)
    names = {normalise(name) for name in reading.once(journal.names)}
    hint = _hint(reading)
    kept = [block for block in blocks(reading.layout, page) if _possible(reading, page, block, names)]
    scores = {block: _score(block, hint) - _NAMES * _is_names(page, block) for block in map(_without_kind, kept)}
    return sorted(scores, key=lambda block: (-scores[block], block.top))


def _with_subtitle(reading: Reading, page: Page, block: Block) -> Block:
    """With the block that goes on right below in the title's weight and somewhat smaller type."""
    below = next((other for other in blocks(reading.layout, page) if other.span.start == block.span.end + 1), None)
    if below is None or block.lines[-1].box is None or below.lines[0].box is None:
        return block
    smaller = _SUBTITLE * block.size <= below.size < block.size and below.size > _LARGE * reading.layout.body_size
    level = abs(below.lines[0].box[0] - block.lines[0].box[0]) < _SAME_EDGE if block.lines[0].box else False
    alike = below.lines[0].bold == block.lines[0].bold and level and smaller
    plain = not (is_kind(below.text) or is_furniture(below.text) or is_affiliation(below.text))
    return Block((*block.lines, *below.lines)) if alike and plain and not _is_names(page, below) else block


def _is_names(page: Page, block: Block) -> bool:
    """Whether it looks like the line of authors, which may be bold where the title is not."""
    return share_of_names(page, block.span.start, block.span.end) > _MOSTLY


def _hint(reading: Reading) -> str:
    """The title of the file's metadata; empty where it could not be one."""
    metadata = {key.casefold(): value for key, value in reading.layout.document.metadata.items()}
    return _letters(html.unescape(metadata.get("title", "")))


def _letters(text: str) -> str:
    return "".join(character for character in normalise(text) if character.isalnum())


def _is_hinted(block: Block, hint: str) -> bool:
    text = _letters(block.text)
    return len(text) > _LEAST_HINT and len(hint) > _LEAST_HINT and (text in hint or hint in text)


def _score(block: Block, hint: str) -> float:
    factor = _SHORT_FACTOR if len(block.text.split()) <= _SHORT_WORDS else 1.0
    return block.size * factor + 0.5 * block.lines[0].bold + (_HINTED if _is_hinted(block, hint) else 0.0)


def _possible(reading: Reading, page: Page, block: Block, journals: set[str]) -> bool:
    text = block.text
    if block.top > page.height * _UPPER_PART or not 12 <= len(text) <= _MAX_CHARACTERS or len(text.split()) < 2:
        return False
    if is_kind(text) or heading_of(block.lines[0], reading.layout.body_size):
        return False
    if is_furniture(text) or is_citation(text) or normalise(text) in journals or journal.names_a_journal(text):
        return False
    return len(text) >= 80 or not is_affiliation(text)


def _without_kind(block: Block) -> Block:
    """ "Research Article" in the same type above the title is not part of it."""
    first = 1 if len(block.lines) > 1 and is_kind(block.lines[0].text) else 0
    return Block(block.lines[first:])


def _without_marks(page: Page, block: Block) -> Span:
    """The block's span without the superscript marks after its last word."""
    span, size = block.span, block.size
    end = span.end
    for word in reversed(words_in(page, span.start, span.end)):
        if not (word.size < size * _SUPERSCRIPT and not page.text[word.start : word.end].strip(_MARKS)):
            break
        end = word.start
    return Span(span.page, span.start, span.start + len(page.text[span.start : end].rstrip(" *†‡∗⁎\n")))


def _first_lines(reading: Reading, page: Page) -> list[Block]:
    """Lines marked as a heading come first, then the first paragraphs long enough; only near the text's start."""
    headings = reading.once(_headings)
    lines = reading.layout.lines(page)[:20]
    paragraphs = [block for block in _paragraphs(lines, headings) if _could_be_title(block)]
    return sorted(paragraphs, key=lambda block: not _is_first_heading(block, headings))


def _headings(reading: Reading) -> Mapping[int, int]:
    """Where headings begin on the first page that the file's own markup marks, and their levels."""
    page, regions = reading.layout.first_page, reading.layout.document.regions
    return {r.start: r.level for r in regions if page is not None and r.page == page.number and r.kind == "heading"}


def _is_first_heading(block: Block, headings: Mapping[int, int]) -> bool:
    return block.lines[0].text.startswith("# ") or headings.get(block.span.start) == 1


def _paragraphs(lines: Iterable[Line], headings: Mapping[int, int]) -> Iterator[Block]:
    """Lines without a blank line or a rule between them; a marked heading stands alone."""
    current: list[Line] = []
    for line in lines:
        heads = [one.text.startswith("#") or one.span.start in headings for one in (line, *current[-1:])]
        if current and (any(heads) or line.span.start - current[-1].span.end > 1):
            yield Block(tuple(current))
            current = []
        current.append(line)
    if current:
        yield Block(tuple(current))


def _could_be_title(block: Block) -> bool:
    text = block.text.lstrip("# ")
    plain = not (is_kind(text) or is_furniture(text) or heading_of(block.lines[0], 0.0))
    return plain and len(text.split()) >= 2 and 12 <= len(text) <= _MAX_CHARACTERS


RECOGNISER = Recogniser("title", ("string", "text"), find, read)
