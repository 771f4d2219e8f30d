"""Quotes that are false, and true ones in other clothes: made from a document's own sentences, with a seed."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from random import Random

from scatter_pipelines.model.document import Document, Page

WHO = ("patients", "women", "children", "adults", "infants", "volunteers")
WHAT = ("aspirin", "placebo", "metformin", "surgery", "physiotherapy", "confirmatory testing", "flufenamic acid")
WHERE = ("Oslo", "Kisumu", "Porto Alegre", "Lyon", "the affiliated hospital", "four offices")
NEGATED = (
    "The difference between {a} and {b} was not significant (p = 0.{n}) in {where}.",
    "No {who} withdrew from {a} after week {m}, and {n} completed the final visit.",
    "Patients were never randomised to {a} without consent of {n} {who}.",
    "We did not find any effect of {a} on the {n} {who} in {where}.",
)
PLAIN = (
    "We enrolled {n} {who} and assigned {m} of them to {a} in {where}.",
    "The mean age was {m}.{d} years in the {a} group and {n}.{d} years in the {b} group.",
    "Effects of {a} were modified by first-line treatment in {n} {who} ({m}%).",
    "The hazard ratio was 0.{n} (95% CI 0.{m} to 1.{d}) for {a} against {b}.",
    "Follow-up ended after {m} weeks, when {n} {who} had been re-examined in {where}.",
)
TYPES = ("text", "integer")

Made = tuple[str, str]
"""A value and a quote."""


def sentences(random: Random, count: int) -> list[str]:
    """All different in their numbers."""
    numbers = iter(random.sample(range(101, 100_000), count * 3))
    made = []
    for _ in range(count):
        form = random.choice(NEGATED if random.random() < 0.4 else PLAIN)
        a, b = random.sample(WHAT, 2)
        values = {"n": next(numbers), "m": next(numbers), "d": random.randrange(1, 10), "a": a, "b": b}
        made.append(form.format(who=random.choice(WHO), where=random.choice(WHERE), **values))
    return made


def document_of(said: Sequence[str], per_page: int = 12) -> Document:
    pages = [" ".join(said[start : start + per_page]) for start in range(0, len(said), per_page)]
    return Document(tuple(Page(number, text) for number, text in enumerate(pages, 1)), "text/plain", "test")


def random_words(random: Random, said: Sequence[str]) -> Made:
    words = " ".join(random.sample(said, 3)).split()
    quote = " ".join(random.sample(words, random.randrange(4, 14)))
    return quote, quote


def changed_digits(random: Random, said: Sequence[str]) -> Made:
    quote = random.choice([one for one in said if re.search(r"\d", one)])
    places = [match.start() for match in re.finditer(r"\d", quote)]
    at = random.choice(places)
    other = random.choice([digit for digit in "0123456789" if digit != quote[at]])
    changed = random.choice((other, "", quote[at] + other))
    quote = quote[:at] + changed + quote[at + 1 :]
    return quote, quote


def dropped_negation(random: Random, said: Sequence[str]) -> Made:
    """The "not" left out of the middle, or the quote begun right behind it."""
    negation = re.compile(r"\b(?:not|No|never|without) ")
    sentence = random.choice([one for one in said if negation.search(one)])
    match = next(negation.finditer(sentence))
    cut = sentence[match.end() :] if random.random() < 0.5 else sentence[: match.start()] + sentence[match.end() :]
    return cut, cut


def stitched(random: Random, said: Sequence[str]) -> Made:
    first, second = (one.split() for one in random.sample(said, 2))
    quote = " ".join(first[: random.randrange(3, len(first))] + second[random.randrange(1, len(second) - 2) :])
    return quote, quote


def neighbours_number(random: Random, said: Sequence[str]) -> Made:
    """A true quote, and a number of the sentence before or behind it, else any."""
    at = random.randrange(1, len(said) - 1)
    own = set(re.findall(r"\d+", said[at]))
    near = re.findall(r"\b[1-9]\d{2,}\b", said[at + random.choice((-1, 1))])
    others = [number for number in near if number not in own]
    return random.choice(others or [str(random.randrange(101, 100_000))]), said[at]


KINDS: tuple[Callable[[Random, Sequence[str]], Made], ...] = (
    random_words, changed_digits, dropped_negation, stitched, neighbours_number,
)  # fmt: skip


def squeezed(text: str) -> str:
    """Another way to compare than the program's: letters and digits alone."""
    return re.sub(r"[\s\-\u2010-\u2015]+", "", unicodedata.normalize("NFKC", text)).casefold()


def is_false(made: Made, kind: str, whole: str) -> bool:
    """Whether it is false for certain, though made as one: chance may have made it true."""
    value, quote = made
    if kind == "neighbours_number":
        return value not in re.findall(r"\d+", quote)
    if kind == "dropped_negation":
        return whole.count(squeezed(quote)) < 2
    return squeezed(quote) not in whole


def false_of_each_kind(random: Random, said: Sequence[str], whole: str) -> Iterator[tuple[str, Made]]:
    """One of each kind, where chance does not make it true. `whole` is the squeezed document."""
    for kind in KINDS:
        one = kind(random, said)
        if is_false(one, kind.__name__, whole):
            yield kind.__name__, one


def false_quotes(random: Random, count: int) -> Iterator[tuple[str, Document, Made]]:
    """(kind, document, value and quote), about the same number of each kind."""
    made = 0
    while made < count:
        said = sentences(random, 60)
        document, whole = document_of(said), squeezed(" ".join(said))
        for _ in range(40):
            for kind, one in false_of_each_kind(random, said, whole):
                if made < count:
                    made += 1
                    yield kind, document, one


def printed_sentences(document: Document) -> list[str]:
    """Sentences of real pages as a model would quote them: one line each, words joined again."""
    found = []
    for page in document.pages:
        for match in _SENTENCE.finditer(page.text):
            joined = re.sub(r"(?<=[a-z])[-\u00ad\u2010]\s*\n\s*(?=[a-z])", "", match[0])
            found.append(" ".join(joined.split()))
    return [one for one in found if len(one.split()) >= 6]


_SENTENCE = re.compile(r"(?<=[.?!]\s)[A-Z][^.?!]{60,400}[.?!](?=\s)")

LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "fi": "ﬁ", "fl": "ﬂ", "ff": "ﬀ"}


def as_printed(random: Random, text: str) -> str:
    """As a page has it: ligatures, lines, words broken at their ends."""
    for plain, ligature in LIGATURES.items():
        if random.random() < 0.5:
            text = text.replace(plain, ligature)
    words: list[str] = []
    for word in text.split(" "):
        if len(word) > 7 and word.isalpha() and word.isascii() and random.random() < 0.15:
            cut = random.randrange(3, len(word) - 3)
            word = word[:cut] + random.choice("-\u2010\u00ad") + "\n" + word[cut:]
        words.append(word)
    return "".join(word + random.choice((" ", " ", " ", "\n", "  ")) for word in words).strip()


def as_typed(random: Random, text: str) -> str:
    """As a model gives it back: other white space, other dashes and forms of letters."""
    text = unicodedata.normalize(random.choice(("NFC", "NFD")), text)
    text = re.sub(r" ", lambda _: random.choice((" ", " ", "\n", "\u00a0", "  ")), text)
    text = text.replace(" = ", random.choice((" = ", "="))).replace("-", random.choice(("-", "\u2010", "\u2011")))
    return text.replace("%", random.choice(("%", " %")))
