"""Estimates, p-values, sample size, groups and design, by the wordings that papers have for them."""

import pytest

from scatter_pipelines.extraction.extract import extract_fields
from scatter_pipelines.extraction.recognisers import arms, effect_estimate, p_value, sample_size
from scatter_pipelines.model.document import Document, Region
from scatter_pipelines.model.evidence import FieldValue
from scatter_pipelines_tests.extraction.documents import plain, template


def found(document: Document, recogniser: str, *, many: bool = True, kind: str = "string") -> FieldValue:
    return extract_fields(document, template(type=kind, many=many, recogniser=recogniser))["it"]


def table(*rows: str) -> Document:
    text = "\n".join(rows)
    return Document(plain(text).pages, "text/xml", "test", {}, (Region("table", 1, 0, len(text)),), True)


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("OR = 1.45; 95% CI: 1.10, 1.92", "OR 1.45 (95% CI 1.10-1.92)"),
        ("(OR: 1.45, 95% CI [1.10 to 1.92], P=0.01)", "OR 1.45 (95% CI 1.10-1.92)"),
        ("hazard ratio for death, 1.45 (95% CI, 1.10 to 1.92)", "HR 1.45 (95% CI 1.10-1.92)"),
        ("HR,0.74;95%CI,0.57-0.95", "HR 0.74 (95% CI 0.57-0.95)"),
        ("mean difference between groups was 2.3 mm Hg (95% CI 1.1 to 3.5)", "MD 2.3 (95% CI 1.1-3.5)"),
        ("mean difference −0.45 (95% CI −0.80 to −0.10)", "MD -0.45 (95% CI -0.80--0.10)"),
        ("adjusted odds ratio 2.1 (95% confidence interval 1.2-3.4)", "aOR 2.1 (95% CI 1.2-3.4)"),
        ("unadjusted odds ratio 2.1 (95% CI 1.2-3.4)", "OR 2.1 (95% CI 1.2-3.4)"),
        ("AOR 2.1 (95% CI 1.2-3.4)", "aOR 2.1 (95% CI 1.2-3.4)"),
        ("OR (95% CI): 1.45 (1.10–1.92)", "OR 1.45 (95% CI 1.10-1.92)"),
        ("OR 1.5, p = 0.02, 95% CI 1.1–2.0", "OR 1.5 (95% CI 1.1-2.0)"),
        ("risk difference 5.2% (95% CI 1.0% to 9.4%)", "RD 5.2 (95% CI 1.0-9.4)"),
        ("OR 1,45 (IC 95%: 1,10–1,92)", "OR 1.45 (95% CI 1.10-1.92)"),
        ("Cohen's d = 0.45 (95% CI 0.20 to 0.70)", "Cohen's d 0.45 (95% CI 0.20-0.70)"),
        ("HR 0.74, 97.5% CI 0.57-0.95", "HR 0.74 (97.5% CI 0.57-0.95)"),
        ("OR 1.2 (95% CI 1.3-1.4)", None),
        ("OR -1.2 (95% CI -1.4--1.1)", None),
        ("The mean was 5.2 (95% CI 4.9-5.4)", None),
        ("OR 1.45 (1.10-1.92)", None),
    ],
)
def test_an_estimate_has_one_form_whatever_its_wording(quote: str, value: str | None) -> None:
    assert effect_estimate.read(quote) == value


def test_a_measure_named_once_serves_the_sentence_and_brackets_go_by_the_documents_level() -> None:
    text = "The RRs were 1.40 (95% CI 1.2-1.6) and 2.10 (1.30-3.39) for men. Later, OR 1.45 (1.10–1.92) was seen."
    field = found(plain(text), "effect_estimate")
    assert field.value == ("RR 1.40 (95% CI 1.2-1.6)", "RR 2.10 (95% CI 1.30-3.39)", "OR 1.45 (95% CI 1.10-1.92)")
    assert [evidence.confidence for evidence in field.evidence] == [0.95, 0.6, 0.5]


def test_a_column_headed_by_a_measure_holds_estimates_and_one_headed_p_holds_p_values() -> None:
    document = table(
        "Factor\tOR (95% CI)\tP value", "Age\t1.45 (1.10–1.92)\t0.008", "Sex\t0.9 (0.5-1.6)\t<0.5", "x\t\t"
    )
    estimates = found(document, "effect_estimate")
    assert estimates.value == ("OR 1.45 (95% CI 1.10-1.92)", "OR 0.9 (95% CI 0.5-1.6)")
    assert estimates.evidence[0].quote == "1.45 (1.10–1.92)"
    assert found(document, "p_value").value == ("p=0.008", "p<0.5")


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("p-value of 0.02", "p=0.02"),
        ("p ≤ 0,05", "p≤0.05"),
        ("P for trend = 0.01", "p=0.01"),
        ("P-interaction=0.3", "p=0.3"),
        ("P<10-4", "p<0.0001"),
        ("p = 3 × 10−5", "p=3e-05"),
        ("p > 0.99", "p>0.99"),
        ("p value of less than 0.001", "p<0.001"),
        ("P=1", "p=1"),
    ],
)
def test_a_p_value_has_one_form_whatever_its_wording(quote: str, value: str) -> None:
    assert p_value.read(quote) == value


@pytest.mark.parametrize(
    "text",
    [
        "p < 0.05 was considered significant.",
        "Statistical significance was set at p<0.05.",
        "Differences were considered significant at p < 0.05.",
        "When P <0.05, the difference was regarded as significant.",
        "A two-sided p value of <0.05 indicated statistical significance.",
    ],
)
def test_a_level_of_significance_is_no_result(text: str) -> None:
    assert found(plain(text), "p_value").value is None


@pytest.mark.parametrize("text", ["It was significant (p<0.05).", "*p<0.05 against control.", "Less, p < 0.05; n = 4."])
def test_a_result_below_a_level_is_one(text: str) -> None:
    assert found(plain(text), "p_value").value == ("p<0.05",)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("Of 1,234 screened, 234 were randomised.", 234),
        ("Of 1,234 patients screened, 234 were enrolled.", 234),
        ("Forty-two patients were enrolled.", 42),
        ("One hundred and twenty children took part.", 120),
        ("We included 12 trials with 3,456 participants.", 3456),
        ("A total of 2019 patients were randomized.", 2019),
        ("In 2019 patients were randomized.", None),
        ("Patients were randomised to A (n = 45) or B (n = 47).", 92),
        ("Death occurred in 21 participants (13.0%) in the exposed group.", None),
        ("Within 30 minutes on average, patients were well.", None),
        ("The 30 male rats were divided into 5 groups. Later 12 animals were excluded.", 30),
    ],
)
def test_the_sample_is_the_people_who_took_part(text: str, size: int | None) -> None:
    assert found(plain(f"Abstract\n{text}"), "sample_size", many=False, kind="integer").value == size


def test_the_abstract_goes_before_the_methods() -> None:
    abstract = "It is not known what helps against it, and so we asked 50 patients."
    text = f"Abstract\n{abstract}\nMethods\nA total of 80 patients were recruited."
    field = found(plain(text), "sample_size", many=False, kind="integer")
    assert (field.value, field.evidence[0].confidence) == (50, 0.7)


def test_a_sum_of_groups_is_read_from_all_of_them() -> None:
    field = found(plain("Abstract\nThey were randomised to A (n = 45) or B (n = 47)."), "sample_size", kind="integer")
    assert (field.value, field.evidence[0].verified) == ((92,), True)
    assert sample_size.read(field.evidence[0].quote) == 92


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("Patients were randomised to A (n = 45) or B (n = 47).", ("A: 45", "B: 47")),
        (
            "There were 45 patients in the intervention group and 47 in the control group.",
            ("intervention: 45", "control: 47"),
        ),
        ("They were divided into an early group (n=45) and a late group (n=47).", ("early: 45", "late: 47")),
        ("600 were randomised: 301 to statin therapy and 299 to placebo.", ("statin therapy: 301", "placebo: 299")),
        (
            "They were randomised to drug X (n = 45), drug Y (n=44), or placebo (n = 47).",
            ("drug X: 45", "drug Y: 44", "placebo: 47"),
        ),
        ("234 were randomised to aspirin (n=118) or placebo (n=116).", ("aspirin: 118", "placebo: 116")),
        (
            "Sixty were randomized into three groups: group A (n=20), group B (n=20) and group C (n=20).",
            ("A: 20", "B: 20", "C: 20"),
        ),
        (
            "They were randomised to receive metformin 500 mg (n = 60) or matching placebo (n = 60).",
            ("metformin 500 mg: 60", "matching placebo: 60"),
        ),
        ("Deaths occurred in 21 participants (13.0%) in the exposed group and 30 (20.5%) in the other.", None),
        ("There were men (n = 20) and women (n = 30) in both groups.", None),
        ("Only placebo (n = 20) was given to this group.", None),
    ],
)
def test_groups_have_names_and_sizes(text: str, groups: tuple[str, ...] | None) -> None:
    field = found(plain(f"Abstract\n{text}"), "arms")
    assert field.value == groups
    assert all(evidence.verified and arms.read(evidence.quote) for evidence in field.evidence)


def test_a_tables_heads_are_groups() -> None:
    document = table("Group\tIntervention (n = 45)\tControl (n = 47)", "Age\t50\t51")
    assert found(document, "arms").value == ("Intervention: 45", "Control: 47")


@pytest.mark.parametrize(
    ("text", "design"),
    [
        ("A drug for pain: a cluster randomised trial\nAbstract\nx", "cluster randomised"),
        (
            "A drug for pain: a randomized controlled trial\nMethods\nThis was a crossover trial.",
            "randomised crossover",
        ),
        ("Methods\nThis was a parallel-group, double-blind randomised controlled trial.", "randomised parallel"),
        ("A drug for pain: a pilot randomised trial\nMethods\nx", "randomised pilot"),
        ("A drug for pain: a randomised trial\nMethods\nx\nDiscussion\nAs in a cohort study.", "randomised"),
        (
            "Drugs: a meta-analysis\nMethods\nWe took every randomised trial. One randomised trial was left.",
            "meta-analysis",
        ),
        ("A drug: a non-randomised study\nMethods\nx", "non-randomised trial"),
        ("Methods\nWe conducted a prospective cohort study.", "cohort"),
        ("Discussion\nThis was a crossover trial.", None),
    ],
)
def test_a_design_is_what_title_abstract_and_methods_call_it(text: str, design: str | None) -> None:
    assert found(plain(text), "design", many=False).value == design
