"""The invented people, places, journals and topics that the papers are made of. No text templates."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Journal:
    """An invented journal and its house style; `spacing` is line height over font size in its one-column papers."""

    name: str
    abbreviation: str
    code: str
    serif: bool
    effect_style: int
    p_style: int
    doi_place: Literal["header", "footer"]
    doi_prefix: str
    numbered: bool
    structured: bool
    spacing: float


@dataclass(frozen=True, slots=True)
class Topic:
    """What a paper is about; `exposure`, `population` and `outcome` fit into running text as they are.

    `ages` bound the mean age in years.
    """

    slug: str
    exposure: str
    population: str
    outcome: str
    comparator: str
    department: str
    keywords: tuple[str, ...]
    ages: tuple[float, float]


JOURNALS = (
    Journal("Journal of Clinical Geriatric Practice", "J Clin Geriatr Pract", "jcgp", True, 0, 0, "header",
            "https://doi.org/", False, True, 1.4),
    Journal("Annals of Primary Care Research", "Ann Prim Care Res", "apcr", False, 1, 1, "footer",
            "doi: ", False, True, 1.22),
    Journal("European Review of Cardiovascular Medicine", "Eur Rev Cardiovasc Med", "ercm", True, 2, 2, "header",
            "DOI: ", True, False, 1.22),
    Journal("Nordic Journal of Epidemiology", "Nord J Epidemiol", "nje", False, 0, 3, "footer",
            "https://doi.org/", True, False, 1.3),
    Journal("Open Trials and Outcomes", "Open Trials Outcomes", "oto", True, 1, 0, "footer",
            "doi:", False, True, 2.1),
    Journal("International Archives of Rehabilitation", "Int Arch Rehabil", "iar", False, 2, 1, "header",
            "https://doi.org/", True, True, 1.25),
)  # fmt: skip

TOPICS = (
    Topic("statins-elderly", "statin therapy", "adults aged 75 years or older", "major cardiovascular events",
          "placebo", "Department of Geriatric Medicine", ("statins", "old age", "cardiovascular prevention"), (77, 83)),
    Topic("vitamin-d-falls", "vitamin D supplementation", "residents of nursing homes", "recurrent falls",
          "usual care", "Department of Geriatric Medicine", ("vitamin D", "falls", "long-term care"), (79, 86)),
    Topic("metformin-prediabetes", "early metformin treatment", "overweight adults with prediabetes",
          "progression to type 2 diabetes", "placebo", "Division of Endocrinology",
          ("metformin", "prediabetes", "glucose metabolism"), (44, 58)),
    Topic("tele-rehab-stroke", "home-based telerehabilitation", "patients after ischaemic stroke",
          "dependence in daily activities", "outpatient physiotherapy", "Institute of Rehabilitation Sciences",
          ("stroke", "telerehabilitation", "recovery of function"), (58, 72)),
    Topic("sleep-apnoea-cpap", "continuous positive airway pressure", "patients with obstructive sleep apnoea",
          "uncontrolled hypertension", "sleep hygiene advice", "Department of Respiratory Medicine",
          ("sleep apnoea", "CPAP", "blood pressure"), (46, 61)),
    Topic("fluid-dialysis", "individual fluid management", "patients on maintenance haemodialysis",
          "hospital admission for fluid overload", "usual care", "Department of Nephrology",
          ("haemodialysis", "fluid balance", "hospital admission"), (55, 69)),
    Topic("exercise-depression", "supervised aerobic exercise", "adults with moderate depression",
          "treatment failure", "waiting list", "Department of Psychiatry",
          ("exercise", "depression", "mental health services"), (33, 49)),
    Topic("smoking-copd", "intensive smoking cessation support", "patients with chronic obstructive pulmonary disease",
          "hospital readmission", "brief advice", "Department of Respiratory Medicine",
          ("smoking cessation", "COPD", "readmission"), (57, 68)),
    Topic("mediterranean-diet", "adherence to a Mediterranean diet", "middle-aged hospital employees",
          "metabolic syndrome", "general dietary advice", "School of Public Health",
          ("Mediterranean diet", "metabolic syndrome", "nutrition"), (41, 52)),
    Topic("antibiotic-sinusitis", "delayed antibiotic prescribing", "adults with acute sinusitis",
          "repeat consultation", "immediate prescribing", "Centre for Primary Care",
          ("antibiotic stewardship", "sinusitis", "general practice"), (34, 47)),
    Topic("yoga-back-pain", "a structured yoga programme", "adults with chronic low back pain",
          "persistent disability", "self-care education", "Institute of Rehabilitation Sciences",
          ("yoga", "low back pain", "disability"), (39, 55)),
    Topic("beta-blocker-copd", "cardioselective beta-blocker use", "patients with heart failure and airway obstruction",
          "acute exacerbation", "placebo", "Department of Cardiology",
          ("beta-blockers", "heart failure", "airway obstruction"), (62, 74)),
)  # fmt: skip

GIVEN = (
    "Anna", "Thomas", "María", "Jürgen", "Ingrid", "Samuel", "Priya", "Chen", "Fatima", "Lars", "Élise", "Daniel",
    "Olga", "Kwame", "Hannah", "Björn", "Sofia", "Rajesh", "Yuki", "Patrick", "Amélie", "David", "Nadia", "Peter",
    "Leila", "Marcus", "Inês", "George", "Helena", "Omar", "Ruth", "Stefan", "Mei", "Carlos", "Joanna", "Victor",
)  # fmt: skip

FAMILY = (
    "Smith", "Müller", "García", "Sørensen", "Patel", "Okafor", "Lindqvist", "O'Brien", "Tanaka", "Dubois", "Novak",
    "Haddad", "Fernández", "Kowalski", "Schröder", "Nguyen", "Rossi", "Andersson", "Whitfield", "Mensah", "Moreau",
    "Jørgensen", "de Vries", "Castellanos", "Brandt", "Iyer", "Hartmann", "Lefèvre", "Yamamoto", "Papadakis",
    "Delgado", "McAllister", "Petrov", "Ström", "Van Houten", "Blanchard", "Ogunleye", "Hussain", "Bianchi", "Clarke",
)  # fmt: skip

PLACES = (
    ("Halvik", "Norway"), ("Westbrook", "United Kingdom"), ("Lindenau", "Germany"), ("Santa Rosalía", "Spain"),
    ("Marlow Bay", "Australia"), ("Nyköla", "Sweden"), ("Port Alder", "Canada"), ("Villefranche-sur-Orne", "France"),
    ("Kamisato", "Japan"), ("Greenhaven", "United States"), ("Oosterdam", "Netherlands"), ("Castelvero", "Italy"),
    ("Birkerup", "Denmark"), ("Ashgrove", "Ireland"), ("Sint-Maarten", "Belgium"), ("Novigrad", "Croatia"),
)  # fmt: skip

INSTITUTIONS = (
    "University Hospital of {city}", "{city} University", "{city} General Hospital", "Medical University of {city}",
    "{city} Institute of Health Research",
)  # fmt: skip

FUNDERS = (
    "the National Fund for Health Research", "the Halden Foundation", "the Council for Medical Sciences",
    "the Regional Health Authority", "the Alder Trust",
)  # fmt: skip

COVARIATES = (
    "age", "sex", "body mass index", "smoking status", "level of education", "systolic blood pressure",
    "previous hospital admission", "number of medicines", "alcohol intake", "kidney function", "physical activity",
)  # fmt: skip

SECONDARY = (
    "death from any cause", "unplanned hospital admission", "any serious adverse event", "loss of independence",
    "early discontinuation", "visits to an emergency department", "clinically relevant weight loss",
    "impaired quality of life", "new prescription of a rescue medicine", "self-reported poor sleep",
)  # fmt: skip

SUBGROUPS = (
    "women", "men", "participants younger than the median age", "participants with at least two comorbidities",
    "current smokers", "participants living alone", "those recruited in rural practices",
)  # fmt: skip
