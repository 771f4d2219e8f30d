"""A process that has imported the program once and is forked for each command.

A command is a real process all the same, with its own streams, environment and exit status; what it saves is the
second that importing takes. Run as a program: requests as JSON lines on its input, exit statuses on its output.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any


class Zygote:
    """The parent's side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scatter_pipelines_tests.cli.zygote"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], cwd: Path
    ) -> subprocess.CompletedProcess[str]:
        out, err = self.folder / "stdout", self.folder / "stderr"
        request = {
            "arguments": arguments,
            "environment": dict(environment),
            "cwd": str(cwd),
            "stdout": str(out),
            "stderr": str(err),
        }
        requests, answers = self._pipes()
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        status = int(answers.readline())
        return subprocess.CompletedProcess(
            list(arguments), status, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
        )

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def close(self) -> None:
        for pipe in self._pipes():
            pipe.close()
        self.process.wait(30)


def _become(request: dict[str, Any]) -> None:
    """In the child: takes on the streams, the environment and the command line, and runs the command."""
    for number, name in ((0, os.devnull), (1, request["stdout"]), (2, request["stderr"])):
        opened = os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    sys.argv = ["scatter", *request["arguments"]]

    from scatter_pipelines.cli.main import main

    try:
        main()
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else 0)


def serve() -> None:
    """In the zygote: forks for each request and answers with the child's exit status."""
    import scatter_pipelines.cli.main
    import scatter_pipelines.launch  # noqa: F401  with Dagster

    gc.freeze()
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
