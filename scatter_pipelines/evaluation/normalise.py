"""What two values are compared by. docs/evaluation.md says the same in words."""

import unicodedata
from collections.abc import Hashable
from decimal import Decimal, InvalidOperation

import regex
from rapidfuzz.distance import Levenshtein

from scatter_pipelines.evaluation.rules import FieldRule, Level
from scatter_pipelines.model.evidence import JsonValue

EDITS = 5
"""Two texts are right at the level `levenshtein` with at most one edit in so many characters: a similarity of 0.8."""

_INSIGNIFICANT = regex.compile(r"(?: \p{Mn}+|[\p{P}\p{Z}\p{C}\p{Sk}\u2212])+")
"""Also accents that stand alone (a space and a mark after NFKC), and the minus, which papers use for a dash."""
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212"
_BLANKS = dict.fromkeys(map(ord, _DASHES), " ")
_MINUS = regex.compile(rf"(?<![\d%]\s?)[{_DASHES}](?=[\d.])")
_FIGURES = regex.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)|\p{L}+|[<>≤≥]")
_SUFFIXES = frozenset({"jr", "sr", "junior", "senior", "ii", "iii", "iv", "phd", "md", "msc", "bsc"})
_TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms"})


def exact_text(text: str) -> str:
    """As written, with composed characters and single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def soft_text(text: str) -> str:
    """Without case, white space and punctuation; letters keep their diacritics.

    A text that has nothing else, such as "-", keeps its punctuation: it would equal every other such text.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", _INSIGNIFICANT.sub("", folded)) or exact_text(text)


def folded_text(text: str) -> str:
    """As written but for case: what edit similarity is measured on."""
    return exact_text(text).casefold()


def figure_key(text: str) -> tuple[str, ...]:
    """The numbers, words and comparison signs of "OR = 0.58 (95% CI: 0.32-1.07)", in their order.

    A dash between two numbers, "to", "=" and punctuation do not count; the decimal sign and a minus do.
    """
    folded = unicodedata.normalize("NFKC", _MINUS.sub("~", text.replace("·", "."))).casefold()
    parts = _FIGURES.findall(folded.translate(_BLANKS).replace("~", "-"))
    return tuple(_plain(part) for part in parts if part != "to") or (exact_text(text),)


def _plain(part: str) -> str:
    """ ".05" and "0.05" are the same number; "0.50" and "0.5" are not the same figure."""
    sign, digits = ("-", part[1:]) if part.startswith("-") else ("", part)
    return f"{sign}0{digits}" if digits.startswith(".") else part


def similar(left: str, right: str) -> bool:
    """Whether 1 - distance / length of the longer one is 0.8 or more, in whole numbers. Wants `folded_text`s."""
    most = max(len(left), len(right)) // EDITS
    return Levenshtein.distance(left, right, score_cutoff=most) <= most


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
    """What must be equal for two values to be the same at `level`, exact or soft."""
    if rule.kind == "number":
        return number_key(value)
    text = str(value)
    if level == "exact":
        return exact_text(text) if rule.kind in ("text", "name", "figure") else folded_text(text)
    return {"name": name_key, "figure": figure_key}.get(rule.kind, soft_text)(text)
