"""What can be seen of a step while it is still at work."""

from pathlib import Path

import pytest

from scatter_pipelines_tests.executor.place import wait_for
from scatter_pipelines_tests.executor.runner import Start

pytestmark = [pytest.mark.xdist_group("executor_termination"), pytest.mark.timeout(90)]


def test_a_step_at_work_has_begun_and_what_it_prints_can_be_read(start: Start, tmp_path: Path) -> None:
    worker = start("once", tmp_path, {"a": "shout_and_hold:go"}, max_concurrent=1)
    wait_for(lambda: worker.outcome().kinds_of("do[a]") == ["STEP_START"], "the start to be written", 10)
    wait_for(lambda: worker.outcome().all_printed("do[a]") == [("so far\n", "")], "the text to be readable", 10)
    (tmp_path / "go").touch()
    run = worker.wait()
    assert run.status == "SUCCESS"
    assert run.kinds_of("do[a]") == ["STEP_START", "STEP_SUCCESS"]
    assert run.printed("do[a]") == ("so far\n", "")
