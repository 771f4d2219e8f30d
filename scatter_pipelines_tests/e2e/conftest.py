"""The whole thing as a person starts it: web server, daemon and database over loopback, one for the module."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from scatter_pipelines.settings import Settings, load_settings
from scatter_pipelines.store.embedded import EmbeddedServer
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines_tests.conftest import PROJECT, TEMPLATE
from scatter_pipelines_tests.web import Site, serving

SELECTOR = {"repositoryLocationName": "scatter_pipelines", "repositoryName": "__repository__"}
LAUNCH = """
    mutation($p: ExecutionParams!) { launchRun(executionParams: $p) {
        __typename
        ... on LaunchRunSuccess { run { runId } }
        ... on RunConfigValidationInvalid { errors { message } }
        ... on PythonError { message } } }
"""
REEXECUTE = """
    mutation($p: ReexecutionParams!) { launchRunReexecution(reexecutionParams: $p) {
        __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }
"""
EVENTS = """
    query($id: ID!) { logsForRun(runId: $id) { ... on EventConnection { events { ... on MessageEvent { message } } } } }
"""
EXECUTING = re.compile(r"Executing steps in .* run worker \(pid: (\d+)\)")
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


@dataclass
class Deployment:
    """A running `scatter dev`."""

    process: subprocess.Popen[bytes]
    port: int
    settings: Settings
    environment: dict[str, str]
    log: Path

    def ask(self, query: str, **variables: Any) -> Any:
        """One GraphQL request, as the UI makes it."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.loads(response.read())
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def launch(self, config: dict[str, Any], job: str = "extract_documents") -> str:
        """Launches a job as the launchpad does; the run's id."""
        params = {"selector": SELECTOR | {"jobName": job}, "runConfigData": config, "mode": "default"}
        answer = self.ask(LAUNCH, p=params)["launchRun"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return str(answer["run"]["runId"])

    def reexecute_from_failure(self, run_id: str) -> str:
        answer = self.ask(REEXECUTE, p={"parentRunId": run_id, "strategy": "FROM_FAILURE"})["launchRunReexecution"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return str(answer["run"]["runId"])

    def terminate(self, run_id: str) -> None:
        """As the button in the UI does it."""
        self.ask("mutation($id: String!) { terminateRun(runId: $id) { __typename } }", id=run_id)

    def status(self, run_id: str) -> str:
        return str(self.ask(STATUS, id=run_id)["runOrError"]["status"])

    def worker_of(self, run_id: str) -> psutil.Process:
        """The process that executes a run, as its event log names it."""
        events = self.ask(EVENTS, id=run_id)["logsForRun"]["events"]
        (pid,) = {match[1] for event in events if (match := EXECUTING.search(event.get("message", "")))}
        return psutil.Process(int(pid))


def wait_for(condition: Callable[[], Any], seconds: float, what: str) -> Any:
    """The first true value of `condition`; fails with `what` after so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    pytest.fail(f"Waited {seconds:g} s for {what}.")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/server_info", timeout=5):
            return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def deployment(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    name = f"e2e_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
    folder = tmp_path_factory.mktemp("e2e")
    values = {
        "home": folder / "home", "database_url": server.url(name), "beat_seconds": 0.5, "stale_seconds": 4,
        "inbox_settle_seconds": 1, "dispatch_seconds": 30, "retry_seconds": 1, "hang_seconds": 3, "workers": 2,
    }  # fmt: skip
    environment = {**os.environ, **{f"SCATTER_{key.upper()}": str(value) for key, value in values.items()}}
    port, log = free_port(), folder / "dev.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "scatter_pipelines.cli.main", "dev", "--port", str(port)],
            env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=PROJECT,
        )  # fmt: skip
    made = Deployment(process, port, load_settings(**values), environment, log)
    try:
        wait_for(lambda: _answers(port), 120, f"the web server; its log is {log}:\n{log.read_text()[-2000:]}")
        yield made
    finally:
        _end(process)
        with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _end(process: subprocess.Popen[bytes]) -> None:
    children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _, left = psutil.wait_procs(children, timeout=20)
    for child in left:
        child.kill()
    assert not left, f"left over after SIGTERM: {left}"


@pytest.fixture
def deployed(deployment: Deployment) -> Iterator[Runtime]:
    """The deployment's database."""
    with open_runtime(deployment.settings) as runtime:
        yield runtime


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as made:
        yield made
