"""A parsing service that works, waits, fails and hangs: what each does to its document, and what is asked next."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from scatter_pipelines.model.states import STAGES
from scatter_pipelines.settings import Settings
from scatter_pipelines.store.slots import Slots
from scatter_pipelines.work import operate
from scatter_pipelines.work.breaker import Breaker
from scatter_pipelines.work.doctor import examine
from scatter_pipelines.work.progress import Progress
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import attempts, result_rows
from scatter_pipelines_tests.grobid.conftest import paper
from scatter_pipelines_tests.grobid.running import StandIn
from scatter_pipelines_tests.grobid.tei import tei_of
from scatter_pipelines_tests.store.rows import attempts_of, beat_of, ids_of, make_due, row_of, until
from scatter_pipelines_tests.work.workers import process, submitted

T = TypeVar("T")


@contextmanager
def beside(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Does the work in a thread of its own; what is yielded gives its result."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        yield lambda: future.result(timeout=60)


@contextmanager
def served(settings: Settings, grobid: StandIn, **more: object) -> Iterator[Runtime]:
    chosen = {"parsing_service": "grobid", "grobid_url": grobid.url}
    with open_runtime(settings.model_copy(update=chosen | more)) as runtime:
        yield runtime


def one(runtime: Runtime, task_id: str) -> dict[str, Any]:
    (row,) = result_rows(runtime, task_id)
    return row


def test_a_document_tells_what_read_it(settings: Settings, grobid: StandIn, folder: Callable[[int], Path]) -> None:
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, folder(1))
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
        assert outcome.kind == "completed" and "+ grobid 0.8.2" in outcome.message
        (attempt,) = attempts(runtime, task_id)
        row = one(runtime, task_id)
    assert attempt["message"].startswith("Read by pdfium") and attempt["message"].endswith("+ grobid 0.8.2.")
    assert "annotate_ms" in row["timings"] and "parsing_fallbacks" not in row["usage"]
    assert grobid.calls() == 1


def test_without_the_setting_nobody_is_asked_and_nothing_is_noted(
    runtime: Runtime, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    task_id = submitted(runtime, folder(1))
    process(runtime, task_id, *ids_of(runtime, task_id))
    assert grobid.calls() == 0
    assert [attempt["message"] for attempt in attempts(runtime, task_id)] == [None]
    assert "annotate_ms" not in one(runtime, task_id)["timings"]


def test_a_text_is_never_sent(settings: Settings, grobid: StandIn, texts: Callable[..., Path]) -> None:
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, texts(1))
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert (outcome.kind, grobid.calls()) == ("completed", 0)


def test_a_busy_service_is_asked_again(settings: Settings, grobid: StandIn, folder: Callable[[int], Path]) -> None:
    grobid.does("busy:0", "busy:1", "tei")
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, folder(1))
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert outcome.kind == "completed" and "+ grobid" in outcome.message
    assert grobid.calls() == 3


FAILING = ["busy", "busy:9", "hang", "drip", "reset", "cut", "status:500 oh", "html", "bomb", "external"]


@pytest.mark.parametrize("act", FAILING)
def test_with_fallback_a_document_completes_with_local_values_and_says_so(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path], act: str
) -> None:
    made = folder(1)
    with open_runtime(settings) as runtime:
        alone = submitted(runtime, made)
        process(runtime, alone, *ids_of(runtime, alone))
        expected = one(runtime, alone)["fields"]
    grobid.does(act)
    with served(settings, grobid, grobid_seconds=0.7) as runtime:
        task_id = submitted(runtime, made)
        assert task_id != alone, "another way of parsing is another task"
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
        row = one(runtime, task_id)
        (attempt,) = attempts(runtime, task_id)
    assert outcome.kind == "completed" and "alone, without grobid: " in outcome.message
    assert row["fields"] == expected and row["usage"]["parsing_fallbacks"] == 1
    assert "alone, without grobid: " in attempt["message"]


@pytest.mark.parametrize("act", ["hang", "reset", "status:500 oh", "html"])
def test_without_fallback_it_is_tried_again_and_then_ends_as_unavailable(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path], act: str
) -> None:
    grobid.does(act)
    more = {"parsing_fallback": False, "grobid_seconds": 0.5, "max_tries": 2}
    with served(settings, grobid, **more) as runtime:
        task_id = submitted(runtime, folder(1))
        (result_id,) = ids_of(runtime, task_id)
        for _ in range(2):
            (outcome,) = process(runtime, task_id, result_id)
            assert (outcome.kind, outcome.code) == ("retry", "upstream_unavailable")
            make_due(runtime, task_id)
        (outcome,) = process(runtime, task_id, result_id)
        assert (outcome.kind, outcome.code, outcome.exhausted) == ("error", "upstream_unavailable", True)
        row = row_of(runtime, result_id)
        assert (row.status, row.error_code, row.error_stage) == ("error", "upstream_unavailable", "parse")
        assert [a.outcome for a in attempts_of(runtime, result_id)] == ["transient"] * 3


def test_without_fallback_a_busy_service_is_a_wait_and_no_try(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("busy:30")
    with served(settings, grobid, parsing_fallback=False, grobid_seconds=1) as runtime:
        task_id = submitted(runtime, folder(1))
        (result_id,) = ids_of(runtime, task_id)
        (outcome,) = process(runtime, task_id, result_id)
        assert (outcome.kind, outcome.code) == ("retry", "upstream_wait")
        assert outcome.retry_in is not None and 25 < outcome.retry_in <= 30
        row = row_of(runtime, result_id)
    assert (row.waits, row.tries) == (1, 0)


@pytest.mark.parametrize("act", ["nothing", "status:500 [NO_BLOCKS] nothing to read", "status:400 bad"])
def test_a_document_that_the_service_refuses_is_done_alone_whatever_the_setting(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path], act: str
) -> None:
    grobid.does(act)
    with served(settings, grobid, parsing_fallback=False) as runtime:
        task_id = submitted(runtime, folder(1))
        (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
    assert outcome.kind == "completed" and "alone, without grobid" in outcome.message
    assert grobid.calls() == 1


def test_coordinates_that_do_not_fit_lead_to_local_values(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    made = folder(2)
    grobid.knows(paper(0).content, tei_of(paper(1)))
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, made)
        first, second = process(runtime, task_id, *ids_of(runtime, task_id))
    assert "do not fit" in first.message and "+ grobid" in second.message


def test_a_dead_service_is_left_alone_after_some_failures(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("reset")
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, folder(5))
        outcomes = process(runtime, task_id, *ids_of(runtime, task_id))
    assert [outcome.kind for outcome in outcomes] == ["completed"] * 5
    assert ["Not asked" in outcome.message for outcome in outcomes] == [False] * 3 + [True] * 2
    assert grobid.calls() == 3


def test_refusals_do_not_count_as_failures_of_the_service(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("nothing")
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, folder(5))
        process(runtime, task_id, *ids_of(runtime, task_id))
    assert grobid.calls() == 5


def test_the_breaker_lets_one_call_through_when_its_time_is_over() -> None:
    breaker = Breaker(failures=2, rest_seconds=1_000)
    breaker.failed()
    assert breaker.left() == 0
    breaker.failed()
    assert 0 < breaker.left() <= 1_000
    breaker.opened_at -= 1_000
    assert breaker.left() == 0
    breaker.failed()
    assert 1_900 < breaker.left() <= 2_000, "one more failure is enough, and the rest is longer"
    breaker.in_a_row = 1_000
    assert breaker.left() <= 16_000
    breaker.answered()
    assert breaker.left() == 0 and breaker.in_a_row == 0


def test_a_stop_is_heard_while_the_service_hangs(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    grobid.does("hang")
    with served(settings, grobid, grobid_seconds=300, hang_seconds=20) as runtime:
        task_id = submitted(runtime, folder(1))
        ids = ids_of(runtime, task_id)
        with beside(lambda: process(runtime, task_id, *ids)) as result:
            until(lambda: grobid.calls() == 1, "the call to be under way")
            operate.cancel(runtime, task_id)
            (outcome,) = result()
        assert outcome.kind == "skipped"
        assert row_of(runtime, ids[0]).status == "cancelled"
    assert grobid.seen()["now"] == 1, "the service is still at it"


def test_waiting_for_a_slot_does_not_count_against_the_limit_of_parsing(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    """The wait is longer than all the limits of the work together."""
    limits = {"parse_slots": 1, "parse_seconds": 1, "parse_page_seconds": 0.1, "grobid_seconds": 0.5}
    with served(settings, grobid, **limits) as runtime:
        task_id = submitted(runtime, folder(1))
        ids = ids_of(runtime, task_id)
        other = Slots(runtime.settings)
        slot = other.try_take("parse")
        assert slot is not None
        with beside(lambda: process(runtime, task_id, *ids)) as result:
            until(lambda: _waited(runtime, ids[0]) > 3_000, "a long wait to be beaten for")
            assert grobid.calls() == 0
            other.close()
            (outcome,) = result()
    assert (outcome.kind, outcome.code) == ("completed", None)


def _waited(runtime: Runtime, result_id: int) -> int:
    beat = beat_of(runtime, result_id)
    return 0 if beat is None else beat.waited_ms


def test_a_slot_that_never_comes_is_given_up_before_the_supervisor_acts(
    settings: Settings, grobid: StandIn, folder: Callable[[int], Path]
) -> None:
    with served(settings, grobid, parse_slots=1, wait_seconds=6) as runtime:
        task_id = submitted(runtime, folder(1))
        other = Slots(runtime.settings)
        with other.hold("parse"):
            (outcome,) = process(runtime, task_id, *ids_of(runtime, task_id))
        other.close()
    assert outcome.kind == "completed" and "waited for too long" in outcome.message


def test_the_slot_is_free_after_each_end(settings: Settings, grobid: StandIn, folder: Callable[[int], Path]) -> None:
    grobid.does("tei", "reset", "nothing")
    with served(settings, grobid) as runtime:
        task_id = submitted(runtime, folder(3))
        process(runtime, task_id, *ids_of(runtime, task_id))
        assert runtime.slots.used()["parse"] == 0


def test_work_on_an_answer_that_does_not_end_has_a_limit(settings: Settings) -> None:
    progress = Progress.begin(1, 1)
    progress.enter(STAGES.index("annotating"))
    most = settings.parse_seconds + 2 * settings.grobid_seconds
    progress.stage_started -= most - 5
    assert progress.overdue(settings) is None
    progress.stage_started -= 10
    stop = progress.overdue(settings)
    assert stop is not None and stop.kind == "parse_timeout"


def test_the_doctor_looks_at_the_service(settings: Settings, grobid: StandIn) -> None:
    chosen = settings.model_copy(update={"parsing_service": "grobid", "grobid_url": grobid.url})
    assert _finding(chosen) == ("ok", "grobid 0.8.2, 2 calls at once")
    grobid.kill()
    level, message = _finding(chosen)
    assert level == "warning" and "refused" in message
    level, message = _finding(chosen.model_copy(update={"parsing_fallback": False}))
    assert level == "error" and "no PDF can be done" in message
    assert "parsing service" not in [finding.what for finding in examine(settings)]


def _finding(settings: Settings) -> tuple[str, str]:
    ((level, message),) = [(f.level, f.message) for f in examine(settings) if f.what == "parsing service"]
    return level, message
