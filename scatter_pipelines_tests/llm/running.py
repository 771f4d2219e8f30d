"""Starting the stand-in, telling it what to do, and reading what it saw."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Endpoint:
    """One stand-in. `url` is its base URL."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._script: dict[str, Any] = {}
        self.does()
        command = [sys.executable, "-m", "scatter_pipelines_tests.llm.stand_in", str(folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}/v1"

    def reads(self, **patterns: str) -> None:
        """What it finds of each field: a pattern with one group."""
        self._script["patterns"] = patterns
        self._write()

    def takes(self, seconds: float) -> None:
        self._script["delay"] = seconds
        self._write()

    def does(self, *rules: dict[str, Any]) -> None:
        """From now on. The first rule that applies to a call decides."""
        self._script["rules"] = list(rules)
        self._write()

    def hides_models(self) -> None:
        self._script["hides_models"] = True
        self._write()

    def _write(self) -> None:
        new = self._folder / "script.new"
        new.write_text(json.dumps(self._script), encoding="utf-8")
        new.replace(self._folder / "script.json")

    def _log(self) -> list[dict[str, Any]]:
        path = self._folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def calls(self) -> list[dict[str, Any]]:
        """Each call as it began."""
        return [line for line in self._log() if line["event"] == "begin"]

    def most_in_flight(self) -> int:
        return max((line["in_flight"] for line in self._log()), default=0)

    def in_flight(self) -> int:
        """Calls that began and have not ended."""
        events = Counter(line["event"] for line in self._log())
        return events["begin"] - events["end"]

    def repeated(self) -> int:
        """Calls with a body that was sent before."""
        counts = Counter(call["digest"] for call in self.calls())
        return sum(counts.values()) - len(counts)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def standing_in(folder: Path) -> Iterator[Endpoint]:
    endpoint = Endpoint(folder)
    try:
        yield endpoint
    finally:
        endpoint.close()
