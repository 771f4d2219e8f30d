"""What every extractor offers. The choice of one by name is in `extraction/extract.py`."""

from typing import Protocol

from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines.model.template import Template


class Extractor(Protocol):
    """Fills every field of a template: none missing, none more. Raises `DocumentError` where it cannot."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def extract(self, document: Document, template: Template) -> Fields: ...
