"""Every setting, read from SCATTER_* variables when asked for and never at import."""

import os
from pathlib import Path
from typing import Literal

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from scatter_pipelines.errors import UsageError

PROJECT_MARKS = (".scatter", "dagster.yaml")
BEATS_BEFORE_STALE = 3


def default_home() -> Path:
    """`.scatter` beside DAGSTER_HOME's dagster.yaml, or in the nearest folder upwards that has one or is a project,
    else in the current folder.
    """
    named, here = os.environ.get("DAGSTER_HOME"), Path.cwd()
    if named and Path(named, "dagster.yaml").is_file():
        return Path(named) / ".scatter"
    for folder in (here, *here.parents):
        if any((folder / mark).exists() for mark in PROJECT_MARKS):
            return folder / ".scatter"
    return here / ".scatter"


class Settings(BaseSettings):
    """One field a variable: `stale_seconds` is SCATTER_STALE_SECONDS. Times are in seconds, sizes in bytes."""

    model_config = SettingsConfigDict(env_prefix="SCATTER_", extra="ignore", frozen=True, env_ignore_empty=True)

    home: Path = Field(default_factory=default_home, description="Folder of the embedded database, logs and exports.")
    database_url: str | None = Field(None, description="A PostgreSQL server to use instead of the embedded one.")
    worker_database_url: str | None = Field(
        None, description="URL of a restricted user for the workers; otherwise they SET ROLE to scatter_worker."
    )

    executor: Literal["warm_pool", "in_process", "multiprocess"] = Field(
        "warm_pool", description="Dagster executor of extract_documents."
    )
    workers: int = Field(
        0, ge=0, le=500, description="Worker processes of one run; 0: one a processor, but no more than document slots."
    )
    worker_memory: int = Field(
        2 * 1024**3,
        ge=256 * 1024**2,
        description="Memory of a worker, past which its document is stopped as memory_limit; at least 256 MiB.",
    )
    recycle_documents: NonNegativeInt = Field(
        1_000, description="A worker is replaced after so many documents; 0: never."
    )
    recycle_memory: NonNegativeInt = Field(
        1024**3, description="A worker that has grown past this is replaced between two documents; 0: never."
    )
    shard_size: PositiveInt = Field(500, description="Documents one Dagster run works through.")
    dispatch_ahead: PositiveInt = Field(4, description="Extraction runs that may be queued or running at once.")

    beat_seconds: PositiveFloat = Field(5, description="Time between two beats.")
    stale_seconds: PositiveFloat = Field(30, description="A claim or lease without a beat for this long is lost.")
    progress_seconds: PositiveFloat = Field(600, description="A claim without progress for this long is ended.")
    document_seconds: PositiveFloat = Field(1800, description="Hard limit of one claim, waits not counted.")
    parse_seconds: PositiveFloat = Field(60, description="Limit of parsing, to which page seconds are added.")
    parse_page_seconds: PositiveFloat = Field(1, description="Added to the limit of parsing for each page.")
    hang_seconds: PositiveFloat = Field(
        10, description="How long work over its limit may take to stop before its process is ended."
    )
    wait_seconds: PositiveFloat = Field(300, description="Cap of the waits inside one claim.")
    stall_seconds: PositiveFloat = Field(900, description="A task without progress for this long raises an alert.")
    dispatch_seconds: PositiveFloat = Field(60, description="A dispatch that has not started by then is made anew.")

    retry_seconds: PositiveFloat = Field(10, description="First back-off after a transient error; doubles each time.")
    max_tries: PositiveInt = Field(3, description="Retries after transient errors.")
    max_losses: PositiveInt = Field(3, description="Lost workers after which a document is given up.")
    max_waits: PositiveInt = Field(20, description="How often a document may go back for a service that is busy.")

    document_slots: PositiveInt = Field(10, description="Documents in flight, over all processes and machines.")
    parse_slots: PositiveInt = Field(2, description="Calls in flight to an external parsing service.")
    llm_slots: int = Field(5, ge=1, le=1_000, description="Calls in flight to the LLM endpoint.")

    llm_base_url: str = Field(
        "https://api.openai.com/v1", pattern=r"^https?://[^/\s]", description="Where an OpenAI-compatible API answers."
    )
    llm_model: str | None = Field(None, description="Name of the model at the endpoint.")
    llm_api_key: SecretStr | None = Field(None, description="Key of the endpoint, where it wants one.")
    llm_seconds: PositiveFloat = Field(120, description="Limit of one call to the LLM endpoint.")
    llm_context_tokens: NonNegativeInt = Field(
        0, description="Tokens the model takes in and gives out together; 0: what the price library knows, else 8192."
    )
    llm_output_tokens: PositiveInt = Field(4096, description="Tokens an answer may have.")
    llm_temperature: float = Field(0, ge=0, le=2, description="Sampling temperature, where the model takes one.")
    llm_calls: PositiveInt = Field(4, description="Parts of one long document that are shown to the model.")
    llm_requests_per_minute: NonNegativeInt = Field(
        0, description="Calls a minute, over all processes and machines; 0: no limit."
    )
    llm_tokens_per_minute: NonNegativeInt = Field(
        0, description="Tokens a minute, in and out, over all processes and machines; 0: no limit."
    )
    llm_input_usd: NonNegativeFloat | None = Field(
        None, description="Dollars a million tokens in; without it and the next the price library is asked."
    )
    llm_output_usd: NonNegativeFloat | None = Field(None, description="Dollars a million tokens out.")
    llm_task_usd: PositiveFloat | None = Field(None, description="Most dollars a task may cost, unless it says more.")
    llm_document_usd: PositiveFloat | None = Field(None, description="Most dollars a document may cost.")
    cache_bytes: NonNegativeInt = Field(
        2 * 1024**3, description="Parsed documents and answers kept, in all; the longest unused are dropped."
    )
    cache_days: PositiveFloat = Field(90, description="What was not used for so long is dropped.")

    ocr: Literal["auto", "off"] = Field(
        "auto", description="Read pages that are pictures: auto where the extra [ocr] is installed, or off."
    )
    ocr_page_seconds: PositiveFloat = Field(60, description="Limit of OCR for one page.")
    ocr_keep_days: PositiveFloat = Field(30, description="Pages read by OCR are kept this long for retries.")

    parsing_service: Literal["", "grobid"] = Field(
        "", description="Service that tells the parts of a PDF (title, headings, references); empty: none."
    )
    grobid_url: str = Field("http://127.0.0.1:8070", pattern=r"^https?://[^/\s]", description="Where GROBID answers.")
    grobid_seconds: PositiveFloat = Field(
        120, description="Limit of one call to GROBID, and of asking again while it is busy."
    )
    parsing_fallback: bool = Field(
        True, description="Go on with the local parser alone where the service fails; off: upstream_unavailable."
    )

    max_bytes: PositiveInt = Field(256 * 1024 * 1024, description="A larger document is too_large.")
    max_pages: PositiveInt = Field(5_000, description="A document with more pages is too_large.")
    max_characters: PositiveInt = Field(50_000_000, description="A document with more text is too_large.")
    fetch_seconds: PositiveFloat = Field(60, description="Time-out of a download.")

    inbox: Path | None = Field(None, description="Watched folder; default SCATTER_HOME/inbox.")
    inbox_settle_seconds: PositiveFloat = Field(5, description="A file unchanged for this long has settled.")
    inbox_template: str = Field("paper", description="Template of the tasks made from the inbox.")

    export_on_close: bool = Field(
        True, description="Write JSONL and CSV under SCATTER_HOME/exports when a task closes."
    )
    notify_command: str | None = Field(
        None, description="Shell command run at a closing and at an alert, with one JSON object on its input."
    )

    @field_validator("stale_seconds")
    @classmethod
    def _room_for_beats(cls, stale: float, others: ValidationInfo) -> float:
        """A claim must not go stale between two beats, nor for one that is late."""
        beat = others.data.get("beat_seconds", 0.0)
        if stale < BEATS_BEFORE_STALE * beat:
            raise ValueError(f"must be at least {BEATS_BEFORE_STALE} times SCATTER_BEAT_SECONDS, which is {beat:g}")
        return stale

    def home_path(self) -> Path:
        """The home folder, absolute and made if it was not there."""
        home = self.home.expanduser().absolute()
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError("home_unusable", f"SCATTER_HOME {home} cannot be made: {error.strerror}.") from error
        return home

    def worker_count(self) -> int:
        """Workers of one run."""
        return self.workers or min(os.cpu_count() or 1, self.document_slots)

    def waiting_count(self) -> int:
        """Workers of one run beyond these, which wait for the LLM endpoint."""
        return self.llm_slots if self.llm_model else 0

    def inbox_path(self) -> Path:
        return self.inbox.expanduser().absolute() if self.inbox else self.home_path() / "inbox"


def load_settings(**overrides: object) -> Settings:
    """Settings of this process's environment; a value that cannot be used is a UsageError naming its variable."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        problems = "; ".join(
            f"SCATTER_{'_'.join(str(part) for part in item['loc']).upper()}={item['input']!r}: {item['msg']}"
            for item in error.errors()
        )
        raise UsageError("settings_invalid", problems) from error
