"""One measured number: the median of some rounds, beside what, and whether it meets its target."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """One line of the table.

    `value` is the median of `rounds`, both in `unit`. `ratio` is this value over that of the measure named by
    `beside`, unless `note` says otherwise; `met` is None where `target` is empty or could not be judged.
    """

    name: str
    value: float
    unit: str
    rounds: tuple[float, ...]
    beside: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None
    note: str = ""
