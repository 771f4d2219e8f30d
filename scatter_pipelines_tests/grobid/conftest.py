"""One stand-in process a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scatter_pipelines_tests.grobid.running import StandIn, standing_in


@pytest.fixture
def grobid(tmp_path: Path) -> Iterator[StandIn]:
    with standing_in(tmp_path / "grobid") as service:
        yield service
