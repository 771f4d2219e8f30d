"""How fast an endpoint is asked, over all processes."""

import time

import pytest

from scatter_pipelines.settings import Settings
from scatter_pipelines.store import pace
from scatter_pipelines.store.database import Database
from scatter_pipelines.store.pace import BURST_SECONDS
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import at_once, databases, sql

NAME = "http://endpoint model"


def turn(database: Database, requests: float = 0, tokens: float = 0, size: int = 100) -> float:
    return database.run(
        lambda c: pace.take_turn(c, NAME, requests_per_minute=requests, tokens_per_minute=tokens, tokens=size),
        "worker",
        one_by_one=True,
    )


@pytest.fixture
def known(runtime: Runtime) -> Database:
    runtime.database.run(lambda c: pace.know(c, NAME), "worker")
    return runtime.database


def test_no_more_turns_are_given_at_once_than_the_pace_allows(known: Database, settings: Settings) -> None:
    per_minute, workers, seconds = 600, 4, 1.5
    with databases(settings, workers) as opened:

        def ask(database: Database) -> list[float]:
            end, taken = time.monotonic() + seconds, []
            while time.monotonic() < end:
                if turn(database, requests=per_minute) == 0:
                    taken.append(time.monotonic())
            return taken

        began = time.monotonic()
        taken = sorted(moment for one in at_once([lambda d=d: ask(d) for d in opened]) for moment in one)
    took = taken[-1] - began
    assert len(taken) > per_minute * BURST_SECONDS / 60 / 2
    assert len(taken) <= 1 + per_minute * (took + BURST_SECONDS) / 60


def test_a_minute_never_has_more_than_its_number(known: Database, runtime: Runtime) -> None:
    """By the clock of the row, moved on instead of waited for."""
    taken = 0
    for _ in range(60):
        while turn(known, requests=30) == 0:
            taken += 1
        sql(runtime, "UPDATE scatter.llm_pace SET requests_at = requests_at - interval '1 second'")
    assert 25 < taken <= 30


def test_tokens_have_a_pace_of_their_own(known: Database) -> None:
    assert turn(known, tokens=6_000, size=600) == 0
    seconds = turn(known, tokens=6_000, size=600)
    assert 0 < seconds < 60


def test_without_a_limit_only_a_pause_is_waited_for(known: Database) -> None:
    assert [turn(known) for _ in range(50)] == [0.0] * 50
    known.run(lambda c: pace.pause(c, NAME, 30), "worker")
    known.run(lambda c: pace.pause(c, NAME, 5), "worker")
    assert 25 < turn(known) <= 30
    assert 25 < turn(known, requests=600) <= 30


def test_failures_in_a_row_make_pauses_that_double_and_one_answer_ends_the_row(
    known: Database, runtime: Runtime
) -> None:
    def fail() -> float:
        sql(runtime, "UPDATE scatter.llm_pace SET paused_until = clock_timestamp()")
        known.run(lambda c: pace.failed(c, NAME, 10), "worker")
        return turn(known)

    assert [round(fail()) for _ in range(9)] == [0, 0, 10, 20, 40, 80, 160, 300, 300]
    known.run(lambda c: pace.answered(c, NAME), "worker")
    assert fail() == 0


def test_calls_that_fail_together_count_as_few(known: Database) -> None:
    for _ in range(20):
        known.run(lambda c: pace.failed(c, NAME, 10), "worker")
    assert 9 < turn(known) <= 10
