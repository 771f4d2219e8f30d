"""The whole of one evaluation, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass

from scatter_pipelines.evaluation.compare import Comparison
from scatter_pipelines.evaluation.pairing import Pairing
from scatter_pipelines.evaluation.scores import FieldScores
from scatter_pipelines.evaluation.tally import Tally


@dataclass(frozen=True, slots=True)
class Compared:
    """`left_out` are fields that the other task's template does not have, or has with another type."""

    task_id: str
    pairing: Pairing
    comparison: Comparison
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`scores` has the fields of which gold has values; `all` is the micro average over them."""

    task_id: str
    task_status: str
    template: str
    gold: str
    seed: int
    resamples: int
    pairing: Pairing
    tally: Tally
    scores: Mapping[str, FieldScores]
    all: FieldScores
    compared: Compared | None = None
