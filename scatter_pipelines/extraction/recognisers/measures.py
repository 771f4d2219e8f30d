"""The names of effect measures, as papers write them and as we write them."""

import re

_ADJUSTED = re.compile(r"(?<!un)adjusted|multivaria", re.IGNORECASE)
_QUALIFIED = (
    r"(?:(?:un|multivariable[- ])?adjusted|pooled|summary|crude|overall|combined|estimated|multivaria(?:te|ble))\s"
)
_LONG: tuple[tuple[str, str], ...] = (
    (r"diagnostic\sodds\sratios?", "DOR"),
    (r"odds\sratios?", "OR"),
    (r"incidence\srate\sratios?", "IRR"),
    (r"(?:risk|rate)\sratios?|relative\srisks?", "RR"),
    (r"sub-?(?:distribution\s)?hazards?\sratios?", "SHR"),
    (r"hazards?\sratios?", "HR"),
    (r"prevalence\sratios?", "PR"),
    (r"standardi[sz]ed\smean\sdifferences?", "SMD"),
    (r"weighted\smean\sdifferences?", "WMD"),
    (r"risk\sdifferences?|absolute\s(?:risk\s)?(?:reductions?|differences?)", "RD"),
    (r"differences?\sin\s(?:risks?|proportions?)", "RD"),
    (r"(?:mean|between-?\s?group|group|treatment)\s(?:[a-z]+\s)?differences?", "MD"),
    (r"differences?\s(?:in|of)\s(?:the\s)?means?", "MD"),
    (r"cohen['’]?s?\s?['’]?s?\sd", "Cohen's d"),
    (r"hedges['’]?s?\s?['’]?\sg", "Hedges' g"),
    (r"areas?\sunder\sthe\s(?:[a-z-]+\s){0,4}curves?", "AUC"),
    (r"regression\scoefficients?|\bbeta\b", "β"),
    (r"effect\ssizes?", "ES"),
    (r"differences?\b", "MD"),
)  # fmt: skip
_SHORT = (
    r"[aA]?IRR|[ac]?PR|SMD|WMD|MD|RD|s?S?HR|DOR|ROR|SIR|SMR|ARR|[aAcu]?OR|[aAcu]?RR|[aAcu]?HR|ES"
    r"|AUROC|AUC|ROC\sAUC|β|B(?=\s?=)"
)
_RATIOS = frozenset(("OR", "RR", "HR", "IRR", "PR", "SHR", "DOR", "ROR", "SIR", "SMR"))

MEASURE = re.compile(
    rf"(?P<qualified>(?i:{_QUALIFIED}))?(?:(?P<long>(?i:{'|'.join(name for name, _ in _LONG)}))"
    rf"|(?<![\w-])(?P<short>{_SHORT})s?(?![\w-]))(?:\s?[\(\[](?:{_SHORT})s?[\)\]])?"
)


def measure_of(found: re.Match[str]) -> str:
    """ "adjusted odds ratio" and "AOR" are both "aOR"."""
    adjusted = "a" if found["qualified"] and _ADJUSTED.search(found["qualified"]) else ""
    if found["long"]:
        short = next(short for name, short in _LONG if re.fullmatch(name, found["long"], re.IGNORECASE))
    else:
        short = " ".join(found["short"].split())
        short = {"AUROC": "AUC", "ROC AUC": "AUC", "B": "β", "ssHR": "SHR", "sHR": "SHR"}.get(short, short)
        if short in ("AOR", "AHR", "AIRR") or (short[0] in "acu" and short[1:] in _RATIOS):
            adjusted, short = "" if short[0] in "cu" else "a", short[1:]
    return adjusted + short if short in _RATIOS else short


def is_ratio(measure: str) -> bool:
    return measure.removeprefix("a") in _RATIOS
