"""What two values are compared by. docs/evaluation.md says the same in words."""

import unicodedata
from collections.abc import Hashable
from decimal import Decimal, InvalidOperation

from rapidfuzz.distance import Levenshtein

from scatter_pipelines.evaluation.rules import FieldRule, Level
from scatter_pipelines.model.evidence import JsonValue

SIMILAR = 0.8
"""Edit similarity from which two texts are right at the level `levenshtein`."""

_MARKS = dict.fromkeys(map(ord, "´`¨˜^\u2212"))
"""Signs that stand in for punctuation, though Unicode does not call them so."""
_DROPPED = ("P", "Z", "C")
_SUFFIXES = frozenset({"jr", "sr", "junior", "senior", "ii", "iii", "iv", "phd", "md", "msc", "bsc"})
_TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms"})


def exact_text(text: str) -> str:
    """As written, with composed characters and single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def soft_text(text: str) -> str:
    """Without case, white space and punctuation; letters keep their diacritics.

    A text that has nothing else, such as "-", keeps its punctuation: it would equal every other such text.
    """
    folded = unicodedata.normalize("NFKC", text.translate(_MARKS)).casefold()
    kept = "".join(sign for sign in folded if not unicodedata.category(sign).startswith(_DROPPED))
    return unicodedata.normalize("NFC", kept) or exact_text(text)


def similarity(left: str, right: str) -> float:
    """1 - distance / length of the longer one, case ignored; 0 where it is below `SIMILAR`."""
    folded = exact_text(left).casefold(), exact_text(right).casefold()
    return float(Levenshtein.normalized_similarity(*folded, score_cutoff=SIMILAR))


def similar(left: str, right: str) -> bool:
    return soft_text(left) == soft_text(right) or similarity(left, right) >= SIMILAR


def name_key(name: str) -> tuple[str, str]:
    """Family name and first initial of "John A. Smith", "Smith, John A." or "Smith J", without titles and suffixes.

    The family name is the last word of what stands before the comma, or without a comma of the whole, so that
    particles ("van der") do not count and hyphenated names stay whole.
    """
    parts = [words for part in name.split(",") if (words := _words(part))]
    parts = [parts[0], *(words for words in parts[1:] if not _SUFFIXES.issuperset(words))] if parts else []
    if not parts:
        return soft_text(name), ""
    if len(parts) > 1:
        return parts[0][-1], parts[1][0][0]
    words = parts[0]
    if len(words[-1]) == 1 < len(words):
        return _before_initials(words)
    return words[-1], words[0][0] if len(words) > 1 else ""


def _before_initials(words: list[str]) -> tuple[str, str]:
    """Of "Smith J" and "Sham K S": the family name stands before the initials."""
    family = next((word for word in reversed(words) if len(word) > 1), words[0])
    return family, words[1][0] if family == words[0] else words[0][0]


def _words(part: str) -> list[str]:
    """The words of a name, without titles in front and suffixes behind as long as something is left."""
    words = [soft_text(word) for word in part.replace(".", ". ").split() if any(map(str.isalnum, word))]
    while len(words) > 1 and words[0] in _TITLES:
        del words[0]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        del words[-1]
    return words


def number_key(value: JsonValue) -> Hashable:
    """Equal for equal numbers, however written: 12, 12.0 and "12"."""
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return str(value)
    return number if number.is_finite() else str(value)


def key_of(rule: FieldRule, level: Level, value: JsonValue) -> Hashable:
    """What must be equal for two values to be the same at `level`; `levenshtein` compares otherwise."""
    if rule.kind == "number":
        return number_key(value)
    text = str(value)
    if rule.kind in ("text", "name") and level == "exact":
        return exact_text(text)
    if rule.kind == "name":
        return name_key(text)
    return soft_text(text) if rule.kind == "text" else exact_text(text).casefold()
