"""Where a step of the tests is, and how it waits: never without a deadline."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 30.0

Seen = dict[str, Any]
"""What an action saw; it becomes the metadata of the step's output."""


@dataclass(frozen=True)
class Place:
    """A step's surroundings: a folder that all steps of the run share, and its own key and attempt."""

    folder: Path
    key: str
    attempt: int

    def file(self, name: str) -> Path:
        return self.folder / name


def wait_for(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Polls for the first true value; raises AssertionError past the deadline."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s for {what}"
        time.sleep(0.01)
    return value


def hold(place: Place, argument: str) -> Seen:
    """Says that it has begun and ends once the file of that name is there."""
    place.file(f"holding-{place.key}").touch()
    wait_for(place.file(argument).exists, argument)
    return {}
