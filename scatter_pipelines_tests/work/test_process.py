"""One document's work: what each class of error does to its row, and to no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import results
from scatter_pipelines.work import extraction as module
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import counts_of, result_rows
from scatter_pipelines_tests.store.rows import (
    attempts_of,
    beat_of,
    claim,
    complete,
    ids_of,
    make_due,
    make_task,
    row_of,
    sql,
)
from scatter_pipelines_tests.work.server import Answers, serving
from scatter_pipelines_tests.work.workers import HOLDER, OTHER, process, submitted, working

Texts = Callable[..., Path]


def test_a_document_becomes_a_completed_row_with_fields_and_history(runtime: Runtime, texts: Texts) -> None:
    task_id = submitted(runtime, texts(1))
    (result_id,) = ids_of(runtime, task_id)
    (outcome,) = process(runtime, task_id, result_id)
    assert (outcome.kind, outcome.attempt, outcome.pages) == ("completed", 1, 1)
    (line,) = result_rows(runtime, task_id)
    assert line["fields"]["sample_size"]["value"]
    assert {"read_ms", "parse_ms", "extract_ms"} <= line["timings"].keys()
    row = row_of(runtime, result_id)
    assert (row.run_id, row.step_key, row.status) == (HOLDER.run_id, HOLDER.step_key, "completed")
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["completed"]
    assert beat_of(runtime, result_id) is None


def _changed(path: Path) -> None:
    path.write_text("other text than at submit")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (Path.unlink, "source_missing"),
        (_changed, "source_changed"),
        (_folder, "source_unreadable"),
        (_circle, "source_unreadable"),
    ],
)
def test_a_source_that_changed_since_submit_hurts_its_own_row_alone(
    runtime: Runtime, texts: Texts, damage: Callable[[Path], None], code: str
) -> None:
    folder = texts(3)
    task_id = submitted(runtime, folder)
    damage(folder / "note-00001.txt")
    outcomes = process(runtime, task_id, *ids_of(runtime, task_id))
    assert [outcome.kind for outcome in outcomes] == ["completed", "error", "completed"]
    assert (outcomes[1].code, outcomes[1].exhausted) == (code, False)
    row = row_of(runtime, ids_of(runtime, task_id)[1])
    assert (row.status, row.error_code, row.error_stage, row.tries) == ("error", code, "read", 0)
    assert counts_of(runtime, task_id).completed == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty"), (b"%PDF-1.7\nnothing more", "corrupt"), (b"PK\x03\x04" + bytes(60), "unsupported_type")],
)
def test_a_document_that_cannot_be_parsed_ends_with_its_own_code(
    runtime: Runtime, texts: Texts, content: bytes, code: str
) -> None:
    folder = texts(2)
    (folder / "note-00000.txt").write_bytes(content)
    task_id = submitted(runtime, folder)
    first, second = process(runtime, task_id, *ids_of(runtime, task_id))
    assert (first.kind, first.code, second.kind) == ("error", code, "completed")
    row = row_of(runtime, ids_of(runtime, task_id)[0])
    assert (row.error_code, row.error_stage) == (code, "parse")


def test_a_document_larger_than_allowed_is_not_read(settings: Settings, texts: Texts) -> None:
    folder = texts(2)
    (folder / "note-00000.txt").write_bytes(b"x" * 5_000)
    with open_runtime(settings.model_copy(update={"max_bytes": 1_000})) as runtime:
        task_id = submitted(runtime, folder)
        first, second = process(runtime, task_id, *ids_of(runtime, task_id))
    assert (first.code, second.kind) == ("too_large", "completed")


def test_a_passing_error_goes_back_with_a_doubling_back_off_until_the_tries_are_used_up(
    settings: Settings,
) -> None:
    answers = Answers(503)
    with serving(answers) as url, open_runtime(settings.model_copy(update={"retry_seconds": 10})) as runtime:
        task_id = submitted(runtime, url)
        (result_id,) = ids_of(runtime, task_id)
        for tries, wait in enumerate((10, 20, 40), start=1):
            (outcome,) = process(runtime, task_id, result_id)
            row = row_of(runtime, result_id)
            assert (outcome.kind, outcome.code) == ("retry", "source_unavailable")
            assert (row.status, row.tries, row.error_code) == ("pending", tries, None)
            assert outcome.retry_in is not None
            assert 0.85 * wait < outcome.retry_in <= 1.1 * wait
            assert row.not_before is not None
            (early,) = process(runtime, task_id, result_id)
            assert (early.kind, early.message, answers.requests) == ("retry", "Not due yet.", tries)
            make_due(runtime, task_id)
        (outcome,) = process(runtime, task_id, result_id)
        assert (outcome.kind, outcome.code, outcome.exhausted) == ("error", "source_unavailable", True)
        row = row_of(runtime, result_id)
        assert (row.status, row.error_code, row.error_stage, row.attempt) == ("error", "source_unavailable", "read", 4)
        assert [a.outcome for a in attempts_of(runtime, result_id)] == ["transient"] * 4
    assert answers.requests == 4


def test_back_offs_are_not_all_the_same(runtime: Runtime) -> None:
    task_id = make_task(runtime, 20)
    for result_id in ids_of(runtime, task_id):
        claimed = claim(runtime, result_id)
        runtime.database.run(
            lambda c, one=claimed: results.try_later(  # type: ignore[misc]
                c, one, "source_unavailable", "read", "503", retry_after=None, retry_seconds=10, max_tries=3
            )
        )
    waits = sql(
        runtime,
        "SELECT extract(epoch FROM r.not_before - a.ended_at)::float8 AS s FROM scatter.extraction_result r "
        "JOIN scatter.extraction_attempt a ON a.result_id = r.id",
    )
    assert all(8.9 < row.s < 11.1 for row in waits)
    assert max(row.s for row in waits) - min(row.s for row in waits) > 0.1


def test_what_an_upstream_asks_for_wins_over_our_own_back_off(settings: Settings) -> None:
    with (
        serving(Answers(429, Retry_After="77")) as url,
        open_runtime(settings.model_copy(update={"retry_seconds": 10})) as runtime,
    ):
        task_id = submitted(runtime, url)
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert outcome.retry_in is not None
    assert 76 < outcome.retry_in <= 77


def test_a_document_that_is_there_at_the_second_try_is_completed(runtime: Runtime) -> None:
    with serving(Answers(503, 200)) as url:
        task_id = submitted(runtime, url)
        (result_id,) = ids_of(runtime, task_id)
        assert process(runtime, task_id, result_id)[0].kind == "retry"
        make_due(runtime, task_id)
        assert process(runtime, task_id, result_id)[0].kind == "completed"
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["transient", "completed"]


@pytest.mark.parametrize(("status", "code"), [(404, "source_missing"), (403, "source_unreadable")])
def test_a_refusal_is_not_tried_again(runtime: Runtime, status: int, code: str) -> None:
    answers = Answers(status)
    with serving(answers) as url:
        task_id = submitted(runtime, url)
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert (outcome.kind, outcome.code, answers.requests) == ("error", code, 1)


def test_a_wait_is_not_counted_as_a_try_and_ends_after_its_own_number(settings: Settings, texts: Texts) -> None:
    def busy(*_arguments: object, **_values: object) -> None:
        raise DocumentError("upstream_wait", "The service is busy.")

    with open_runtime(settings.model_copy(update={"max_waits": 2})) as runtime, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "extract_fields", busy)
        task_id = submitted(runtime, texts(1))
        (result_id,) = ids_of(runtime, task_id)
        for waits in (1, 2):
            assert process(runtime, task_id, result_id)[0].kind == "retry"
            row = row_of(runtime, result_id)
            assert (row.status, row.waits, row.tries) == ("pending", waits, 0)
            make_due(runtime, task_id)
        (outcome,) = process(runtime, task_id, result_id)
        assert (outcome.kind, outcome.code, outcome.exhausted) == ("error", "upstream_wait", True)


def test_a_finished_row_is_not_done_again(runtime: Runtime, texts: Texts, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = texts(2)
    task_id = submitted(runtime, folder)
    (folder / "note-00001.txt").unlink()
    ids = ids_of(runtime, task_id)
    process(runtime, task_id, *ids)
    before = [row_of(runtime, i) for i in ids]
    monkeypatch.setattr(module, "read_document", _never)
    with working(runtime, task_id) as worker:
        assert [worker.process(i, OTHER).kind for i in ids] == ["skipped", "skipped"]
    assert [row_of(runtime, i) for i in ids] == before


def test_a_step_whose_worker_was_lost_after_the_end_tells_what_it_came_to(
    runtime: Runtime, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = texts(2)
    task_id = submitted(runtime, folder)
    (folder / "note-00001.txt").unlink()
    ids = ids_of(runtime, task_id)
    first = process(runtime, task_id, *ids)
    monkeypatch.setattr(module, "read_document", _never)
    again = process(runtime, task_id, *ids)
    assert [(o.kind, o.code, o.attempt) for o in again] == [(o.kind, o.code, o.attempt) for o in first]
    assert [o.kind for o in again] == ["completed", "error"]


def _never(*_arguments: object, **_values: object) -> bytes:
    raise AssertionError("nothing was to be read")


def test_a_row_that_another_worker_has_or_that_is_held_is_skipped_quietly(runtime: Runtime, texts: Texts) -> None:
    task_id = submitted(runtime, texts(2))
    taken, held = ids_of(runtime, task_id)
    claimed = claim(runtime, taken)
    assert process(runtime, task_id, taken)[0].kind == "skipped"
    assert complete(runtime, claimed)
    sql(runtime, "INSERT INTO scatter.task_hold (task_id, reason, placed_by) VALUES (:t, 'quota', 'x')", t=task_id)
    (outcome,) = process(runtime, task_id, held)
    assert (outcome.kind, "hold" in outcome.message) == ("skipped", True)
    assert row_of(runtime, held).attempt == 0


def test_a_bug_of_ours_is_an_internal_error_of_one_document(
    runtime: Runtime, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = module.extract_fields, []

    def broken(*arguments: object, **values: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("list index out of range")
        return real(*arguments, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "extract_fields", broken)
    task_id = submitted(runtime, texts(2))
    ids = ids_of(runtime, task_id)
    first, second = process(runtime, task_id, *ids)
    assert (first.kind, first.code, second.kind) == ("error", "internal_error", "completed")
    row = row_of(runtime, ids[0])
    assert (row.error_code, row.error_message) == ("internal_error", "RuntimeError: list index out of range")
    (attempt,) = attempts_of(runtime, ids[0])
    assert (attempt.outcome, attempt.code, attempt.run_id) == ("error", "internal_error", "run-1")
    assert attempt.message == "RuntimeError: list index out of range"
    assert attempt.started_at < attempt.ended_at


def test_too_little_memory_is_a_limit_that_is_hit_twice(
    runtime: Runtime, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_arguments: object, **_values: object) -> None:
        raise MemoryError

    monkeypatch.setattr(module, "parse_document", greedy)
    task_id = submitted(runtime, texts(1))
    (result_id,) = ids_of(runtime, task_id)
    kinds = [process(runtime, task_id, result_id)[0] for _ in range(2)]
    assert [(o.kind, o.code, o.exhausted) for o in kinds] == [
        ("retry", "memory_limit", False), ("error", "memory_limit", False),
    ]  # fmt: skip


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_run_gives_its_document_back_uncounted(
    runtime: Runtime, texts: Texts, monkeypatch: pytest.MonkeyPatch, interrupt: type[BaseException]
) -> None:
    def stop(*_arguments: object, **_values: object) -> None:
        raise interrupt

    monkeypatch.setattr(module, "extract_fields", stop)
    task_id = submitted(runtime, texts(1))
    (result_id,) = ids_of(runtime, task_id)
    with working(runtime, task_id) as worker, pytest.raises(interrupt):
        worker.process(result_id, HOLDER)
    row = row_of(runtime, result_id)
    assert (row.status, row.attempt, row.tries, row.losses, row.limit_hits) == ("pending", 1, 0, 0, 0)
    assert [a.outcome for a in attempts_of(runtime, result_id)] == ["given_back"]
    assert runtime.slots.used()["document"] == 0


def test_a_save_whose_confirmation_was_lost_is_a_completion(
    runtime: Runtime, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit took effect, the connection broke, the same write is tried again and finds its own row."""
    real = results.complete

    def twice(connection: object, *rest: object) -> bool:
        real(connection, *rest)  # type: ignore[arg-type]
        return real(connection, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(results, "complete", twice)
    task_id = submitted(runtime, texts(1))
    (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert (outcome.kind, counts_of(runtime, task_id).completed) == ("completed", 1)
