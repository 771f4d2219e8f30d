"""The `scatter` command: puts the groups together and turns what goes wrong into one plain message."""

import os
import sys
import traceback
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

import typer

from scatter_pipelines.cli import database, template
from scatter_pipelines.cli.dev import dev_command
from scatter_pipelines.cli.doctor import doctor_command
from scatter_pipelines.cli.operate import (
    aggregate_command,
    cancel_command,
    force_finalize_command,
    hold_command,
    resume_command,
    retry_command,
    sweep_command,
)
from scatter_pipelines.cli.output import print_json, say
from scatter_pipelines.cli.run import run_command, submit_command
from scatter_pipelines.cli.tasks import export_command, results_command, status_command, tasks_command, watch_command
from scatter_pipelines.errors import ScatterError
from scatter_pipelines.settings import load_settings
from scatter_pipelines.work.runtime import database_errors

EXIT_FAILED, EXIT_USAGE = 1, 2
ENVIRONMENT_CODES = frozenset(
    {
        "database_unreachable", "database_outdated", "database_denied", "embedded_failed", "home_unusable",
        "port_in_use", "export_failed", "internal_error",
    }
)  # fmt: skip

app = typer.Typer(
    name="scatter",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Turn a batch of documents into a table of facts with evidence.",
)


@app.callback(invoke_without_command=True)
def _root(
    show_version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if show_version:
        typer.echo(version("scatter_pipelines"))
        raise typer.Exit


COMMANDS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("run", run_command),
    ("submit", submit_command),
    ("tasks", tasks_command),
    ("status", status_command),
    ("watch", watch_command),
    ("results", results_command),
    ("export", export_command),
    ("retry", retry_command),
    ("cancel", cancel_command),
    ("hold", hold_command),
    ("resume", resume_command),
    ("force-finalize", force_finalize_command),
    ("aggregate", aggregate_command),
    ("sweep", sweep_command),
    ("dev", dev_command),
    ("doctor", doctor_command),
)
for _name, _command in COMMANDS:
    app.command(_name)(_command)
app.add_typer(template.app, name="template")
app.add_typer(database.app, name="db")


def main() -> None:
    """Runs one command. Exit status: 0 done, 3 closed with some errors, 1 failed, 2 usage."""
    as_json = "--json" in sys.argv
    try:
        with database_errors(load_settings()):
            app()
    except ScatterError as error:
        _tell(as_json, error.code, error.message, error.entry.advice)
        sys.exit(EXIT_FAILED if error.code in ENVIRONMENT_CODES else EXIT_USAGE)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except Exception as error:
        _tell(as_json, "internal_error", f"{type(error).__name__}: {error}", f"Details: {_note(error)}")
        sys.exit(EXIT_FAILED)


def _tell(as_json: bool, code: str, message: str, advice: str) -> None:
    say(f"scatter: {message} {advice}")
    if as_json:
        print_json({"error": {"code": code, "message": message, "advice": advice}})


def _note(error: Exception) -> str:
    """Keeps the traceback of a bug in a file, since a person at the shell has no use for it."""
    try:
        folder = load_settings().home_path() / "logs"
        folder.mkdir(exist_ok=True)
        path = folder / f"error-{os.getpid()}.log"
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except (OSError, ScatterError) as problem:
        return f"could not be written ({problem})."
    return str(path)


if __name__ == "__main__":
    main()


