"""Texts about registered studies, with the numbers that have to be found in them: every registry, and near misses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

Draw = Callable[[Random], str]

_LETTERS = "abcdefghijkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class RegistrationText:
    """`registry` names the form that was drawn; empty for a text that holds near misses alone."""

    text: str
    ids: tuple[str, ...]
    registry: str


def _n(rng: Random, digits: int) -> str:
    return f"{rng.randrange(10**digits):0{digits}d}"


def _year(rng: Random, first: int = 2006, last: int = 2025) -> int:
    return rng.randint(first, last)


def _day(rng: Random) -> str:
    return f"{_year(rng)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"


def _old_chictr(rng: Random) -> str:
    kind = rng.choice(("TRC", "IOR", "IPR", "INR", "OOC", "ROC", "TTRCC", "PRNC"))
    return f"ChiCTR-{kind}-{_year(rng, 2008, 2017) % 100:02d}{_n(rng, 6)}"


def _rebec(rng: Random) -> str:
    return f"RBR-{rng.randint(2, 9)}{''.join(rng.choices(_LETTERS + '23456789', k=rng.choice((5, 6))))}"


def _euctr(rng: Random) -> str:
    return f"EUCTR{_year(rng, 2004, 2022)}-00{_n(rng, 4)}-{_n(rng, 2)}-{rng.choice(('GB', 'DE', 'NL', 'FR', 'ES'))}"


def _pactr(rng: Random) -> str:
    return f"PACTR{_year(rng)}{rng.randint(1, 12):02d}{_n(rng, rng.choice((9, 10)))}"


def _nmrr(rng: Random) -> str:
    return f"NMRR-{_year(rng, 2007, 2021) % 100:02d}-{rng.randint(100, 3999)}-{_n(rng, 5)}"


def _persian_irct(rng: Random) -> str:
    date = f"138{rng.randint(0, 9)}{rng.randint(10, 12)}{rng.randint(10, 28)}"
    return f"IRCT{date}{_n(rng, 4)}N{rng.randint(1, 9)}"


REGISTRIES: Mapping[str, tuple[str, Draw]] = {
    "ClinicalTrials.gov": ("ClinicalTrials.gov", lambda r: f"NCT0{_n(r, 7)}"),
    "ISRCTN": ("ISRCTN registry", lambda r: f"ISRCTN{_n(r, 8)}"),
    "ANZCTR": (
        "Australian New Zealand Clinical Trials Registry",
        lambda r: f"ACTRN126{_year(r) % 100:02d}000{_n(r, 6)}",
    ),
    "ChiCTR old": ("Chinese Clinical Trial Registry", _old_chictr),
    "ChiCTR": ("Chinese Clinical Trial Registry", lambda r: f"ChiCTR{_year(r, 2018, 2025) % 100:02d}000{_n(r, 5)}"),
    "ITMCTR": (
        "International Traditional Medicine Clinical Trial Registry",
        lambda r: f"ITMCTR{_year(r, 2019)}{_n(r, 6)}",
    ),
    "UMIN": ("UMIN Clinical Trials Registry", lambda r: f"UMIN0000{_n(r, 5)}"),
    "JPRN-UMIN": ("Japan Primary Registries Network", lambda r: f"JPRN-UMIN0000{_n(r, 5)}"),
    "JapicCTI": ("Japan Pharmaceutical Information Center", lambda r: f"JapicCTI-{_n(r, 6)}"),
    "JPRN-JapicCTI": ("Japan Primary Registries Network", lambda r: f"JPRN-JapicCTI-{_n(r, 6)}"),
    "JMA": ("Japan Medical Association Center for Clinical Trials", lambda r: f"JMA-IIA00{_n(r, 3)}"),
    "jRCTs": ("Japan Registry of Clinical Trials", lambda r: f"jRCTs{_n(r, 9)}"),
    "jRCT": ("Japan Registry of Clinical Trials", lambda r: f"jRCT{r.randint(1, 2)}{_n(r, 9)}"),
    "JPRN-jRCT": ("Japan Primary Registries Network", lambda r: f"JPRN-jRCT{r.randint(1, 2)}{_n(r, 9)}"),
    "CRIS": ("Clinical Research Information Service", lambda r: f"KCT000{_n(r, 4)}"),
    "CTRI": ("Clinical Trials Registry - India", lambda r: f"CTRI/{_year(r)}/{r.randint(1, 12):02d}/0{_n(r, 5)}"),
    "CTRI old": ("Clinical Trials Registry - India", lambda r: f"CTRI/{_year(r, 2007, 2010)}/091/00{_n(r, 4)}"),
    "IRCT old": ("Iranian Registry of Clinical Trials", lambda r: f"IRCT{_day(r)}{_n(r, 4)}N{r.randint(1, 30)}"),
    "IRCT": ("Iranian Registry of Clinical Trials", lambda r: f"IRCT{_day(r)}{_n(r, 6)}N{r.randint(1, 30)}"),
    "IRCT Persian": ("Iranian Registry of Clinical Trials", _persian_irct),
    "DRKS": ("German Clinical Trials Register", lambda r: f"DRKS000{_n(r, 5)}"),
    "NTR": ("Netherlands Trial Register", lambda r: f"NTR{r.randint(100, 8200)}"),
    "NL": ("Netherlands Trial Register", lambda r: f"NL{r.randint(1000, 9999)}"),
    "OMON": ("Overview of Medical Research in the Netherlands", lambda r: f"NL-OMON{_n(r, 5)}"),
    "PACTR": ("Pan African Clinical Trials Registry", _pactr),
    "REPEC": ("Peruvian Clinical Trials Registry", lambda r: f"PER-{_n(r, 3)}-{_year(r) % 100:02d}"),
    "ReBEC": ("Brazilian Clinical Trials Registry", _rebec),
    "RPCEC": ("Cuban Public Registry of Clinical Trials", lambda r: f"RPCEC00000{_n(r, 3)}"),
    "SLCTR": ("Sri Lanka Clinical Trials Registry", lambda r: f"SLCTR/{_year(r)}/{_n(r, 3)}"),
    "TCTR": ("Thai Clinical Trials Registry", lambda r: f"TCTR{_day(r)}{_n(r, 3)}"),
    "LBCTR": ("Lebanese Clinical Trials Registry", lambda r: f"LBCTR{_year(r, 2018)}{r.randint(1, 12):02d}{_n(r, 4)}"),
    "SNCTP": ("Swiss National Clinical Trials Portal", lambda r: f"SNCTP00000{_n(r, 4)}"),
    "HKUCTR": ("HKU Clinical Trials Registry", lambda r: f"HKUCTR-{r.randint(100, 3200)}"),
    "PHRR": ("Philippine Health Research Registry", lambda r: f"PHRR{_n(r, 6)}-{_n(r, 6)}"),
    "NMRR": ("National Medical Research Register of Malaysia", _nmrr),
    "EudraCT": ("EudraCT", lambda r: f"{_year(r, 2004, 2022)}-00{_n(r, 4)}-{_n(r, 2)}"),
    "EUCTR": ("EU Clinical Trials Register", _euctr),
    "CTIS": ("EU Clinical Trials Information System", lambda r: f"{_year(r, 2022)}-50{_n(r, 4)}-{_n(r, 2)}-00"),
    "PROSPERO": ("PROSPERO", lambda r: f"CRD4{_year(r, 2011, 2024)}{_n(r, 6)}"),
    "PROSPERO new": ("PROSPERO", lambda r: f"CRD42025{_n(r, 7)}"),
    "INPLASY": ("INPLASY", lambda r: f"INPLASY{_year(r, 2020)}{r.randint(1, 12)}{_n(r, 4)}"),
    "Research Registry": ("Research Registry", lambda r: f"researchregistry{r.randint(100, 9999)}"),
}
"""Registry to the name a sentence gives it, and its numbers."""

_SENTENCES = (
    "The trial was registered at {registry} ({id}).",
    "Trial registration: {registry}, {id}. Registered 3 May 2016.",
    "Trial registration: {registry} identifier: {id}",
    "This study is registered with {registry}, number {id}.",
    "Clinical trial registration number: {id} ({registry}).",
    "We registered the protocol prospectively in the {registry} under {id} before the first patient came.",
    "Registration: {id}; the protocol was approved by the ethics committee (no. 2014/123).",
    "The protocol ({registry} registration no. {id}) was published before.",
    "{registry} registry number {id}; date of registration: 12 March 2015",
    "Trial registry: {registry} [{id}].",
)
_TWO = (
    "The two trials were registered at {registry} ({id} and {other}).",
    "Trial registration: {registry} {id}, {other}.",
    "This study is registered under {id}; {other}, at the {registry}.",
)
_MISSES: tuple[Draw, ...] = (
    lambda r: f"The work was funded by grant NCT-{_n(r, 4)}-{_n(r, 3)}.",
    lambda r: f"Registration number NCT{_n(r, 7)} could not be found.",
    lambda r: f"The number NCT{_n(r, 9)} has a digit too many.",
    lambda r: f"It was registered as ISRCTN{_n(r, 7)}.",
    lambda r: f"It was registered as ISRCTN{_n(r, 9)}.",
    lambda r: f"It was registered as ACTRN{_n(r, 12)}.",
    lambda r: f"It was registered as ChiCTR{_n(r, 9)}.",
    lambda r: f"It was registered as DRKS{_n(r, 7)}.",
    lambda r: f"It was registered as KCT{_n(r, 6)}.",
    lambda r: f"It was registered as TCTR{_n(r, 10)}.",
    lambda r: f"It was registered as CRD{_n(r, 8)}.",
    lambda r: f"It was registered as PACTR{_n(r, 12)}.",
    lambda r: f"Reads have the accession UMIN{_n(r, 7)}.",
    lambda r: f"Call +49 30 {_n(r, 8)} or fax 2010-{_n(r, 6)}-{_n(r, 3)}.",
    lambda r: f"Available at https://doi.org/10.1016/j.NCT{_n(r, 8)}.x and in print.",
    lambda r: f"ISSN {_n(r, 4)}-{_n(r, 4)}; ISBN 978-3-16-{_n(r, 6)}-0.",
    lambda r: f"The transporter NTR{r.randint(1, 3)} was expressed in all cells.",
    lambda r: f"Mice that carry the nitroreductase NTR {r.randint(1000, 8000)} reporter were bred.",
    lambda r: f"PO Box {_n(r, 4)}, NL-{r.randint(1000, 9999)} AB Amsterdam.",
    lambda r: f"The rate was {r.randint(1, 9)} per 100-{r.randint(10, 99)} visits.",
    lambda r: f"The structure has PDB id {r.randint(1, 9)}NCT and resolution 2.1.",
    lambda r: f"The function f{_n(r, 8)} of the distinct{_n(r, 8)} product.",
    lambda r: f"An earlier trial of the same drug (NCT{_n(r, 8)}) had found no effect.",
    lambda r: f"Funding: grant 20{_n(r, 2)}-{_n(r, 6)}-{_n(r, 2)} of the research council.",
    lambda r: f"Ethics approval REF/{_year(r)}/{r.randint(10, 12)}/{_n(r, 6)} was given.",
    lambda r: f"Cell line RBR-protein{r.randint(1, 9)} and RBR-{_n(r, 3)}.",
    lambda r: f"Code is at osf.io/{''.join(r.choices(_LETTERS, k=5))} for everyone.",
)
_REFERENCE = "\nReferences\n1. Other A. A trial of another drug. {id}. J Exampl 2011; 3: 4-9.\n"


def registration_texts(n: int, seed: int) -> Iterator[RegistrationText]:
    """The same arguments give the same texts; registries take turns, near misses are about a third."""
    rng = Random(f"registrations/{seed}")
    names = list(REGISTRIES)
    for index in range(n):
        if index % 3 == 2:
            yield RegistrationText(" ".join(rng.choice(_MISSES)(rng) for _ in range(rng.randint(1, 3))), (), "")
        else:
            yield _text_of(rng, names[(index // 3 * 2 + index % 3) % len(names)])


def _text_of(rng: Random, name: str) -> RegistrationText:
    registry, draw = REGISTRIES[name]
    ids = [draw(rng)]
    pattern = rng.choice(_SENTENCES)
    if rng.random() < 0.15:
        pattern = rng.choice(_TWO)
        ids.append(draw(rng))
    facts = {"registry": registry, "id": _as_printed(rng, ids[0]), "other": _as_printed(rng, ids[-1])}
    parts = [_MISSES[0](rng) if rng.random() < 0.2 else "", pattern.format(**facts), rng.choice(("", "We thank all."))]
    text = " ".join(part for part in parts if part)
    if rng.random() < 0.2:
        text += _REFERENCE.format(id=draw(rng))
    return RegistrationText(text, tuple(dict.fromkeys(ids)), name)


def _as_printed(rng: Random, number: str) -> str:
    """As typesetting and copying leave it: other dashes, blanks after the name, a line's end within, small letters."""
    change = rng.choice((_same, _same, _same, _other_dash, _blank_after_name, _line_end, _small, _soft_hyphen, _groups))
    return change(rng, number)


def _same(_: Random, number: str) -> str:
    return number


def _other_dash(rng: Random, number: str) -> str:
    return number.replace("-", rng.choice("\u2010\u2011\u2012\u2013\u2014\u2212"))


def _blank_after_name(rng: Random, number: str) -> str:
    """Between a name of capitals and a run of five or more digits."""
    name = number.rstrip("0123456789")
    if len(number) - len(name) < 5 or not name.isalpha():
        return number
    return name + rng.choice((" ", "\u00a0", ":", ": ", "-", " #", "\u2009", "\n")) + number[len(name) :]


def _line_end(rng: Random, number: str) -> str:
    """After a hyphen or slash, or between two of a long run of digits."""
    places = [i + 1 for i, sign in enumerate(number) if sign == "-"]
    if not places:
        places = [i for i in range(1, len(number)) if number[i - 1 : i + 1].isdigit() and number[: i - 1].isalnum()]
    if not places or "/" in number or len(number) < 10:
        return number
    place = rng.choice(places)
    return number[:place] + rng.choice(("\n", "\n ", " \n")) + number[place:]


def _small(_: Random, number: str) -> str:
    """The names which mean nothing else in small letters."""
    return number.lower() if number.startswith(("NCT", "ISRCTN", "ACTRN", "ChiCTR", "DRKS", "CTRI", "CRD")) else number


def _soft_hyphen(rng: Random, number: str) -> str:
    place = rng.randrange(1, len(number))
    return number[:place] + rng.choice(("\u00ad", "\u200b", "\u2060")) + number[place:]


def _groups(_: Random, number: str) -> str:
    """ "ACTRN 1261 2000 123 456" and "NCT 0123 4567"."""
    name = number.rstrip("0123456789")
    digits = number[len(name) :]
    if name == "ACTRN":
        return f"{name} {digits[:4]} {digits[4:8]} {digits[8:11]} {digits[11:]}"
    return f"{name} {digits[:4]} {digits[4:]}" if name in ("NCT", "ISRCTN") else number
