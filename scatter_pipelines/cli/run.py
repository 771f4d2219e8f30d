"""`scatter run` and `scatter submit`: from documents to a task, and with `run` to its end."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import typer

from scatter_pipelines.cli.output import JsonFlag, counting, counting_documents, plural, print_json, print_line, say
from scatter_pipelines.cli.show import exit_status, print_summary
from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import Task
from scatter_pipelines.settings import load_settings
from scatter_pipelines.work.operate import find_task
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import summary
from scatter_pipelines.work.submit import Submission, Submitted, submit

Sources = Annotated[
    list[str] | None,
    typer.Argument(metavar="SOURCE", help="Files, folders, globs, @list.txt, a CSV with a `uri` column, or URLs."),
]
TemplateOption = Annotated[str, typer.Option("--template", "-t", help="Name of a template or path of a YAML file.")]
EngineOption = Annotated[
    str, typer.Option("--engine", "-e", help="What fills the fields: rules, llm, or rules+llm: an LLM for the rest.")
]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="Say what an LLM would cost, in tokens and dollars; nobody is asked.")
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Ask an LLM anew what it answered for other tasks.")]
TaskUsdOption = Annotated[
    float | None, typer.Option("--task-usd", help="Most dollars the task may cost; default SCATTER_LLM_TASK_USD.")
]
DocumentUsdOption = Annotated[
    float | None, typer.Option("--document-usd", help="Most dollars a document; default SCATTER_LLM_DOCUMENT_USD.")
]
KeyOption = Annotated[str | None, typer.Option("--key", help="Idempotency key: the same key gives the same task.")]
AgainOption = Annotated[bool, typer.Option("--again", help="Make a new task of documents that are done already.")]
ShardOption = Annotated[
    int | None, typer.Option("--shard-size", min=1, help="Documents one Dagster run works through.")
]
TaskOption = Annotated[str | None, typer.Option("--task", help="Work on a task submitted before, instead of sources.")]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", "-w", min=1, max=500, help="Worker processes; default: as many as processors."),
]


def submit_command(
    sources: Sources = None,
    template: TemplateOption = "paper",
    engine: EngineOption = "rules",
    key: KeyOption = None,
    again: AgainOption = False,
    shard_size: ShardOption = None,
    estimate: EstimateOption = False,
    no_cache: NoCacheOption = False,
    task_usd: TaskUsdOption = None,
    document_usd: DocumentUsdOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Submit documents as a task and leave the work to the dispatch sensor (needs the daemon: `scatter dev`)."""
    with open_runtime() as runtime:
        submission = Submission(
            _required(sources), template, engine, shard_size, key, again=again, estimate=estimate, cache=not no_cache,
            task_usd=task_usd, document_usd=document_usd,
        )  # fmt: skip
        submitted = _submit(runtime, submission)
        if as_json:
            print_json(summary(runtime, submitted.task.id))
        else:
            print_line(_about(submitted))
            if submitted.task.status == "processing":
                say(f"Follow it with `scatter watch {submitted.task.id}`.")


def run_command(
    sources: Sources = None,
    template: TemplateOption = "paper",
    engine: EngineOption = "rules",
    key: KeyOption = None,
    again: AgainOption = False,
    shard_size: ShardOption = None,
    task: TaskOption = None,
    workers: WorkersOption = None,
    estimate: EstimateOption = False,
    no_cache: NoCacheOption = False,
    task_usd: TaskUsdOption = None,
    document_usd: DocumentUsdOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Submit documents, extract them here and close the task. Needs no daemon; run it again to go on where it stopped.

    Exit status: 0 all documents completed, 3 closed with some errors, 1 failed, 2 usage.
    """
    from scatter_pipelines.launch import run_task  # noqa: PLC0415  Dagster takes a second to import

    settings = load_settings(**({"workers": workers} if workers else {}))
    with open_runtime(settings) as runtime:
        if task is not None:
            _refuse_both(
                {
                    "sources": sources, "--key": key, "--again": again, "--shard-size": shard_size,
                    "--estimate": estimate, "--no-cache": no_cache, "--task-usd": task_usd,
                    "--document-usd": document_usd,
                }
            )  # fmt: skip
            submitted = Submitted(find_task(runtime, task), created=False)
            say(_about_found(submitted.task))
        else:
            submission = Submission(
                _required(sources), template, engine, shard_size, key, again=again, estimate=estimate,
                cache=not no_cache, task_usd=task_usd, document_usd=document_usd,
            )  # fmt: skip
            submitted = _submit(runtime, submission)
            say(_about(submitted))
        found = submitted.task
        if found.status == "processing":
            try:
                with _sigterm_interrupts(), counting_documents() as progress:
                    run_task(runtime, found, progress, say)
            except KeyboardInterrupt:
                say(f"Interrupted. `scatter run --task {found.id}` goes on, `scatter cancel {found.id}` ends the task.")
                if as_json:
                    print_json(summary(runtime, found.id))
                raise typer.Exit(1) from None
        result = summary(runtime, found.id)
        print_json(result) if as_json else print_summary(runtime, result)
        raise typer.Exit(exit_status(result["status"]))


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """A service manager's request to end is heard like Ctrl-C: documents in flight have their time to finish."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _required(sources: list[str] | None) -> list[str]:
    if not sources:
        raise UsageError("no_documents", "Name at least one source.")
    return sources


def _refuse_both(given: Mapping[str, object]) -> None:
    if wrong := [name for name, value in given.items() if value]:
        raise UsageError(
            "config_invalid", f"--task names a task that is there already; {', '.join(wrong)} would make one."
        )


def _submit(runtime: Runtime, submission: Submission) -> Submitted:
    with counting("Looking at documents") as progress:
        return submit(runtime, submission, progress=progress)


def _about(submitted: Submitted) -> str:
    task = submitted.task
    if submitted.created:
        return f"Task {task.id}: {plural(task.expected_count, 'document')}, template {task.template_name}."
    if task.status == "processing":
        return f"Task {task.id} is at work on these documents already ({task.expected_count}); joining it."
    return f"Task {task.id} did these documents before and is {task.status}; `--again` makes a new one."


def _about_found(task: Task) -> str:
    more = "" if task.status == "processing" else " already; `scatter retry` gives what failed another try"
    return f"Task {task.id}: {plural(task.expected_count, 'document')}, {task.status}{more}."
