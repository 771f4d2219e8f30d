"""A least score that must be reached: `FIELD.METRIC=VALUE`, as in doi.exact=0.97 or authors.soft.recall=0.9."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.rules import LEVELS, FieldRule, Level

MEASURES = ("precision", "recall", "f1")
VERIFIED = "verified"
ALL = "all-fields"
"""Stands for the micro average over all fields; no field can have this name."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """`measure` is `score`, one of `MEASURES` or `verified`; `level` is None for that last."""

    text: str
    field: str
    level: Level | None
    measure: str
    value: float


def read_minimums(texts: Sequence[str], rules: Mapping[str, FieldRule]) -> list[Minimum]:
    return [_read(text, rules) for text in texts]


def _read(text: str, rules: Mapping[str, FieldRule]) -> Minimum:
    name, sign, wanted = text.partition("=")
    field, _, metric = name.strip().partition(".")
    if field not in rules and field != ALL:
        raise _wrong(text, f"there is no field {field!r}; there are {', '.join(rules)} and {ALL}")
    levels = rules[field].levels if field in rules else LEVELS
    known = _metrics(levels, verified=field != ALL)
    if metric not in known:
        raise _wrong(text, f"{field} has no metric {metric!r}; it has {', '.join(known)}")
    return Minimum(text, field, *known[metric], _share(text, sign, wanted))


def _metrics(levels: Sequence[Level], *, verified: bool) -> dict[str, tuple[Level | None, str]]:
    found: dict[str, tuple[Level | None, str]] = {level: (level, "score") for level in levels}
    found |= {measure: (levels[-1], measure) for measure in MEASURES}
    found |= {f"{level}.{measure}": (level, measure) for level in levels for measure in MEASURES}
    return found | ({VERIFIED: (None, VERIFIED)} if verified else {})


def _share(text: str, sign: str, wanted: str) -> float:
    try:
        value = float(wanted)
    except ValueError:
        value = -1.0
    if not sign or not 0 <= value <= 1:
        raise _wrong(text, "a share from 0 to 1 must follow the sign =")
    return value


def _wrong(text: str, why: str) -> UsageError:
    return UsageError("config_invalid", f"--min {text}: {why}. It is FIELD.METRIC=VALUE, as in doi.exact=0.97.")
