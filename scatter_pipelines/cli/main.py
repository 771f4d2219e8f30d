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
from scatter_pipelines.cli.evaluate import evaluate_command
from scatter_pipelines.cli.money import budget_command, cache_app
from scatter_pipelines.cli.operate import (
    aggregate_command,
    cancel_command,
    force_finalize_command,
    hold_command,
    resume_command,
    retry_command,
    sweep_command,
)
from scatter_pipelines.cli.output import finish_output, prepare_streams, print_json, say
from scatter_pipelines.cli.run import run_command, submit_command
from scatter_pipelines.cli.tasks import export_command, results_command, status_command, tasks_command, watch_command
from scatter_pipelines.errors import ScatterError
from scatter_pipelines.settings import load_settings
from scatter_pipelines.work.runtime import database_errors

EXIT_FAILED, EXIT_USAGE = 1, 2
EXIT_INTERRUPTED = 130
"""What typer makes of Ctrl-C."""
TYPED_WRONG = typer.BadParameter.__mro__[2]
"""The parser's own errors: click's ClickException, or that of the click inside typer."""
SEE_HELP = "Add --help to the command to see what can be given."
SHELL_ADVICE = {"config_invalid": SEE_HELP}
ENVIRONMENT_CODES = frozenset(
    {
        "database_unreachable", "database_outdated", "database_denied", "embedded_failed", "home_unusable",
        "port_in_use", "workers_failing", "export_failed", "internal_error",
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
    ("evaluate", evaluate_command),
    ("budget", budget_command),
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
app.add_typer(cache_app, name="cache")
app.add_typer(database.app, name="db")


def main() -> None:
    """Runs one command. Exit status: 0 done, 3 closed with some errors, 1 failed, 2 usage."""
    prepare_streams()
    as_json = "--json" in sys.argv
    try:
        status = app(prog_name="scatter", standalone_mode=False)
        finish_output()
    except Exception as error:  # noqa: BLE001  one command's boundary: reported below
        status = _report(error, as_json)
        finish_output()
    if status == EXIT_INTERRUPTED:
        _tell(as_json, "interrupted", "Interrupted.", "")
        status = EXIT_FAILED
    sys.exit(status or 0)


def _report(error: Exception, as_json: bool) -> int:
    """Says what went wrong, in the way of its kind; the exit status."""
    if isinstance(error, TYPED_WRONG):
        return _report_typing(error, as_json)
    known = _known(error)
    if known is None:
        details = f"Please report it; the details are in {_note(error)}"
        _tell(as_json, "internal_error", f"{type(error).__name__}: {error}", details)
        return EXIT_FAILED
    _tell(as_json, known.code, known.message, SHELL_ADVICE.get(known.code, known.entry.advice))
    return EXIT_FAILED if known.code in ENVIRONMENT_CODES else EXIT_USAGE


def _known(error: Exception) -> ScatterError | None:
    """The error with a code, where it is one or the database's; None for a bug."""
    try:
        with database_errors(load_settings()):
            raise error
    except ScatterError as known:
        return known
    except Exception:  # noqa: BLE001  what is left is reported as a bug by the caller
        return None


def _report_typing(error: Any, as_json: bool) -> int:
    """What the parser of the command line refuses."""
    if as_json:
        print_json({"error": {"code": "config_invalid", "message": error.format_message(), "advice": SEE_HELP}})
    error.show()
    return EXIT_USAGE


def _tell(as_json: bool, code: str, message: str, advice: str) -> None:
    sentence = message if message.endswith((".", "?", "!")) else f"{message}."
    more = "" if not advice or advice in message else f"\n  {advice}"
    say(f"scatter: {sentence}{more}")
    if as_json:
        print_json({"error": {"code": code, "message": sentence, "advice": advice}})


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
