"""One stand-in process a test, and papers that it knows."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from scatter_pipelines_tests.grobid.running import StandIn, standing_in
from scatter_pipelines_tests.grobid.tei import Known, known, tei_of

known_once = cache(known)


def paper(seed: int) -> Known:
    return known_once(seed, "one_column", brief=True)


@pytest.fixture
def grobid(tmp_path: Path) -> Iterator[StandIn]:
    with standing_in(tmp_path / "grobid") as service:
        yield service


@pytest.fixture
def folder(grobid: StandIn, tmp_path: Path) -> Callable[[int], Path]:
    """Makes a folder of `n` papers that the service knows."""

    def make(n: int) -> Path:
        made = tmp_path / "papers"
        made.mkdir()
        for seed in range(n):
            (made / f"{seed}.pdf").write_bytes(paper(seed).content)
            grobid.knows(paper(seed).content, tei_of(paper(seed)))
        return made

    return make
