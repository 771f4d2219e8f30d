"""Documents that kill their worker, through `scatter run`: each is given up after three, and the task closes."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import attempts


def test_documents_that_kill_every_worker_end_after_three_losses(
    scatter: Callable[..., "subprocess.CompletedProcess[str]"], runtime: Runtime, texts: Callable[..., Path]
) -> None:
    done = scatter("run", str(texts(3)), "--shard-size", "1", "--json", SCATTER_CRASH_POINT="claimed", timeout=200)
    assert done.returncode == 1, done.stderr
    printed = json.loads(done.stdout)
    assert printed["status"] == "failed"
    assert {error["code"] for error in printed["errors"]} == {"worker_crashed"}
    assert [row["outcome"] for row in attempts(runtime, printed["task_id"])] == ["lost"] * 9
