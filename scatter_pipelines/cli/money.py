"""`scatter budget` and `scatter cache`: what calls to an LLM may cost, and what is kept so that none is paid twice."""

from decimal import Decimal
from typing import Annotated

import typer

from scatter_pipelines.cli.output import JsonFlag, TaskName, plural, print_json, print_line
from scatter_pipelines.cli.show import dollars
from scatter_pipelines.work import operate
from scatter_pipelines.work.cache import prune, sizes
from scatter_pipelines.work.runtime import open_runtime

cache_app = typer.Typer(no_args_is_help=True, help="Parsed documents and answers that are kept for the next time.")

MEBIBYTE = 1024 * 1024
NAMES = {"parsed_document": "parsed document", "llm_answer": "answer"}


def budget_command(
    task: TaskName,
    task_usd: Annotated[float | None, typer.Option("--task-usd", help="New limit of the task, in dollars.")] = None,
    document_usd: Annotated[
        float | None, typer.Option("--document-usd", help="New limit of each document, in dollars.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what a task may spend and has spent, or change what it may spend."""
    with open_runtime() as runtime:
        task_id = operate.find_task(runtime, task).id
        budget = operate.change_budget(runtime, task_id, _decimal(task_usd), _decimal(document_usd))
    amounts = {
        "task_usd": budget.limit_usd,
        "document_usd": budget.document_limit_usd,
        "spent_usd": budget.spent_usd,
        "reserved_usd": budget.reserved_usd,
    }
    if as_json:
        print_json({"task_id": task_id} | {name: None if usd is None else float(usd) for name, usd in amounts.items()})
        return
    said = [
        f"{what} {'without limit' if usd is None else f'up to {dollars(float(usd))}'}"
        for what, usd in (("the task", budget.limit_usd), ("each document", budget.document_limit_usd))
    ]
    print_line(f"Task {task_id}: {', '.join(said)}.")
    spent, reserved = dollars(float(budget.spent_usd)), dollars(float(budget.reserved_usd))
    print_line(f"{spent} spent, {reserved} set aside for calls under way.")


def _decimal(usd: float | None) -> Decimal | None:
    return None if usd is None else Decimal(str(usd))


@cache_app.command("size")
def size_command(as_json: JsonFlag = False) -> None:
    """Show how much is kept."""
    with open_runtime() as runtime:
        found = sizes(runtime)
        most = runtime.settings.cache_bytes
    if as_json:
        kept = {name: {"entries": size.entries, "bytes": size.bytes} for name, size in found.items()}
        print_json({"kept": kept, "most_bytes": most})
        return
    for name, size in found.items():
        print_line(f"{plural(size.entries, NAMES[name])}, {size.bytes / MEBIBYTE:,.1f} MiB")
    print_line(f"At most {most / MEBIBYTE:,.0f} MiB are kept (SCATTER_CACHE_BYTES).")


@cache_app.command("prune")
def prune_command(
    days: Annotated[
        float | None, typer.Option("--days", min=0, help="Drop what was not used for so long; default as set.")
    ] = None,
    most: Annotated[
        int | None, typer.Option("--bytes", min=0, help="Keep no more than this, the latest used; 0 drops all.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Drop what was not used for long, or all of it. The sweep does so by itself, within the settings."""
    with open_runtime() as runtime:
        dropped = prune(runtime, days=days, most_bytes=most)
    if as_json:
        print_json({"dropped": {name: {"entries": one.entries, "bytes": one.bytes} for name, one in dropped.items()}})
        return
    for name, size in dropped.items():
        print_line(f"{plural(size.entries, NAMES[name])} dropped, {size.bytes / MEBIBYTE:,.1f} MiB")
