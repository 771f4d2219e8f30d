"""What a task freezes of its engine at the submit, and the budget that its calls are held against."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from scatter_pipelines.errors import DocumentError, UsageError
from scatter_pipelines.extraction.extract import check_engine, extractor_version, uses_llm
from scatter_pipelines.extraction.llm.llm import Model, groups, room_of
from scatter_pipelines.extraction.llm.prices import context_tokens
from scatter_pipelines.model.template import Template
from scatter_pipelines.parsing.parse import parser_version
from scatter_pipelines.parsing.services import service_of
from scatter_pipelines.settings import Settings
from scatter_pipelines.work.ask import prices_of


@dataclass(frozen=True, slots=True)
class Asking:
    """What a submission says of asking an LLM; see `Submission`."""

    estimate: bool = False
    cache: bool = True
    task_usd: float | None = None
    document_usd: float | None = None

    def said(self) -> list[str]:
        """What is not as usual."""
        given = {
            "estimate": self.estimate,
            "no cache": not self.cache,
            "a budget": self.task_usd is not None or self.document_usd is not None,
        }
        return [name for name, value in given.items() if value]


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that calls may cost; None: no limit."""

    task_usd: Decimal | None
    document_usd: Decimal | None


def engine_of(
    settings: Settings, name: str, template: Template, asking: Asking
) -> tuple[Mapping[str, Any], Limits | None]:
    """What the task row keeps, and the limits; None where no call is made. Raises UsageError."""
    check_engine(name, template)
    engine: dict[str, Any] = {
        "name": name,
        "version": extractor_version(name),
        "parsers": parser_version(service_of(settings)),
    }
    if not uses_llm(name):
        if said := asking.said():
            raise UsageError("config_invalid", f"The engine {name} makes no calls; {', '.join(said)} goes with llm.")
        return engine, None
    model = model_of(settings)
    _check_room(model, template)
    engine |= {"model": asdict(model), "cache": asking.cache} | ({"estimate": True} if asking.estimate else {})
    return engine, _limits(settings, model, asking)


def model_of(settings: Settings) -> Model:
    """The model that the settings name. Raises UsageError where they name none."""
    if not settings.llm_model:
        raise UsageError("llm_not_configured", "SCATTER_LLM_MODEL names no model.")
    context = settings.llm_context_tokens or context_tokens(settings.llm_model, settings.llm_base_url)
    if settings.llm_output_tokens >= context:
        raise UsageError(
            "settings_invalid",
            f"SCATTER_LLM_OUTPUT_TOKENS={settings.llm_output_tokens} leaves nothing of the {context} tokens of "
            f"{settings.llm_model} (SCATTER_LLM_CONTEXT_TOKENS).",
        )
    return Model(settings.llm_model, context, settings.llm_output_tokens, settings.llm_calls, settings.llm_temperature)


def _check_room(model: Model, template: Template) -> None:
    try:
        for group in groups(template.fields, model):
            room_of(group, model)
    except DocumentError as error:
        raise UsageError("settings_invalid", error.message) from error


def _limits(settings: Settings, model: Model, asking: Asking) -> Limits:
    task_usd = settings.llm_task_usd if asking.task_usd is None else asking.task_usd
    document_usd = settings.llm_document_usd if asking.document_usd is None else asking.document_usd
    if any(usd is not None and usd <= 0 for usd in (task_usd, document_usd)):
        raise UsageError("config_invalid", "A budget is more than 0 dollars.")
    limited = task_usd is not None or document_usd is not None
    if limited and not asking.estimate and not prices_of(settings, model.name).known:
        raise UsageError("price_unknown", f"No price of {model.name} at {settings.llm_base_url} is known.")
    return Limits(_decimal(task_usd), _decimal(document_usd))


def _decimal(usd: float | None) -> Decimal | None:
    return None if usd is None else Decimal(str(usd))
