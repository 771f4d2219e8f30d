"""How each registry writes its numbers: the primary registries of the WHO's network, and others that journals accept.

A form is looked for in folded text (`folding.py`): small letters, one kind of dash.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_BREAK = r"(?:-?[ \t]*\n[ \t]*|\u00a0|(?<=\d\d) (?=\d{3}))"
"""What may stand between two digits of a number: a line's end, a no-break space, or a blank between groups of three."""

_LABEL = (
    r"(?:[\s\u00a0\-:#./(]{0,3}(?:(?:trial |study )?regist(?:ration|ry) )?(?:identification |reference )?"
    r"(?:numbers?|no|nr|identifiers?|ids?|code)\b)?[\s\u00a0\-:#.=(]{0,3}"
)
"""Between a registry's short name and the digits: "number", "ID:", "no."."""

_TO = r"[\s\u00a0\-:#]{0,3}"
_DASH = r"[\s\u00a0]{0,2}-[\s\u00a0]{0,3}"
_SLASH = r"[\s\u00a0]{0,2}[/-][\s\u00a0]{0,3}"


@dataclass(frozen=True, slots=True)
class Form:
    """`key` is how a match begins; `written` is the registry's own way and gets the groups.

    `upper`: capitals for the groups; `capitals`: no match in small letters; `cue`: only in a sentence that has it.
    """

    registry: str
    key: str
    pattern: re.Pattern[str]
    written: str
    upper: bool = False
    capitals: bool = False
    cue: re.Pattern[str] | None = None


def _digits(low: int, high: int | None = None) -> str:
    more = f"{{{low - 1},{(high or low) - 1}}}"
    return rf"(\d(?:{_BREAK}?\d){more})"


def _numbered(registry: str, prefix: str, low: int, high: int | None = None, written: str = "") -> Form:
    """A name and a run of digits, with perhaps "number" or "ID" between them."""
    pattern = re.compile(rf"{prefix.lower()}{_LABEL}(?:{prefix.lower()}[\s\u00a0\-:#]{{0,2}})?{_digits(low, high)}")
    return Form(registry, prefix.lower(), pattern, written or prefix + "{}")


def _parted(registry: str, key: str, pattern: str, written: str, **more: object) -> Form:
    return Form(registry, key, re.compile(pattern), written, **more)  # type: ignore[arg-type]


_REGISTER = re.compile(r"regist|trial ?(?:id|no|number|identif)|identifier|prospectively|clinicaltrials")
_DUTCH = re.compile(r"regist|trialreg|trial|dutch|netherlands|nederland|ccmo")
_EUROPEAN = re.compile(
    r"regist(?:(?!grant|award|fund|ethic|review board)[^#]){0,80} # "
    r"|eudra ?ct|euctr|eu-? ?ctr|eu ct\b|eu-ct\b|euct\b|ctis\b|clinicaltrialsregister\.eu|euclinicaltrials\.eu"
    r"|eu(?:ropean)?(?: union)? (?:clinical )?trials? (?:regist|database|number|information)"
)
_PREREGISTERED = re.compile(r"regist(?![^.]{0,80}\b(?:data|code|materials?|scripts?)\b)")
_LETTERS_AND_DIGITS = r"([0-9a-z](?:(?:\s*\n\s*(?=[a-z]*\d))?[0-9a-z]){5,7})"
_YEAR = rf"(2{_BREAK}?0{_BREAK}?\d{_BREAK}?\d)"
_EUDRACT = f"{_YEAR}{_DASH}{_digits(6)}{_DASH}{_digits(2)}"

FORMS: tuple[Form, ...] = (
    _numbered("ClinicalTrials.gov", "NCT", 8),
    _parted(
        "ClinicalTrials.gov",
        "clinicaltrials.gov",
        rf"clinicaltrials\.gov{_LABEL}(?:nct)?{_TO}(?=0){_digits(8)}",
        "NCT{}",
    ),
    _numbered("ISRCTN", "ISRCTN", 8),
    _numbered("ANZCTR", "ACTRN", 14),
    _parted("ANZCTR", "anzctr", rf"anzctr{_LABEL}(?=126){_digits(14)}", "ACTRN{}"),
    _parted("ChiCTR", "chictr", rf"chictr{_TO}([a-z]{{3,5}}){_TO}{_digits(8)}", "ChiCTR-{}-{}", upper=True),
    _parted("ChiCTR", "chictr", rf"chictr{_LABEL}{_digits(10)}", "ChiCTR{}"),
    _parted("ChiCTR", "chictr", rf"chictr{_LABEL}{_digits(8)}", "ChiCTR{}"),
    _numbered("ITMCTR", "ITMCTR", 10),
    _numbered("ITMCTR", "ChiMCTR", 10),
    _parted("AMCTR", "amctr", rf"amctr{_TO}([a-z]{{3}}){_TO}{_digits(8)}", "AMCTR-{}-{}", upper=True),
    _parted("CDE", "ctr20", r"ctr(20\d{6})", "CTR{}", capitals=True, cue=_REGISTER),
    _parted("CUHK", "cuhk_cc", rf"cuhk_cc(rb|t)-?{_digits(5)}", "CUHK_CC{}{}", upper=True),
    _parted("HKUCTR", "hkuctr", rf"hkuctr{_LABEL}(\d{{1,4}})", "HKUCTR-{}"),
    _parted("UMIN-CTR", "jprn", rf"jprn{_TO}umin(?:-?ctr)?{_TO}{_digits(9)}", "JPRN-UMIN{}"),
    _parted("UMIN-CTR", "jprn", rf"jprn{_TO}c{_digits(9)}", "JPRN-C{}"),
    _parted("JapicCTI", "jprn", rf"jprn{_TO}japic[\s-]?cti{_TO}{_digits(6)}", "JPRN-JapicCTI-{}"),
    _parted("JMA CCT", "jprn", rf"jprn{_TO}jma{_TO}iia{_TO}{_digits(5)}", "JPRN-JMA-IIA{}"),
    _parted("jRCT", "jprn", rf"jprn{_TO}jrct{_TO}([a-z]){_TO}{_digits(9)}", "JPRN-jRCT{}{}"),
    _parted("jRCT", "jprn", rf"jprn{_TO}jrct{_TO}{_digits(10)}", "JPRN-jRCT{}"),
    _parted("UMIN-CTR", "umin", rf"umin(?:-?\s?ctr)?{_LABEL}(?:umin)?{_TO}{_digits(9)}", "UMIN{}"),
    _parted("JapicCTI", "japic", rf"japic[\s-]?cti{_LABEL}{_digits(6)}", "JapicCTI-{}"),
    _parted("JMA CCT", "jma", rf"jma{_TO}iia{_TO}{_digits(5)}", "JMA-IIA{}"),
    _parted("jRCT", "jrct", rf"jrct{_LABEL}([a-z]){_TO}{_digits(9)}", "jRCT{}{}"),
    _parted("jRCT", "jrct", rf"jrct{_LABEL}{_digits(10)}", "jRCT{}"),
    _numbered("CRIS", "KCT", 7),
    _parted(
        "CTRI",
        "ctri",
        rf"ctri{_TO}{_SLASH}?{_YEAR}{_SLASH}{_digits(2, 3)}{_SLASH}(?:{_digits(2, 3)}{_SLASH})?{_digits(6)}",
        "CTRI/{}/{}/{}/{}",
    ),
    _parted("IRCT", "irct", rf"irct{_LABEL}(?=20|1[34]|2\s|1\s){_digits(10, 16)}{_TO}n{_digits(1, 3)}", "IRCT{}N{}"),
    _numbered("DRKS", "DRKS", 8),
    _parted("NTR", "ntr", r"ntr(?:[ \u00a0\-:#]|\n|: | #| number:? | nr\.? )?(\d{2,5})", "NTR{}", cue=_DUTCH),
    _parted("NTR", "rctview.asp?tc=", r"rctview\.asp\?tc=(\d{2,5})", "NTR{}"),
    _parted("OMON", "nl", rf"nl{_DASH}omon{_TO}{_digits(5)}", "NL-OMON{}"),
    _parted("NTR", "nl", rf"nl{_TO}(\d{{3,5}})(?![.,]\d)", "NL{}", capitals=True, cue=_DUTCH),
    _numbered("PACTR", "PACTR", 15, 16),
    _parted("REPEC", "per", rf"per{_DASH}{_digits(3)}{_DASH}{_digits(2)}", "PER-{}-{}"),
    _parted("ReBEC", "rbr", rf"rbr{_DASH}(?=[a-z]{{0,4}}\d){_LETTERS_AND_DIGITS}(?![0-9a-z])", "RBR-{}"),
    _numbered("RPCEC", "RPCEC", 8),
    _parted("SLCTR", "slctr", rf"slctr(?:{_SLASH}|{_TO}){_YEAR}{_SLASH}{_digits(3)}", "SLCTR/{}/{}"),
    _numbered("TCTR", "TCTR", 11),
    _numbered("LBCTR", "LBCTR", 10),
    _numbered("SNCTP", "SNCTP", 9),
    _parted("PHRR", "phrr", rf"phrr{_TO}{_digits(6)}{_DASH}{_digits(6)}", "PHRR{}-{}"),
    _parted("NMRR", "nmrr", rf"nmrr{_TO}{_digits(2)}{_DASH}(\d{{2,5}}){_DASH}(\d{{3,6}})", "NMRR-{}-{}-{}"),
    _parted(
        "NMRR",
        "nmrr",
        rf"nmrr{_TO}id{_TO}{_digits(2)}{_DASH}{_digits(5)}{_DASH}([0-9a-z]{{3}})",
        "NMRR ID-{}-{}-{}",
        upper=True,
    ),
    _parted("SANCTR", "doh", rf"doh{_DASH}{_digits(2)}{_DASH}{_digits(4)}{_DASH}{_digits(4)}", "DOH-{}-{}-{}"),
    _parted("EU PAS", "eupas", rf"eupas{_TO}(\d{{4,5}}|1\d{{12}})", "EUPAS{}"),
    _parted("EUCTR", "euctr", rf"euctr{_TO}{_EUDRACT}{_DASH}([a-z]{{2}})(?![\w-])", "EUCTR{}-{}-{}-{}", upper=True),
    _parted("EUCTR", "euctr", rf"euctr{_TO}{_EUDRACT}", "EUCTR{}-{}-{}"),
    _parted("CTIS", "ctis", rf"ctis{_TO}{_EUDRACT}{_DASH}{_digits(2)}", "CTIS{}-{}-{}-{}"),
    _parted("CTIS", "20", rf"(?=20[23]){_EUDRACT}{_DASH}{_digits(2)}", "{}-{}-{}-{}", cue=_EUROPEAN),
    _parted("EudraCT", "20", rf"{_EUDRACT}(?:-[a-z]{{2}}(?![\w-]))?(?!-)", "{}-{}-{}", cue=_EUROPEAN),
    _parted("PROSPERO", "crd", rf"crd{_LABEL}(?:crd)?(4{_BREAK}?2{_BREAK}?0(?:{_BREAK}?\d){{8,9}})", "CRD{}"),
    _parted("PROSPERO", "prospero", rf"prospero{_LABEL}(4{_BREAK}?2{_BREAK}?0(?:{_BREAK}?\d){{8,9}})", "CRD{}"),
    _parted("INPLASY", "inplasy", r"inplasy(20\d\d)\.(\d{1,2})\.(\d{4})", "INPLASY{}{}{}"),
    _parted("INPLASY", "inplasy", rf"inplasy{_LABEL}(?=2{_BREAK}?0){_digits(9, 10)}", "INPLASY{}"),
    _parted("Research Registry", "researchregistry", rf"researchregistry{_TO}{_digits(2, 5)}", "researchregistry{}"),
    _parted("Research Registry", "reviewregistry", rf"reviewregistry{_TO}{_digits(2, 5)}", "reviewregistry{}"),
    _parted("PreclinicalTrials.eu", "pcte", rf"pcte{_TO}{_digits(7)}", "PCTE{}"),
    _parted(
        "AsPredicted",
        "aspredicted",
        r"aspredicted[\s:(]{0,2}(?:no\.? |number )?#?\s?(\d{3,6})",
        "AsPredicted #{}",
        cue=_REGISTER,
    ),
    _parted("OSF", "osf.io/", r"osf\.io/(?:registries/)?([0-9a-z]{5})(?![/\w])", "osf.io/{}", cue=_PREREGISTERED),
)
"""Longer forms of one key stand before shorter ones."""

FORMS_BY_KEY: Mapping[str, tuple[Form, ...]] = {
    key: tuple(form for form in FORMS if form.key == key) for key in dict.fromkeys(form.key for form in FORMS)
}


def value_of(form: Form, found: re.Match[str]) -> str:
    """The number in its registry's own way of writing it."""
    parts = [re.sub(r"[\s\u00a0-]", "", part) if part else "" for part in found.groups()]
    parts = [part.upper() if form.upper else part for part in parts]
    return re.sub("/{2,}", "/", form.written.format(*parts))
