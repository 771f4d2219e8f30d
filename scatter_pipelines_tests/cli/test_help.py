"""A newcomer can find out about every command and every option."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from scatter_pipelines.cli.main import app
from scatter_pipelines_tests.cli.shell import Shell
from scatter_pipelines_tests.conftest import PROJECT

DESIGNED = (
    "run", "submit", "tasks", "status", "watch", "results", "export", "retry", "cancel", "hold", "resume",
    "force-finalize", "aggregate", "sweep", "template list", "template show", "template check", "db upgrade", "db url",
    "dev", "doctor",
)  # fmt: skip
WITHOUT_JSON = {"dev"}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, below in getattr(command, "commands", {}).items():
        if hasattr(below, "commands"):
            assert below.help, name
            yield from _commands(below, (*path, name))
        else:
            yield " ".join((*path, name)), below


COMMANDS = dict(_commands(typer.main.get_command(app)))


def test_every_command_of_the_design_is_there() -> None:
    assert set(DESIGNED) <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_every_option_has_help(name: str) -> None:
    command = COMMANDS[name]
    assert len(command.help.split()) > 3
    options = [parameter for parameter in command.params if parameter.name != "help"]
    assert not [parameter.name for parameter in options if not parameter.help]
    assert ("as_json" in [parameter.name for parameter in options]) is (name not in WITHOUT_JSON)


def test_help_is_printed_without_a_database(shell: Shell) -> None:
    for arguments in (("run",), ("template",)):
        said = shell.good(*arguments, "--help", SCATTER_DATABASE_URL="postgresql://127.0.0.1:1/x", COLUMNS="80")
        assert "Usage: scatter" in said
        assert max(map(len, said.splitlines())) <= 80
    assert shell.good("--version").strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    readme = PROJECT / "README.md"
    if not readme.exists():
        pytest.skip("README.md is not written yet")
    assert f"scatter {name}" in readme.read_text(encoding="utf-8")
