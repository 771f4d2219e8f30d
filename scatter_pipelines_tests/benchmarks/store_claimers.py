"""Processes that claim and complete documents as workers do, without anything between the two."""

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import uuid4

from scatter_pipelines.model.result import Holder
from scatter_pipelines.store import results
from scatter_pipelines.store.database import Database
from scatter_pipelines.work.runtime import open_runtime
from scatter_pipelines_tests.benchmarks.store_load import EXTRACTION

SPAWN = multiprocessing.get_context("spawn")
SECONDS = 60
"""How long a process may take to begin and to end."""


def statements_a_second(ids: Sequence[int], processes: int) -> float:
    """Claims and saves; all processes begin together, each with documents of its own."""
    with _processes(ids, processes) as (told, _over):
        spans = [told.get() for _ in range(processes)]
    assert sum(done for _begun, _ended, done in spans) == len(ids), "a document was not claimed and saved"
    return 2 * len(ids) / (max(span[1] for span in spans) - min(span[0] for span in spans))


@contextmanager
def writing(ids: Sequence[int], processes: int) -> Iterator[None]:
    """Processes that go on within the block, as long as there are documents."""
    with _processes(ids, processes) as (told, over):
        yield
        ran_out = not told.empty()
        over.set()
        for _ in range(processes):
            told.get(timeout=SECONDS)
    if ran_out:
        raise RuntimeError("the writers had no documents left")


@contextmanager
def _processes(ids: Sequence[int], processes: int) -> Iterator[tuple[Any, Any]]:
    """The queue of what they tell, and the event that ends them early."""
    told, over, barrier = SPAWN.Queue(), SPAWN.Event(), SPAWN.Barrier(processes + 1)
    started = [
        SPAWN.Process(target=_claim_all, args=(list(ids[number::processes]), barrier, over, told), daemon=True)
        for number in range(processes)
    ]
    try:
        for process in started:
            process.start()
        barrier.wait(timeout=SECONDS)
        yield told, over
    finally:
        over.set()
        for process in started:
            process.join(timeout=SECONDS)


def _claim_all(ids: Sequence[int], barrier: Any, over: Any, told: Any) -> None:
    done = 0
    with open_runtime() as runtime:
        runtime.database.run(lambda c: results.state(c, ids[0]), "worker", one_by_one=True)
        barrier.wait(timeout=SECONDS)
        begun = time.monotonic()
        for result_id in ids:
            if over.is_set():
                break
            done += _claim_and_complete(runtime.database, result_id)
        told.put((begun, time.monotonic(), done))


def _claim_and_complete(database: Database, result_id: int) -> bool:
    holder = Holder("run-of-writers", f"extract_document[{result_id}]", "host:1")
    claim = partial(results.claim, result_id=result_id, holder=holder, token=uuid4())
    claimed = database.run(claim, "worker", one_by_one=True)
    if claimed is None:
        return False
    save = partial(results.complete, claimed=claimed, extraction=EXTRACTION)
    return database.run(save, "worker", one_by_one=True)
