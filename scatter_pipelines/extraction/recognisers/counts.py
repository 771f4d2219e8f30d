"""Counts of people as papers write them: digits, thousands with comma or space, and words ("Forty-two patients")."""

import re

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TIES = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_UNITS = {word: number for number, word in enumerate(_SMALL)}
_TENS = {word: 10 * number for number, word in enumerate(_TIES, 2)}
_SCALES = {"hundred": 100, "thousand": 1_000}
_WORD = rf"(?:{'|'.join(sorted({**_UNITS, **_TENS, **_SCALES}, key=len, reverse=True))})"
_SPELLED = rf"(?<!\w)(?i:(?:a\s(?=hundred|thousand))?{_WORD}(?:(?:[\s-]|\sand\s){_WORD}){{0,6}})(?![\w-])"
_DIGITS = r"(?<![\w.,·/-])\d{1,3}(?:[,\u2009\u00a0 ]\d{3}){1,2}(?!\d)|(?<![\w.,·/-])\d{1,7}"

COUNT = rf"(?:(?:{_DIGITS})(?![\w%]|\s?%|[.,·]\d|\s?[–-]\s?\d|/\d)|{_SPELLED})"
"""A pattern without groups."""

WHO = (
    r"(?:patients|participants|subjects|individuals|adults|children|women|men|volunteers|people|persons|students|"
    r"infants|neonates|newborns|adolescents|girls|boys|athletes|nurses|respondents|residents|mothers|employees|cases|"
    r"rats|mice|animals|rabbits|dogs|pigs|eyes|knees|hips|teeth|implants)"
)


def count_of(text: str) -> int | None:
    """The number that a match of `COUNT` stands for; zero is none."""
    compact = re.sub(r"[,\s]", "", text)
    if compact.isdigit():
        return int(compact) or None
    return _spelled(re.split(r"[\s-]+", text.lower())) or None


def _spelled(words: list[str]) -> int:
    total = part = 0
    for word in words:
        if word == "thousand":
            total, part = total + max(part, 1) * 1_000, 0
        elif word == "hundred":
            part = max(part, 1) * 100
        else:
            part += _UNITS.get(word, 0) + _TENS.get(word, 0)
    return total + part
