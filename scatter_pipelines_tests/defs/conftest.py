"""Dagster in this process: an instance in memory, our own database for the rows."""

from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterInstance, ExecuteInProcessResult

from scatter_pipelines.definitions import build_defs
from scatter_pipelines.settings import Settings
from scatter_pipelines_tests.web import Site, serving


@pytest.fixture(autouse=True)
def _settings_in_environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("database_url", "home", "beat_seconds", "stale_seconds", "retry_seconds", "hang_seconds"):
        monkeypatch.setenv(f"SCATTER_{name.upper()}", str(getattr(settings, name)))


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as made:
        yield made


@pytest.fixture
def definitions(settings: Settings) -> dg.Definitions:
    return build_defs(settings)


@pytest.fixture
def execute(definitions: dg.Definitions, instance: DagsterInstance) -> Callable[..., ExecuteInProcessResult]:
    """Runs a job in this process with the config a user would type."""

    def run(job: str, config: dict[str, Any] | None = None, **tags: str) -> ExecuteInProcessResult:
        return definitions.resolve_job_def(job).execute_in_process(
            run_config=config or {}, instance=instance, raise_on_error=False, tags=tags
        )

    return run


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as made:
        yield made
