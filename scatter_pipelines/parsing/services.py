"""The parsing services there are, by the name they have in SCATTER_PARSING_SERVICE."""

from collections.abc import Callable, Mapping

from scatter_pipelines.parsing.grobid.service import GrobidService
from scatter_pipelines.parsing.service import ParsingService
from scatter_pipelines.settings import Settings

SERVICES: Mapping[str, Callable[[Settings], ParsingService]] = {
    GrobidService.name: lambda settings: GrobidService(settings.grobid_url),
}


def service_of(settings: Settings) -> ParsingService | None:
    """The service that the settings choose; None where the local parsers work alone."""
    return SERVICES[settings.parsing_service](settings) if settings.parsing_service else None
