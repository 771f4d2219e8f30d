"""The shell as a fixture, and documents that go wrong."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scatter_pipelines_tests.cli.shell import Shell
from scatter_pipelines_tests.cli.zygote import Zygote
from scatter_pipelines_tests.generator.odd import OddKind, generate_odd


@pytest.fixture(scope="session")
def zygote(tmp_path_factory: pytest.TempPathFactory, _no_settings_from_outside: None) -> Iterator[Zygote]:
    started = Zygote(tmp_path_factory.mktemp("zygote"))
    yield started
    started.close()


@pytest.fixture
def shell(environment: dict[str, str], zygote: Zygote) -> Shell:
    return Shell(environment, zygote)


@pytest.fixture
def odd(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of odd documents, or puts them into one that is there."""

    def make(*kinds: OddKind, folder: Path | None = None) -> Path:
        folder = folder or tmp_path / "odd"
        folder.mkdir(exist_ok=True)
        for document in map(generate_odd, kinds):
            (folder / document.filename).write_bytes(document.content)
        return folder

    return make
