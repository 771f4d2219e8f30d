"""What every command that was run has to be: free of tracebacks, and under --json nothing but JSON."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from scatter_pipelines_tests.cli.zygote import Zygote
from scatter_pipelines_tests.conftest import PROJECT

COMMAND = [sys.executable, "-m", "scatter_pipelines.cli.main"]
Done = subprocess.CompletedProcess[str]


class Shell:
    """Runs commands with one environment and looks at what every command has in common."""

    def __init__(self, environment: Mapping[str, str], zygote: Zygote) -> None:
        self.zygote = zygote
        self.environment = dict(environment)
        self.environment.pop("COLUMNS", None)

    def __call__(self, *arguments: str, **variables: str) -> Done:
        """One command; whatever it does, it shows no traceback."""
        done = self.zygote.run(arguments, self.environment | variables, PROJECT)
        assert_no_traceback(done)
        return done

    def anew(self, *arguments: str, **variables: str) -> Done:
        """One command in an interpreter of its own, for what is decided when that starts."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            env=self.environment | variables, capture_output=True, text=True, timeout=120, cwd=PROJECT, check=False,
        )  # fmt: skip
        assert_no_traceback(done)
        return done

    def good(self, *arguments: str, **variables: str) -> str:
        """The standard output of a command that has to go well."""
        done = self(*arguments, **variables)
        assert done.returncode == 0, done
        return done.stdout

    def json(self, *arguments: str, status: int = 0, **variables: str) -> dict[str, Any]:
        """The one object that a command prints under --json."""
        done = self(*arguments, "--json", **variables)
        assert done.returncode == status, done
        return one_object(done.stdout)

    def lines(self, *arguments: str) -> list[dict[str, Any]]:
        """The objects of a command that prints one a line."""
        return [json.loads(line) for line in self.good(*arguments, "--json").splitlines()]

    def refused(self, *arguments: str, status: int = 2, **variables: str) -> dict[str, str]:
        """The error object of a command that has to fail, which people are told as well."""
        done = self(*arguments, "--json", **variables)
        assert done.returncode == status, done
        found = one_object(done.stdout)
        assert list(found) == ["error"], found
        error: dict[str, str] = found["error"]
        assert set(error) == {"code", "message", "advice"}
        assert error["message"].rstrip(".") in done.stderr.replace("\n", " ") or error["message"] in done.stderr
        return error

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*COMMAND, *arguments],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=PROJECT,
        )  # fmt: skip


def one_object(text: str) -> dict[str, Any]:
    """The text as exactly one JSON object on one line."""
    assert text.endswith("\n"), text
    assert len(text.splitlines()) == 1, text
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def assert_no_traceback(done: Done) -> None:
    assert "Traceback" not in done.stdout + done.stderr, done
    assert "Exception ignored" not in done.stderr, done


def on_a_terminal(shell: Shell, columns: int, *arguments: str) -> str:
    """What a command shows on a terminal that wide, with its colours."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, columns))
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=shell.environment | {"TERM": "xterm-256color"}, stdin=theirs, stdout=theirs,
        stderr=subprocess.DEVNULL, cwd=PROJECT,
    )  # fmt: skip
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 65_536):
            parts.append(part)
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
    assert process.wait(60) == 0
    return b"".join(parts).decode()
