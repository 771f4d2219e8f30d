"""The command that judges a task by gold values."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from scatter_pipelines.cli.evaluation import evaluation_text, print_evaluation
from scatter_pipelines.cli.output import JsonFlag, TaskName, print_json, print_line, reader_gone, say
from scatter_pipelines.errors import UsageError
from scatter_pipelines.evaluation.bootstrap import RESAMPLES, SEED
from scatter_pipelines.evaluation.markdown import markdown
from scatter_pipelines.evaluation.minimum import read_minimums
from scatter_pipelines.evaluation.report import report
from scatter_pipelines.evaluation.wording import minimums_said
from scatter_pipelines.export.formats import write_file
from scatter_pipelines.work.evaluate import Wanted, evaluate_task, rules_of
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import open_runtime

EXIT_BELOW = 1
SUFFIXES = {"md": "markdown", "json": "json", "txt": "text"}
FORMATS: Mapping[str, Callable[[dict[str, Any], int], str]] = {
    "text": evaluation_text,
    "json": lambda found, limit: json.dumps(found, ensure_ascii=False, indent=2) + "\n",
    "markdown": markdown,
}


def evaluate_command(
    task: TaskName,
    gold: Annotated[Path, typer.Option("--gold", help="JSONL or CSV file with the right values, a document a line.")],
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="TASK", help="Also say what changed since this other task.")
    ] = None,
    match: Annotated[
        str | None,
        typer.Option("--match", metavar="COLUMN", help="Manifest column that says which document a line is about."),
    ] = None,
    chosen: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", help=f"One of {', '.join(FORMATS)}; by default what the file's name says, or text."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write, whose folder is made; by default it is printed."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Disagreements to show of each field; json always has all.")
    ] = 5,
    minimum: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="FIELD.METRIC=VALUE", help="End with status 1 if a score is lower; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the resamples for the intervals.")] = SEED,
    resamples: Annotated[int, typer.Option("--resamples", min=100, max=100_000, help="How many to draw.")] = RESAMPLES,
    as_json: JsonFlag = False,
) -> None:
    """Score a task's values against gold ones, with intervals and every disagreement."""
    path = None if output == Path("-") else output
    name = _format(chosen, path, as_json)
    with open_runtime() as runtime:
        found_task = find_task(runtime, task)
        minimums = read_minimums(minimum or [], rules_of(found_task))
        evaluation = evaluate_task(runtime, found_task.id, Wanted(gold, match, seed, resamples), compare)
    found = report(evaluation, minimums)
    if found["task_status"] == "processing":
        say(f"Task {found['task_id']} is not closed yet: what is not done counts as nothing found.")
    if path:
        _write(found, name, path, limit, as_json)
    else:
        _print(found, name, limit, one_line=as_json)
    below = list(minimums_said(found))
    if path or name != "text":
        say_all(below)
    raise typer.Exit(EXIT_BELOW if below else 0)


def say_all(lines: list[str]) -> None:
    for line in lines:
        say(line)


def _format(chosen: str | None, path: Path | None, as_json: bool) -> str:
    by_name = SUFFIXES.get(path.suffix.lstrip(".").lower()) if path else "json" if as_json else None
    name = chosen or by_name or "text"
    if name not in FORMATS:
        raise UsageError("config_invalid", f"There is no format {name!r}; there are {', '.join(FORMATS)}.")
    if as_json and not path and name != "json":
        raise UsageError("config_invalid", f"Both the report as {name} and --json would be printed.")
    return name


def _print(found: dict[str, Any], name: str, limit: int, *, one_line: bool) -> None:
    if name == "text":
        print_evaluation(found, limit)
    elif one_line:
        print_json(found)
    else:
        try:
            typer.echo(FORMATS[name](found, limit), nl=False)
        except BrokenPipeError:
            reader_gone()


def _write(found: dict[str, Any], name: str, path: Path, limit: int, as_json: bool) -> None:
    text = FORMATS[name](found, limit)
    try:
        write_file(path, lambda file: file.write(text))
    except BrokenPipeError:
        reader_gone()
    if as_json:
        print_json({"task_id": found["task_id"], "format": name, "path": str(path.absolute())})
    else:
        print_line(f"Evaluation written to {path}.")
