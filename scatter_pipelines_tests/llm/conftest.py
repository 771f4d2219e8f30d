"""A scripted endpoint, and settings that name it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scatter_pipelines.settings import Settings
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines_tests.cli.conftest import zygote
from scatter_pipelines_tests.llm.running import Endpoint, standing_in

__all__ = ["zygote"]

TEMPLATE = """\
name: trial
version: 1
fields:
  - name: patients
    type: integer
    description: How many patients were enrolled.
  - name: registration
    type: string
    description: The trial's registration number.
"""
READS = {"patients": r"enrolled (\d+) patients", "registration": r"(NCT\d{8})"}


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    """A model that finds what `texts` documents say."""
    with standing_in(tmp_path / "endpoint") as started:
        started.reads(**READS)
        yield started


@pytest.fixture
def template(tmp_path: Path) -> str:
    """Path of a template whose fields only a model can fill."""
    path = tmp_path / "trial.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    return str(path)


@pytest.fixture
def llm_settings(settings: Settings, endpoint: Endpoint) -> Settings:
    return settings.model_copy(
        update={
            "llm_base_url": endpoint.url, "llm_model": "stand-in", "llm_seconds": 5.0,
            "llm_input_usd": 1.0, "llm_output_usd": 2.0, "llm_output_tokens": 500,
        }
    )  # fmt: skip


@pytest.fixture
def llm_runtime(llm_settings: Settings) -> Iterator[Runtime]:
    with open_runtime(llm_settings) as opened:
        yield opened


@pytest.fixture
def llm_environment(environment: dict[str, str], llm_settings: Settings) -> Callable[..., dict[str, str]]:
    """The environment of a child process with these settings."""

    def make(**changed: object) -> dict[str, str]:
        names = ("base_url", "model", "seconds", "input_usd", "output_usd", "output_tokens")
        values = {f"SCATTER_LLM_{name.upper()}": str(getattr(llm_settings, f"llm_{name}")) for name in names}
        return environment | values | {f"SCATTER_{name.upper()}": str(value) for name, value in changed.items()}

    return make
