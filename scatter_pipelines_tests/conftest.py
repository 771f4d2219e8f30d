"""A real PostgreSQL for the session, a database of its own for each test, real documents and real processes."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from scatter_pipelines.settings import Settings, load_settings
from scatter_pipelines.store.database import Database
from scatter_pipelines.store.embedded import EmbeddedServer, ensure_server, stop_server
from scatter_pipelines.store.schema import upgrade
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines_tests.generator.papers import generate_batch

PROJECT = Path(__file__).resolve().parent.parent
SHARED = PROJECT.parent / "shared"
TEMPLATE = "scatter_template"
QUICK = {"SCATTER_EMBEDDED_GRACE_SECONDS": "1", "SCATTER_OCR": "off"}
"""What every test has unless it asks for something else."""

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C, and so would every process a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> Iterator[None]:
    """The tests' own settings alone, whatever the developer has set."""
    before = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("SCATTER_", "DAGSTER_"))}
    os.environ |= QUICK
    yield
    for name in QUICK:
        os.environ.pop(name, None)
    os.environ.update(before)


@pytest.fixture(scope="session")
def server(_no_settings_from_outside: None) -> Iterator[EmbeddedServer]:
    """One server a session, with a template database that has the schema.

    Not in pytest's own folder: another session closes that to all users but root, and as root the server is another.
    """
    home = Path(tempfile.mkdtemp(prefix="a server's home "))
    started = ensure_server(home)
    _execute(started, f"CREATE DATABASE {TEMPLATE}")
    database = Database(Settings(home=home, database_url=started.url(TEMPLATE)))
    upgrade(database)
    database.dispose()
    yield started
    stop_server(home)
    shutil.rmtree(home, ignore_errors=True)


def _execute(server: EmbeddedServer, statement: str) -> None:
    with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture
def database_url(server: EmbeddedServer) -> Iterator[str]:
    """The URL of an empty database with the schema."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    _execute(server, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
    yield server.url(name)
    _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Quick settings: seconds instead of minutes."""
    return load_settings(
        home=tmp_path / "home",
        database_url=database_url,
        beat_seconds=0.2,
        stale_seconds=2,
        retry_seconds=0.1,
        hang_seconds=2,
        workers=2,
        inbox_settle_seconds=0.5,
    )


@pytest.fixture
def runtime(settings: Settings) -> Iterator[Runtime]:
    with open_runtime(settings) as opened:
        yield opened


@pytest.fixture
def papers(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of `n` small synthetic papers."""

    def make(n: int, name: str = "papers", seed: int = 1) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for paper in generate_batch(n, seed):
            (folder / paper.filename).write_bytes(paper.content)
        return folder

    return make


@pytest.fixture
def texts(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of `n` one-line text documents, which cost next to nothing."""

    def make(n: int, name: str = "texts") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for number in range(n):
            text = f"Trial number {number}\n\nWe enrolled {number + 10} patients (NCT{number:08d}).\n"
            (folder / f"note-{number:05d}.txt").write_text(text, encoding="utf-8")
        return folder

    return make


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    """The environment of a child process with the same settings as `settings`."""
    names = (
        "database_url",
        "beat_seconds",
        "stale_seconds",
        "retry_seconds",
        "hang_seconds",
        "inbox_settle_seconds",
        "workers",
    )
    values = {f"SCATTER_{name.upper()}": str(getattr(settings, name)) for name in names}
    return {**os.environ, **values, "SCATTER_HOME": str(settings.home), "DAGSTER_HOME": str(PROJECT)}


@pytest.fixture
def scatter(environment: dict[str, str]) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs the `scatter` command as a user would and returns what it printed."""

    def run(*arguments: str, timeout: float = 120, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "scatter_pipelines.cli.main", *arguments],
            env=environment | variables, capture_output=True, text=True, timeout=timeout, cwd=PROJECT, check=False,
        )  # fmt: skip

    return run
