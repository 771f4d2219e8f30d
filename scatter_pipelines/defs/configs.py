"""The config of each job, as it is typed into the launchpad: plain, without Dagster's nesting."""

import dagster as dg
from pydantic import Field

SCATTER_OP, EXTRACT_OP = "scatter", "extract_document"

QUIET = {"console": {"config": {"log_level": "INFO"}}}
"""On a terminal one line a document; Dagster's own events are in its event log."""


class ExtractConfig(dg.Config):
    """Either `source` or `sources` (submit documents), or `task_id` (work on a task), perhaps with `shard`."""

    source: str = Field("", description="A file, folder, glob, manifest (@list.txt or CSV) or URL.")
    sources: list[str] | None = Field(None, description="Several sources.")
    template: str = Field("paper", description="Name of a shipped template, or path of a YAML file.")
    engine: str = Field("rules", description="What fills the fields: rules, llm or rules+llm.")
    key: str | None = Field(None, description="Idempotency key: the same key gives the same task.")
    shard_size: int | None = Field(None, description="Documents a run; default SCATTER_SHARD_SIZE.")
    estimate: bool = Field(False, description="Find out what asking an LLM would cost; nobody is asked.")
    cache: bool = Field(True, description="Use what an LLM answered for other tasks.")
    task_usd: float | None = Field(None, description="Most dollars the calls of the task may cost.")
    document_usd: float | None = Field(None, description="Most dollars the calls for one document may cost.")
    all: bool = Field(False, description="Work through all shards here, instead of leaving the rest to dispatch.")
    task_id: str | None = Field(None, description="A task that was submitted before.")
    shard: int | None = Field(None, description="One shard of that task.")


class TaskConfig(dg.Config):
    task_id: str = Field(description="Id of the task, an unambiguous beginning of it, or `last`.")


class RetryConfig(TaskConfig):
    code: str | None = Field(None, description="Only documents with this error code.")


class ForceFinalizeConfig(TaskConfig):
    reason: str = Field(description="Why; it is kept with every document that is ended by this.")


class ExportConfig(TaskConfig):
    formats: list[str] = Field(["jsonl", "csv"], description="Formats to write.")
    folder: str | None = Field(None, description="Where to; default SCATTER_HOME/exports/TASK.")


@dg.config_mapping
def extract_config(config: ExtractConfig) -> dg.RunConfig:
    return dg.RunConfig(ops={SCATTER_OP: config}, loggers=QUIET)


@dg.config_mapping
def retry_config(config: RetryConfig) -> dg.RunConfig:
    return dg.RunConfig(ops={"retry": config})


@dg.config_mapping
def cancel_config(config: TaskConfig) -> dg.RunConfig:
    return dg.RunConfig(ops={"cancel": config})


@dg.config_mapping
def force_finalize_config(config: ForceFinalizeConfig) -> dg.RunConfig:
    return dg.RunConfig(ops={"finalize": config})


@dg.config_mapping
def export_config(config: ExportConfig) -> dg.RunConfig:
    return dg.RunConfig(ops={"export": config})
