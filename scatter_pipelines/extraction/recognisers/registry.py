"""The recognisers by name: the one list of them."""

from collections.abc import Mapping

from scatter_pipelines.extraction.recognisers import (
    abstract,
    arms,
    authors,
    design,
    doi,
    effect_estimate,
    journal,
    p_value,
    registration,
    sample_size,
    title,
    year,
)
from scatter_pipelines.extraction.recognisers.protocol import Recogniser

RECOGNISERS: Mapping[str, Recogniser] = {
    module.RECOGNISER.name: module.RECOGNISER
    for module in (
        abstract,
        arms,
        authors,
        design,
        doi,
        effect_estimate,
        journal,
        p_value,
        registration,
        sample_size,
        title,
        year,
    )
}
