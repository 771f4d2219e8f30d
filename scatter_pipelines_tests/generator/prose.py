"""Turns a study into abstract, sections, tables and references."""

import re
from random import Random

from scatter_pipelines_tests.generator import numbers, templates, words
from scatter_pipelines_tests.generator.model import Section, Table
from scatter_pipelines_tests.generator.study import Study, draw_registrations

_CHOICE = re.compile(r"\[([^\[\]]+)\]")


class Writer:
    """Fills sentences for one study; `brief` keeps each section to a few sentences."""

    def __init__(self, rng: Random, study: Study, *, brief: bool) -> None:
        self.rng, self.study, self.brief = rng, study, brief
        self.reference_count = 2 if brief else rng.randint(12, 22)

    def sentence(self, template: str, **facts: str) -> str:
        chosen = _CHOICE.sub(lambda match: self.rng.choice(match[1].split("|")), template)
        text = chosen.format(**(self.study.facts | facts))
        return re.sub("@", lambda _: f"[{self.rng.randint(1, self.reference_count)}]", text)

    def any_of(self, pool: tuple[str, ...], **facts: str) -> str:
        return self.sentence(self.rng.choice(pool), **facts)

    def paragraphs(self, sentences: list[str]) -> tuple[str, ...]:
        """The sentences in order, cut into paragraphs of three to six."""
        out: list[str] = []
        while sentences:
            size = self.rng.randint(3, 6)
            out.append(" ".join(sentences[:size]))
            sentences = sentences[size:]
        return tuple(out)

    def pick(self, pool: tuple[str, ...], brief: int) -> list[str]:
        """Most of the pool in its order, or `brief` sentences of it."""
        count = brief if self.brief else self.rng.randint(max(1, len(pool) - 3), len(pool))
        return [self.sentence(pool[i]) for i in sorted(self.rng.sample(range(len(pool)), count))]


def write_abstract(writer: Writer) -> tuple[tuple[str, str], ...]:
    trial = writer.study.trial
    methods = templates.ABSTRACT_METHODS_TRIAL if trial else templates.ABSTRACT_METHODS_OBSERVATIONAL
    labels = writer.rng.choice((("Background", "Conclusions"), ("Objective", "Conclusion"), ("Aims", "Interpretation")))
    parts = (
        (labels[0], writer.any_of(templates.ABSTRACT_BACKGROUND)),
        ("Methods", writer.any_of(methods)),
        ("Results", writer.any_of(templates.ABSTRACT_RESULTS)),
        (labels[1], writer.any_of(templates.ABSTRACT_CONCLUSION)),
    )
    return parts if writer.study.journal.structured else (("", " ".join(text for _, text in parts)),)


def write_sections(writer: Writer) -> tuple[Section, ...]:
    conclusion = writer.any_of(templates.CONCLUSION)
    return (
        Section("Introduction", writer.paragraphs(writer.pick(templates.INTRODUCTION, 1))),
        Section("Methods", writer.paragraphs(_methods(writer))),
        Section("Results", writer.paragraphs(_results(writer)), _tables(writer)),
        Section("Discussion", writer.paragraphs(writer.pick(templates.DISCUSSION, 2))),
        Section("Conclusion", (conclusion,)),
        Section("Funding", (writer.any_of(templates.FUNDING),)),
    )


def _methods(writer: Writer) -> list[str]:
    study = writer.study
    pool: tuple[str, ...] = templates.METHODS_TRIAL if study.trial else templates.METHODS_OBSERVATIONAL
    sentences = [writer.sentence(item) for item in (pool[:3] if writer.brief else pool)]
    sentences += writer.pick(templates.METHODS_SHARED, 1)
    if study.trial:
        more = (f" The EudraCT number is {number}." for number in study.registrations[1:])
        sentences.append(writer.any_of(templates.REGISTRATION) + "".join(more))
    return sentences


def _results(writer: Writer) -> list[str]:
    study = writer.study
    found = [writer.any_of(templates.PRIMARY_RESULT)]
    for label, effect in study.secondary:
        facts = {"secondary": label, "effect": effect.text, "p": effect.p_text}
        found.append(writer.any_of(templates.SECONDARY_RESULT, **facts, group=writer.rng.choice(words.SUBGROUPS)))
    for template, (text, _) in zip(
        writer.rng.sample(templates.P_RESULT, len(study.plain_p)), study.plain_p, strict=True
    ):
        found.append(writer.sentence(template, p=text))
    fill = writer.pick(templates.RESULTS_FILL, 0)
    return fill[:2] + found + fill[2:]


def _tables(writer: Writer) -> tuple[Table, ...]:
    if writer.brief:
        return ()
    return (_baseline(writer), _flow(writer)) if writer.study.trial else (_baseline(writer),)


def _baseline(writer: Writer) -> Table:
    rng, arms, facts = writer.rng, writer.study.arms, writer.study.facts
    head = ("Characteristic", facts["exposed"].capitalize(), facts["control"].capitalize())

    def count(share: float) -> tuple[str, str]:
        parts = [(round(n * (share + rng.uniform(-0.04, 0.04))), n) for n in (arms.n1, arms.n2)]
        first, second = (f"{part:,} ({numbers.percent(part, n)})" for part, n in parts)
        return first, second

    def mean(centre: float, spread: float) -> tuple[str, str]:
        first, second = (f"{centre * rng.uniform(0.98, 1.02):.1f} ({spread * rng.uniform(0.9, 1.1):.1f})" for _ in "ab")
        return first, second

    rows = (
        ("Participants, no.", facts["n1"], facts["n2"]),
        ("Age, years, mean (SD)", *mean(float(facts["age"]), float(facts["sd"]))),
        ("Women, no. (%)", *count(int(facts["women"][:-1]) / 100)),
        ("Body mass index, mean (SD)", *mean(27.1, 4.6)),
        ("Current smoker, no. (%)", *count(0.21)),
        ("Diabetes, no. (%)", *count(0.17)),
        ("Systolic BP, mmHg, mean (SD)", *mean(138.4, 16.9)),
        ("Living alone, no. (%)", *count(0.33)),
    )
    return Table("Table 1. Baseline characteristics of the participants.", head, rows)


def _flow(writer: Writer) -> Table:
    arms, facts = writer.study.arms, writer.study.facts
    lost1, lost2 = (round(n * writer.rng.uniform(0.02, 0.08)) for n in (arms.n1, arms.n2))
    rows = (
        ("Assessed for eligibility", facts["assessed"], ""),
        ("Excluded", facts["excluded"], ""),
        ("Randomised", facts["n1"], facts["n2"]),
        ("Lost to follow-up", str(lost1), str(lost2)),
        ("Completed follow-up", f"{arms.n1 - lost1:,}", f"{arms.n2 - lost2:,}"),
        ("Analysed for primary outcome", facts["n1"], facts["n2"]),
    )
    return Table("Table 2. Flow of participants through the trial.", ("Stage", "Intervention", "Control"), rows)


def write_references(writer: Writer) -> tuple[str, ...]:
    """Other people's works; most have a DOI and one or two a registration number, as distractors."""
    rng, out = writer.rng, []
    for index in range(writer.reference_count):
        topic, journal, year = (
            rng.choice(words.TOPICS),
            rng.choice(words.JOURNALS),
            rng.randint(1996, writer.study.year),
        )
        names = ", ".join(
            f"{rng.choice(words.FAMILY)} {rng.choice('ABCDEHJKLMPRST')}" for _ in range(rng.randint(1, 4))
        )
        first = rng.randint(11, 980)
        text = f"{names}. {_reference_title(rng, topic.exposure, topic.outcome)}. {journal.abbreviation}. "
        text += f"{year};{rng.randint(3, 88)}:{first}–{first + rng.randint(4, 14)}."
        if rng.random() < 0.7:
            text += f" doi:10.5555/{journal.code}.{year}.{rng.randint(1000, 9999)}"
        if index == 1:
            text = (
                f"{names}. Protocol of a trial of {topic.exposure}. {_other_registration(rng, writer.study)}; {year}."
            )
        out.append(text)
    return tuple(out)


def _reference_title(rng: Random, exposure: str, outcome: str) -> str:
    titles = (f"{exposure} and {outcome}: a pooled analysis", f"Long-term effects of {exposure}",
              f"Predictors of {outcome} in the community", f"{exposure}: time to rethink")  # fmt: skip
    title = rng.choice(titles)
    return title[0].upper() + title[1:]


def _other_registration(rng: Random, study: Study) -> str:
    number = draw_registrations(rng)[1][0]
    return number if number not in study.registrations else _other_registration(rng, study)
