"""What the tests of store and work do to rows: make tasks, claim, age, look, and do several things at once."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import text

from scatter_pipelines.model.result import Beat, Claim, Extraction, Holder, SourceDocument
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import beats, results, tasks
from scatter_pipelines.store.database import Database
from scatter_pipelines.work.runtime import Runtime

T = TypeVar("T")

HOLDER = Holder("run-1", "extract_document[a_1]", "host-a")
EXTRACTION = Extraction({"doi": {"value": "10.1/x", "evidence": []}}, (), {}, {"parse_ms": 1}, 3, "text/plain")
BACK_OFF: dict[str, Any] = {"retry_after": None, "retry_seconds": 10}

Work = Callable[[], object]


def make_task(runtime: Runtime, n: int = 1, shard_size: int = 200) -> str:
    """A task of `n` documents that nobody will read."""
    documents = [SourceDocument(f"file:///nowhere/{number:05d}.txt", f"{number:05d}.txt") for number in range(n)]
    new = tasks.NewTask(str(uuid4()), "given", ["nowhere"], "paper", {"fields": []}, "hash", {}, documents, shard_size)
    task_id = runtime.database.run(lambda c: tasks.insert(c, new))
    assert task_id is not None
    return task_id


def sql(runtime: Runtime, statement: str, **values: object) -> list[Any]:
    """Runs a statement of the test's own as the owner; its rows, if it has any."""

    def run(connection: Any) -> list[Any]:
        found = connection.execute(text(statement), values)
        return list(found) if found.returns_rows else []

    return runtime.database.run(run)


def ids_of(runtime: Runtime, task_id: str) -> list[int]:
    found = sql(runtime, "SELECT id FROM scatter.extraction_result WHERE task_id = :t ORDER BY ordinal", t=task_id)
    return [row.id for row in found]


def row_of(runtime: Runtime, result_id: int) -> Any:
    return sql(runtime, "SELECT * FROM scatter.extraction_result WHERE id = :id", id=result_id)[0]


def beat_of(runtime: Runtime, result_id: int) -> Any:
    found = sql(runtime, "SELECT * FROM scatter.claim_beat WHERE result_id = :id", id=result_id)
    return found[0] if found else None


def attempts_of(runtime: Runtime, result_id: int) -> list[Any]:
    return sql(runtime, "SELECT * FROM scatter.extraction_attempt WHERE result_id = :id ORDER BY attempt", id=result_id)


def task_of(runtime: Runtime, task_id: str) -> Any:
    return sql(runtime, "SELECT * FROM scatter.extraction_task WHERE id = :id", id=task_id)[0]


def events_of(runtime: Runtime, task_id: str, kind: str) -> int:
    found = sql(runtime, "SELECT count(*) FROM scatter.task_event WHERE task_id = :t AND kind = :k", t=task_id, k=kind)
    return int(found[0][0])


def try_claim(runtime: Runtime, result_id: int, token: UUID | None = None, holder: Holder = HOLDER) -> Claim | None:
    token = token or uuid4()
    return runtime.database.run(lambda c: results.claim(c, result_id, holder, token), "worker")


def claim(runtime: Runtime, result_id: int, holder: Holder = HOLDER) -> Claim:
    claimed = try_claim(runtime, result_id, holder=holder)
    assert claimed is not None
    return claimed


def complete(runtime: Runtime, claimed: Claim) -> bool:
    return runtime.database.run(lambda c: results.complete(c, claimed, EXTRACTION), "worker")


def fail(runtime: Runtime, claimed: Claim, code: str = "corrupt") -> bool:
    return runtime.database.run(lambda c: results.fail(c, claimed, code, "parse", "broken", {}), "worker")


def finish_all(runtime: Runtime, task_id: str, failing: Sequence[int] = ()) -> None:
    """Completes every document of a task but those in `failing` (their numbers), which end in error."""
    for number, result_id in enumerate(ids_of(runtime, task_id)):
        claimed = claim(runtime, result_id)
        assert fail(runtime, claimed) if number in failing else complete(runtime, claimed)


def beat(runtime: Runtime, claimed: Claim, stage: int = 0, done: int = 0, waited_ms: int = 0) -> bool:
    """Whether the claim was still owned."""
    one = Beat(claimed.result_id, claimed.attempt, stage, done, 10, waited_ms)
    return claimed.result_id in runtime.database.run(lambda c: beats.beat_claims(c, [one]), "worker")


def age(runtime: Runtime, result_id: int, *, beat_at: float = 0, progress_at: float = 0, claimed_at: float = 0) -> None:
    """Moves a claim's instants back by so many seconds."""
    values = {"id": result_id, "beat": beat_at, "progress": progress_at, "claimed": claimed_at}
    sql(
        runtime,
        "UPDATE scatter.claim_beat SET beat_at = beat_at - make_interval(secs => :beat), "
        "progress_at = progress_at - make_interval(secs => :progress) WHERE result_id = :id",
        id=result_id, beat=values["beat"], progress=values["progress"],
    )  # fmt: skip
    sql(
        runtime,
        "UPDATE scatter.extraction_result SET claimed_at = claimed_at - make_interval(secs => :claimed) WHERE id = :id",
        id=result_id, claimed=values["claimed"],
    )  # fmt: skip


def make_due(runtime: Runtime, task_id: str) -> None:
    sql(runtime, "UPDATE scatter.extraction_result SET not_before = NULL WHERE task_id = :t", t=task_id)


@contextmanager
def databases(settings: Settings, n: int) -> Iterator[list[Database]]:
    """`n` databases with connections of their own, as `n` processes have."""
    with ExitStack() as stack:
        made = [Database(settings) for _ in range(n)]
        for one in made:
            stack.callback(one.dispose)
        yield made


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """What each returned; all start together, and the first exception is raised."""
    barrier = threading.Barrier(len(works))

    def start(work: Callable[[], T]) -> T:
        barrier.wait(timeout=30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(start, works))


def until(condition: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Looks again and again until `condition` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.01)


def blocked(runtime: Runtime) -> int:
    """How many sessions of this database wait for a lock."""
    found = sql(
        runtime,
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return int(found[0][0])


@contextmanager
def in_background(runtime: Runtime, work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Starts `work` and waits until it hangs on a lock; what is yielded gives its result."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        until(lambda: future.done() or blocked(runtime), "the work waits for a lock")
        assert not future.done(), "the work did not wait for the lock"
        yield lambda: future.result(timeout=20)
