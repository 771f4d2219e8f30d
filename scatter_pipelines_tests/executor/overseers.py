"""Overseers for the tests: they write down what they are told in the folder that FOLDER names."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scatter_pipelines.executor.hooks import Again, Bench, Loss, Order

FOLDER = "EXECUTOR_TESTS_OVERSEER"


class Recorder:
    """Briefs steps, and writes down everything else."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.file = Path(os.environ[FOLDER]) / "overseen"
        self.noted: set[str] = set()

    def _write(self, line: str) -> None:
        with self.file.open("a") as file:
            file.write(f"{line}\n")

    def __enter__(self) -> "Recorder":
        self._write(f"enter {self.bench.run_id} {len(self.bench.boards)}")
        return self

    def __exit__(self, *_exc: object) -> None:
        self._write("exit")

    def briefing(self, step_key: str) -> str:
        return f"briefing of {step_key}"

    def note(self, order: Order, note: Any) -> None:
        self.noted.add(order.step_key)
        board = bytes(self.bench.boards[order.number][:5]).decode()
        self._write(f"{order.step_key} at {order.number}: {note}, {board!r}")

    def tick(self, orders: Sequence[Order]) -> Sequence[tuple[Order, Any]]:
        return ()

    def lost(self, order: Order, loss: Loss) -> Again | None:
        self._write(f"{order.step_key} lost: {loss.kind} {loss.pid} {loss.how} {loss.stop}")
        return None


class Stopper(Recorder):
    """Has every step killed that has left a note."""

    def tick(self, orders: Sequence[Order]) -> Sequence[tuple[Order, Any]]:
        return [(order, "enough") for order in orders if order.step_key in self.noted]


class Forgiver(Recorder):
    """Has lost steps run again, three times at most."""

    losses = 0

    def lost(self, order: Order, loss: Loss) -> Again | None:
        super().lost(order, loss)
        self.losses += 1
        return Again(0.1) if self.losses <= 3 else None
