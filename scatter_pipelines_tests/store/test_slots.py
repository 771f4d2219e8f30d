"""Slots: never more than the limit over all processes, and freed by any death."""

import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest

from scatter_pipelines.settings import Settings
from scatter_pipelines.store.slots import Slots
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import sql, until

USER = [sys.executable, "-m", "scatter_pipelines_tests.store.slot_user"]
LIMITS = {"document": 3, "parse": 1, "llm": 2}
TABLE = """
    CREATE TABLE slot_use (id bigint GENERATED ALWAYS AS IDENTITY, level text,
                           started_at timestamptz DEFAULT clock_timestamp(), ended_at timestamptz)
"""
OVERLAP = """
    -- how many others of the same level had a slot at the moment this one began
    SELECT level, max(together) AS most, count(*) AS uses, count(ended_at) AS ended FROM (
        SELECT a.level, a.ended_at, (SELECT count(*) FROM slot_use b
                 WHERE b.level = a.level AND b.started_at <= a.started_at AND b.ended_at > a.started_at) AS together
          FROM slot_use a) x
     GROUP BY level
"""


@pytest.fixture
def slots(settings: Settings) -> Iterator[Slots]:
    made = Slots(settings.model_copy(update={"document_slots": 3}))
    yield made
    made.close()


def _numbers(slots: Slots, n: int) -> set[int]:
    """The numbers of `n` slots that can be taken."""
    taken = [slots.try_take("document") for _ in range(n)]
    return {slot.number for slot in taken if slot is not None}


def _end_sessions(runtime: Runtime) -> None:
    sql(
        runtime,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'scatter_slots%'",
    )


def test_four_processes_never_hold_more_than_the_limit_of_each_level(
    runtime: Runtime, environment: dict[str, str]
) -> None:
    sql(runtime, TABLE)
    limits = {f"SCATTER_{level.upper()}_SLOTS": str(limit) for level, limit in LIMITS.items()}
    processes = [subprocess.Popen([*USER, "8"], env=environment | limits) for _ in range(4)]
    assert [process.wait(timeout=90) for process in processes] == [0] * 4
    found = {row.level: row for row in sql(runtime, OVERLAP)}
    assert {level: (row.uses, row.ended) for level, row in found.items()} == dict.fromkeys(LIMITS, (64, 64))
    for level, limit in LIMITS.items():
        assert found[level].most <= limit, level
    assert found["document"].most > 1, "they did work beside each other"


def test_a_process_that_is_killed_frees_its_slot(runtime: Runtime, environment: dict[str, str]) -> None:
    one = environment | {"SCATTER_DOCUMENT_SLOTS": "1"}
    with subprocess.Popen([*USER, "keep"], env=one, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        mine = Slots(runtime.settings.model_copy(update={"document_slots": 1}))
        assert mine.used()["document"] == 1
        assert mine.try_take("document") is None
        holder.kill()
        until(lambda: mine.try_take("document"), "the server frees the slot of the dead")
        mine.close()


def test_all_slots_can_be_held_at_once_and_one_more_cannot(slots: Slots, settings: Settings) -> None:
    assert _numbers(slots, 3) == {0, 1, 2}
    other = Slots(settings.model_copy(update={"document_slots": 3}))
    assert slots.try_take("document") is None, "not in the process that has them"
    assert other.try_take("document") is None, "and not in another"
    assert other.try_take("parse") is not None, "another level is another matter"
    assert other.used() == {"document": 3, "parse": 1, "llm": 0}
    slots.close()
    until(lambda: other.used()["document"] == 0, "the server frees the slots of a session that ended")
    assert _numbers(other, 3) == {0, 1, 2}
    other.close()


def test_a_slot_is_freed_at_the_end_also_after_an_error(slots: Slots) -> None:
    with pytest.raises(ZeroDivisionError), slots.hold("document"):
        assert slots.used()["document"] == 1
        _ = 1 / 0
    assert slots.used()["document"] == 0


def test_who_waits_for_a_slot_may_be_called_away(settings: Settings) -> None:
    one = settings.model_copy(update={"document_slots": 1})
    first, second = Slots(one), Slots(one)

    def give_up() -> None:
        raise InterruptedError("not wanted any more")

    with first.hold("document"), pytest.raises(InterruptedError), second.hold("document", give_up):
        pytest.fail("there was no slot to be had")
    with second.hold("document"):
        assert first.try_take("document") is None
    first.close()
    second.close()


def test_a_broken_session_is_opened_anew_and_its_slots_are_taken_anew(runtime: Runtime, slots: Slots) -> None:
    with slots.hold("document"):
        _end_sessions(runtime)
        assert slots.try_take("document") is not None
        assert slots.used()["document"] == 1, "the first one went with its session"


def test_the_holder_of_a_lost_slot_does_not_free_that_of_its_successor(runtime: Runtime, settings: Settings) -> None:
    slots = Slots(settings.model_copy(update={"document_slots": 2}))
    with slots.hold("document"):
        _end_sessions(runtime)
        assert _numbers(slots, 2) == {0, 1}
    assert slots.used()["document"] == 2
    slots.close()


def test_a_database_that_is_away_for_a_moment_does_not_fail_who_waits(
    runtime: Runtime, database_url: str, slots: Slots
) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]
    with slots.hold("parse"):
        pass
    admin = psycopg.connect(database_url.replace("+psycopg", "").replace(f"/{name}", "/postgres"), autocommit=True)
    admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [name])
    tries = []

    def look() -> None:
        tries.append(1)
        if len(tries) == 3:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    with slots.hold("document", look):
        assert len(tries) >= 3
    admin.close()
