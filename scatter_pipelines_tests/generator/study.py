"""Draws one study: its design, its counts, its estimates and the facts that sentences refer to."""

from dataclasses import dataclass, replace
from random import Random

from scatter_pipelines_tests.generator import numbers, words
from scatter_pipelines_tests.generator.model import unique
from scatter_pipelines_tests.generator.numbers import Arms, Effect
from scatter_pipelines_tests.generator.words import Journal, Topic

DESIGNS = (
    ("prospective cohort study", "RR"),
    ("retrospective cohort study", "RR"),
    ("nested case-control study", "OR"),
    ("cross-sectional study", "OR"),
)


@dataclass(frozen=True, slots=True)
class Study:
    """Everything drawn before a sentence is written. `registry` and `registrations` are empty without a trial."""

    topic: Topic
    journal: Journal
    trial: bool
    design: str
    year: int
    arms: Arms
    primary: Effect
    secondary: tuple[tuple[str, Effect], ...]
    plain_p: tuple[tuple[str, str], ...]
    registry: str
    registrations: tuple[str, ...]
    facts: dict[str, str]


def draw_study(rng: Random, *, trial: bool, results: int) -> Study:
    """`results` is the number of secondary estimates."""
    topic, journal = rng.choice(words.TOPICS), rng.choice(words.JOURNALS)
    design, measure = ("randomised trial", rng.choice(("RR", "OR"))) if trial else rng.choice(DESIGNS)
    arms = numbers.draw_arms(rng, balanced=trial)
    labels = rng.sample(words.SECONDARY, results)
    secondary = tuple((label, numbers.draw_effect(rng, rng.choice((measure, "HR")), journal)) for label in labels)
    registry, registrations = draw_registrations(rng) if trial else ("", ())
    study = Study(
        topic, journal, trial, design, rng.randint(2009, 2024), arms,
        numbers.primary_effect(arms, measure, journal), secondary,
        tuple(numbers.draw_p(rng, journal) for _ in range(min(results, 2))), registry, registrations, {},
    )  # fmt: skip
    return replace(study, facts=_draw_facts(rng, study))


def draw_registrations(rng: Random) -> tuple[str, tuple[str, ...]]:
    """The registry's name and one or two numbers; ClinicalTrials.gov has not given out numbers from 09000000 on."""
    registry, number = rng.choice(
        (
            ("ClinicalTrials.gov", f"NCT09{rng.randint(0, 999_999):06d}"),
            ("ClinicalTrials.gov", f"NCT09{rng.randint(0, 999_999):06d}"),
            ("ISRCTN registry", f"ISRCTN{rng.randint(10_000_000, 99_999_999)}"),
        )
    )
    eudract = f"{rng.randint(2008, 2021)}-{rng.randint(0, 5_999):06d}-{rng.randint(10, 99)}"
    return registry, (number, eudract) if rng.random() < 0.3 else (number,)


def _draw_facts(rng: Random, study: Study) -> dict[str, str]:
    return _topic_facts(study) | _count_facts(rng, study) | _setting_facts(rng, study)


def _topic_facts(study: Study) -> dict[str, str]:
    topic = study.topic
    return {
        "exposure": topic.exposure,
        "population": topic.population,
        "outcome": topic.outcome,
        "Outcome": topic.outcome[0].upper() + topic.outcome[1:],
        "comparator": topic.comparator,
        "exposed": "intervention" if study.trial else "exposed",
        "control": "control" if study.trial else "unexposed",
        "design": study.design,
        "effect": study.primary.text,
        "p": study.primary.p_text,
        "registry": study.registry,
        "registration": study.registrations[0] if study.registrations else "",
    }


def _count_facts(rng: Random, study: Study) -> dict[str, str]:
    arms, excluded = study.arms, rng.randint(31, 290)
    counts = {"n": arms.total, "n1": arms.n1, "n2": arms.n2, "e1": arms.events1, "e2": arms.events2}
    shown = {name: f"{count:,}" for name, count in counts.items()}
    return shown | {
        "pc1": numbers.percent(arms.events1, arms.n1),
        "pc2": numbers.percent(arms.events2, arms.n2),
        "excluded": f"{excluded:,}",
        "assessed": f"{arms.total + excluded:,}",
        "age": f"{rng.uniform(*study.topic.ages):.1f}",
        "sd": f"{rng.uniform(5, 13):.1f}",
        "women": f"{rng.randint(34, 66)}%",
        "adherence": f"{rng.randint(71, 94)}%",
        "change": f"{rng.uniform(0.4, 6.5):.1f}",
        "power": str(rng.choice((80, 85, 90))),
    }


def _setting_facts(rng: Random, study: Study) -> dict[str, str]:
    start = study.year - rng.randint(4, 7)
    country = rng.choice(words.PLACES)[1]
    covariates, subgroups = rng.sample(words.COVARIATES, 4), rng.sample(words.SUBGROUPS, 2)
    secondary = unique([label for label, _ in study.secondary] + list(words.SECONDARY))
    return {
        "country": f"the {country}" if country.startswith(("United", "Nether")) else country,
        "centres": str(rng.randint(2, 34)),
        "start": f"{rng.choice(('January', 'March', 'June', 'October'))} {start}",
        "end": f"{rng.choice(('February', 'May', 'September', 'December'))} {start + rng.randint(1, 2)}",
        "follow": str(rng.choice((6, 12, 18, 24, 36))),
        "few": rng.choice(("four", "five", "seven", "nine", "eleven")),
        "ratio": rng.choice(("four", "six", "eight", "ten")),
        "covariate": covariates[3],
        **{f"covariate{i + 1}": covariates[i] for i in range(3)},
        **{f"secondary{i + 1}": secondary[i] for i in range(2)},
        "subgroup": subgroups[0],
        "subgroup2": subgroups[1],
        "group": subgroups[0],
        "rversion": f"{rng.choice((3, 4))}.{rng.randint(0, 4)}.{rng.randint(0, 3)}",
        "ethics": f"{start}/{rng.randint(100, 1999)}",
        "funder": rng.choice(words.FUNDERS),
        "grant": f"{rng.choice('ABHMR')}{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
    }
