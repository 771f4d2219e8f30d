"""One database and one Dagster instance for all tests of the executor that a process runs."""

import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from dagster import DagsterInstance
from dagster._core.instance.ref import InstanceRef

from scatter_pipelines.store.embedded import EmbeddedServer
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.executor.reference import Arena, acting
from scatter_pipelines_tests.executor.runner import Runners, RunWorker, Start

QUIET = {
    "compute_logs": {
        "module": "dagster._core.storage.noop_compute_log_manager",
        "class": "NoOpComputeLogManager",
        "config": {},
    }
}


@pytest.fixture(scope="session")
def arena(server: EmbeddedServer) -> Iterator[Arena]:
    with _database(server) as url, _folder() as home:
        environment = {
            "DAGSTER_HOME": str(PROJECT), "SCATTER_HOME": str(home), "SCATTER_DATABASE_URL": url,
        }  # fmt: skip
        with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            instance = stack.enter_context(DagsterInstance.get())
            quiet = stack.enter_context(
                DagsterInstance.from_ref(InstanceRef.from_dir(str(PROJECT), overrides=QUIET))  # type: ignore[typeddict-item]
            )
            patch.undo()
            yield Arena(instance, quiet, environment)


@contextmanager
def _database(server: EmbeddedServer) -> Iterator[str]:
    name = f"executor_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.url(name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="a home of Dagster's "))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def runners(arena: Arena, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runners]:
    made = Runners(arena, tmp_path_factory.mktemp("run workers"))
    yield made
    made.close()


@pytest.fixture
def start(runners: Runners) -> Iterator[Start]:
    """Starts a run in a process of its own, which is gone after the test with all that it has begun."""
    with ExitStack() as stack:

        def make(graph: str, folder: Path, steps: Mapping[str, Any], **executor: Any) -> RunWorker:
            made = runners.start(f"{graph}_warm", acting(folder, steps), executor)
            stack.callback(made.kill)
            return made

        yield make
