"""`scatter doctor`: what is configured, what is reachable, what is wrong."""

from typing import Annotated

import typer
from rich.markup import escape

from scatter_pipelines.cli.output import JsonFlag, print_json, print_table, stdout
from scatter_pipelines.settings import load_settings
from scatter_pipelines.work.doctor import examine

MARKS = {"ok": "[green]ok[/green]", "warning": "[yellow]warning[/yellow]", "error": "[red]error[/red]"}


def doctor_command(
    settings: Annotated[bool, typer.Option("--settings", help="Also show every setting and its value.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Look at the settings, the database, the slots and the tasks. Exit status 1 where something is wrong."""
    known = load_settings()
    findings = examine(known)
    values = {name: value for name, value in known.model_dump(mode="json").items() if "url" not in name}
    if as_json:
        found = [{"level": item.level, "what": item.what, "message": item.message} for item in findings]
        print_json({"findings": found, **({"settings": values} if settings else {})})
    else:
        for item in findings:
            stdout.print(f"{MARKS[item.level]:>9}  {item.what}: {escape(item.message)}", soft_wrap=True)
        if settings:
            fields = type(known).model_fields
            rows = [[f"SCATTER_{name.upper()}", value, fields[name].description] for name, value in values.items()]
            print_table(None, ["variable", "value", "meaning"], rows)
    raise typer.Exit(1 if any(item.level == "error" for item in findings) else 0)
