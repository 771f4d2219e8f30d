"""Counts, effect estimates and p values that agree with each other, and how a journal writes them."""

import math
from dataclasses import dataclass
from random import Random

from scatter_pipelines_tests.generator.words import Journal


@dataclass(frozen=True, slots=True)
class Effect:
    """An estimate as it stands in the text, its p value as it stands there, and both in the recognisers' form."""

    text: str
    p_text: str
    p_value: str
    value: str


@dataclass(frozen=True, slots=True)
class Arms:
    """Participants and events in two groups of the analysed sample."""

    n1: int
    n2: int
    events1: int
    events2: int

    @property
    def total(self) -> int:
        return self.n1 + self.n2


def draw_arms(rng: Random, *, balanced: bool) -> Arms:
    total = rng.choice((rng.randint(84, 480), rng.randint(400, 980), rng.randint(1_010, 6_400)))
    share = 0.5 if balanced else rng.uniform(0.3, 0.6)
    n1 = round(total * share) + (rng.randint(-2, 2) if balanced else 0)
    risk = rng.uniform(0.14, 0.42)
    events2 = round((total - n1) * risk)
    events1 = round(n1 * risk * rng.uniform(0.45, 1.15))
    return Arms(n1, total - n1, max(events1, 4), max(events2, 4))


def primary_effect(arms: Arms, measure: str, journal: Journal) -> Effect:
    """The risk or odds ratio of the counts, with the usual large-sample interval on the log scale."""
    a, c = arms.events1, arms.events2
    b, d = arms.n1 - a, arms.n2 - c
    if measure == "OR":
        log, variance = math.log(a * d / (b * c)), 1 / a + 1 / b + 1 / c + 1 / d
    else:
        log, variance = math.log(a * arms.n2 / (c * arms.n1)), 1 / a - 1 / arms.n1 + 1 / c - 1 / arms.n2
    return _effect(measure, log, math.sqrt(variance), journal)


def draw_effect(rng: Random, measure: str, journal: Journal) -> Effect:
    return _effect(measure, rng.uniform(-0.75, 0.6), rng.uniform(0.08, 0.28), journal)


def _effect(measure: str, log: float, error: float, journal: Journal) -> Effect:
    low, high = math.exp(log - 1.96 * error), math.exp(log + 1.96 * error)
    numbers = f"{math.exp(log):.2f}", f"{low:.2f}", f"{high:.2f}"
    value = _p_value(math.erfc(abs(log / error) / math.sqrt(2)))
    estimate = f"{measure} {numbers[0]} (95% CI {numbers[1]}-{numbers[2]})"
    return Effect(_write_estimate(measure, numbers, journal), _write_p(value, journal), value, estimate)


def draw_p(rng: Random, journal: Journal) -> tuple[str, str]:
    """A p value without an estimate: as written, and normalised."""
    value = _p_value(rng.choice((rng.uniform(0.0002, 0.06), rng.uniform(0.05, 0.95))))
    return _write_p(value, journal), value


def _write_estimate(measure: str, numbers: tuple[str, str, str], journal: Journal) -> str:
    estimate, low, high = numbers
    styles = (
        f"{measure} {estimate} (95% CI {low} to {high})",
        f"{measure} {estimate}, 95% CI {low}–{high}",
        f"{measure} = {estimate} (95% CI: {low}-{high})",
    )
    return styles[journal.effect_style]


def _p_value(p: float) -> str:
    if p < 0.001:
        return "p<0.001"
    return f"p={p:.3f}" if p < 0.01 else f"p={p:.2f}"


def _write_p(value: str, journal: Journal) -> str:
    sign, number = value[1], value[2:]
    return (f"p{sign}{number}", f"p {sign} {number}", f"P {sign} {number}", f"P{sign}{number}")[journal.p_style]


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%"
