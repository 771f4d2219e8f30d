"""`scatter doctor`: what is configured, what is reachable, what is wrong."""

import difflib
import os
from collections.abc import Iterator
from typing import Annotated

import typer

from scatter_pipelines.cli.output import JsonFlag, plural, print_json, print_line, stdout
from scatter_pipelines.cli.table import Column, print_table
from scatter_pipelines.errors import UsageError
from scatter_pipelines.settings import Settings, load_settings
from scatter_pipelines.store.embedded import GRACE_VARIABLE
from scatter_pipelines.testing import CRASH_VARIABLE
from scatter_pipelines.work.doctor import Finding, examine

STYLES = {"ok": "green", "warning": "yellow", "error": "red"}
OTHER_VARIABLES = (GRACE_VARIABLE, CRASH_VARIABLE)


def doctor_command(
    settings: Annotated[bool, typer.Option("--settings", help="Also show every setting and its value.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Look at the settings, the database, the slots and the tasks. Exit status 1 where something is wrong."""
    known, findings = _look()
    if as_json:
        found = [{"level": item.level, "what": item.what, "message": item.message} for item in findings]
        print_json({"findings": found, **({"settings": _values(known)} if settings and known else {})})
    else:
        _print_findings(findings)
        if settings and known:
            _print_settings(known)
    raise typer.Exit(1 if any(item.level == "error" for item in findings) else 0)


def _look() -> tuple[Settings | None, list[Finding]]:
    doubtful = list(_unknown_variables())
    try:
        known = load_settings()
    except UsageError as error:
        return None, [Finding("error", "settings", f"{error.message}. {error.entry.advice}"), *doubtful]
    return known, [*doubtful, *examine(known)]


def _unknown_variables() -> Iterator[Finding]:
    known = [*(_variable(name) for name in Settings.model_fields), *OTHER_VARIABLES]
    for name in sorted(
        name for name in os.environ if name.upper().startswith("SCATTER_") and name.upper() not in known
    ):
        near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.5)
        meant = f"; did you mean {near[0]}?" if near else "."
        yield Finding("warning", "settings", f"{name} is set, but there is no such setting{meant}")


def _variable(name: str) -> str:
    return f"SCATTER_{name.upper()}"


def _values(settings: Settings) -> dict[str, object]:
    """Without the URLs, which hold passwords."""
    return {name: value for name, value in settings.model_dump(mode="json").items() if "url" not in name}


def _print_findings(findings: list[Finding]) -> None:
    for item in findings:
        stdout.print(f"{item.level:>7}", style=STYLES[item.level], end="")
        print_line(f"  {item.what}: {item.message}")
    wrong = sum(item.level == "error" for item in findings)
    doubtful = sum(item.level == "warning" for item in findings)
    if wrong or doubtful:
        print_line(f"{plural(wrong, 'error')}, {plural(doubtful, 'warning')}.")


def _print_settings(settings: Settings) -> None:
    rows = [
        [_variable(name), value, Settings.model_fields[name].description] for name, value in _values(settings).items()
    ]
    print_line()
    print_table([Column("variable", firm=True), Column("value"), Column("meaning")], rows)
