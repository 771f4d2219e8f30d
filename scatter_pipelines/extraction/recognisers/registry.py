"""The recognisers by name: the one list of them."""

from collections.abc import Mapping

from scatter_pipelines.extraction.recognisers import (
    abstract,
    arms,
    authors,
    conflicts,
    design,
    doi,
    effect_estimate,
    email,
    funding,
    journal,
    keywords,
    p_value,
    reference_count,
    reference_dois,
    references,
    registration,
    sample_size,
    section_headings,
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
        conflicts,
        design,
        doi,
        effect_estimate,
        email,
        funding,
        journal,
        keywords,
        p_value,
        reference_count,
        reference_dois,
        references,
        registration,
        sample_size,
        section_headings,
        title,
        year,
    )
}
