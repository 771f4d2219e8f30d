"""Sixty steps that do whatever a die says, three workers, one oracle: each ends as it was told to."""

import random
from pathlib import Path

import pytest

from scatter_pipelines_tests.executor.comparing import assert_consistent
from scatter_pipelines_tests.executor.reference import Arena

pytestmark = [pytest.mark.xdist_group("executor_faults"), pytest.mark.timeout(120)]

STEPS = 60
TRIES = 3
GOOD = ["ok", "shout:1000", "fork", "keep:1"]
BAD = ["fail", "fail_unpicklable", "fail_unspeakable", "retry:2", "kill", "process_exit:1", "shout_and_die"]
LAST = ["fail_for_good", "python_exit:1"]
"""Never tried again."""


def plan(dice: random.Random) -> list[str]:
    """What a step does at each try: mostly good things."""
    return [dice.choice(dice.choices((GOOD, BAD, LAST), (12, 6, 1))[0]) for _ in range(TRIES)]


def expected(actions: list[str]) -> list[str]:
    kinds = []
    for number, action in enumerate(actions, 1):
        kinds.append("STEP_START" if number == 1 else "STEP_RESTARTED")
        if action in GOOD:
            return [*kinds, "STEP_SUCCESS"]
        if action in LAST or number == TRIES:
            return [*kinds, "STEP_FAILURE"]
        kinds.append("STEP_UP_FOR_RETRY")
    return kinds


@pytest.fixture
def seed() -> int:
    chosen = random.randrange(1_000_000)
    print(f"seed {chosen}")
    return chosen


def test_every_step_ends_as_its_plan_says(arena: Arena, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    steps = {f"n{number}": plan(dice) for number in range(STEPS)}
    run = arena.act("again", tmp_path, steps, max_concurrent=3, recycle_steps=10)
    wanted = {key: expected(actions) for key, actions in steps.items()}
    assert {key: run.kinds_of(f"do_again[{key}]") for key in steps} == wanted
    assert {key: run.stats[f"do_again[{key}]"].attempts for key in steps} == {
        key: len(kinds) // 2 for key, kinds in wanted.items()
    }
    assert run.status == ("FAILURE" if any(kinds[-1] == "STEP_FAILURE" for kinds in wanted.values()) else "SUCCESS")
    assert_consistent(run)
