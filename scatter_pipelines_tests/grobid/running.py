"""Starting the stand-in, and telling it what to do."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests


class StandIn:
    """One process. `kill` ends it at once, as a crash would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._script: dict[str, list[str]] = {}
        self.does("tei")
        command = [sys.executable, "-m", "scatter_pipelines_tests.grobid.stand_in", str(folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def does(self, *acts: str, content: bytes | None = None) -> None:
        """With a document's calls in turn; without one, with those of all that are not named."""
        self._script["*" if content is None else hashlib.sha256(content).hexdigest()] = list(acts)
        (self.folder / "script.json").write_text(json.dumps(self._script))

    def knows(self, content: bytes, tei: str) -> None:
        (self.folder / f"{hashlib.sha256(content).hexdigest()}.xml").write_text(tei, encoding="utf-8")

    def seen(self) -> Any:
        return requests.get(f"{self.url}/calls", timeout=10).json()

    def calls(self) -> int:
        return sum(self.seen()["calls"].values())

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def standing_in(folder: Path) -> Iterator[StandIn]:
    folder.mkdir(exist_ok=True)
    service = StandIn(folder)
    try:
        yield service
    finally:
        service.close()
