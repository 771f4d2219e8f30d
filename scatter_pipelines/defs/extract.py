"""The job that fans out: one dynamic output, one mapped step, one result row per document. Nothing is downstream."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from scatter_pipelines.defs.announce import register_task
from scatter_pipelines.defs.configs import EXTRACT_OP, SCATTER_OP, ExtractConfig, extract_config
from scatter_pipelines.defs.resources import Pipeline, mapping_key, plain_failures
from scatter_pipelines.defs.runs import EXTRACT_KIND, FAILED_TAG, KIND_TAG, TASK_TAG
from scatter_pipelines.errors import CODES
from scatter_pipelines.executor.hooks import workplace
from scatter_pipelines.model.result import Holder, Outcome
from scatter_pipelines.store import results
from scatter_pipelines.work.runtime import process_name
from scatter_pipelines.work.scatter import RunRequest, WorkList, begin_run

ROW_DECIDES = 10_000
"""Retries that Dagster itself would allow; how many there are is decided by the row's tries and waits."""


@dg.op(name=SCATTER_OP, out=dg.DynamicOut(int, io_manager_key="result_ids"))
def scatter_op(
    context: dg.OpExecutionContext, config: ExtractConfig, pipeline: Pipeline
) -> Iterator[dg.DynamicOutput[int]]:
    """Submits or finds the task, takes a shard and yields its unfinished documents."""
    supervisor = pipeline.worker(context.run_id).supervisor
    with plain_failures(), supervisor.under_way():
        work = begin_run(pipeline.runtime, run_request(context, config))
    for shard in work.shards:
        supervisor.keep_lease(work.task.id, shard)
    pipeline.speak_last_of(work.task.id)
    register_task(context.instance, work.task.id)
    context.instance.add_run_tags(context.run_id, {TASK_TAG: work.task.id})
    context.log.info(what_is_done(work))
    for result_id, filename in work.documents:
        yield dg.DynamicOutput(result_id, mapping_key=mapping_key(filename, result_id))


def run_request(context: dg.OpExecutionContext, config: ExtractConfig) -> RunRequest:
    run = context.run
    return RunRequest(
        run_id=run.run_id,
        root_run_id=run.root_run_id or run.run_id,
        sources=(*([config.source] if config.source else []), *(config.sources or [])),
        template=config.template,
        engine=config.engine,
        shard_size=config.shard_size,
        estimate=config.estimate,
        cache=config.cache,
        task_usd=config.task_usd,
        document_usd=config.document_usd,
        key=config.key,
        all_shards=config.all,
        task_id=config.task_id,
        shard=config.shard,
    )


def what_is_done(work: WorkList) -> str:
    task = work.task
    head = f"Task {task.id} ({task.expected_count} documents, template {task.template_name}): "
    if task.status != "processing":
        return f"{head}already {task.status}; nothing to do."
    if not work.shards:
        return f"{head}no shard is free; other runs are at work on it or nothing is left."
    here = f"{len(work.documents)} documents of shard {', '.join(map(str, work.shards))} are extracted in this run."
    left = f" {work.shards_left} more shards are left to the dispatch sensor." if work.shards_left else ""
    return f"{head}{here}{left}"


@dg.op(
    name=EXTRACT_OP,
    ins={"result_id": dg.In(int, input_manager_key="result_ids")},
    out=dg.Out(dg.Nothing),
)
def extract_document_op(context: dg.OpExecutionContext, result_id: int, pipeline: Pipeline) -> None:
    """Does one document. Its row is the truth; what is shown here is for readers of the UI."""
    holder = Holder(context.run_id, context.get_step_execution_context().step.key, process_name())
    outcome = pipeline.worker(context.run_id).process(result_id, holder)
    report(context, outcome, pipeline)


def report(context: dg.OpExecutionContext, outcome: Outcome, pipeline: Pipeline) -> None:
    """Turns an outcome into Dagster's terms: a green step, a retry, or a red step."""
    if outcome.kind == "retry":
        context.log.warning(f"{outcome.filename}: {outcome.message} Tried again in {outcome.retry_in:.1f} s.")
        raise dg.RetryRequested(max_retries=ROW_DECIDES, seconds_to_wait=outcome.retry_in)
    if outcome.kind == "error":
        if workplace() is None:
            _count_failure(context, pipeline)
        if outcome.exhausted:
            raise dg.Failure(f"{outcome.filename}: {outcome.message}", metadata_of(outcome), allow_retries=False)
        context.log.error(f"{outcome.filename}: [{outcome.code}] {outcome.message}")
    else:
        context.log.info(f"{outcome.filename}: {outcome.kind}. {outcome.message}")
    context.add_output_metadata(metadata_of(outcome))


def metadata_of(outcome: Outcome) -> dict[str, Any]:
    """What a step's page shows."""
    known = {
        "document": outcome.filename,
        "outcome": outcome.kind,
        "message": outcome.message,
        "error_code": outcome.code,
        "advice": CODES[outcome.code].advice if outcome.code else None,
        "attempt": outcome.attempt,
        "pages": outcome.pages,
        "fields_found": outcome.found,
        **(outcome.usage if outcome.usage.get("calls") or outcome.usage.get("estimated_calls") else {}),
        **outcome.timings,
    }
    return {name: value for name, value in known.items() if value is not None}


def _count_failure(context: dg.OpExecutionContext, pipeline: Pipeline) -> None:
    run_id = context.run_id
    failed = pipeline.runtime.database.run(lambda connection: results.failed_in_run(connection, run_id), "worker")
    context.instance.add_run_tags(run_id, {FAILED_TAG: str(failed)})


def build_extract_job(executor: dg.ExecutorDefinition) -> dg.JobDefinition:
    """`extract_documents` on the executor that the settings name."""

    @dg.graph(name="extract_documents", description=extract_documents_help())
    def extract_documents() -> None:
        scatter_op().map(extract_document_op)

    return extract_documents.to_job(
        config=extract_config,
        executor_def=executor,
        tags={KIND_TAG: EXTRACT_KIND, "dagster/retry_strategy": "ALL_STEPS"},
    )


def extract_documents_help() -> str:
    return (
        "Extracts the fields of a template from a batch of documents, one step a document. "
        "Config: `source: FOLDER` is enough; or `task_id: TASK` (and `shard: N`) to work on a task submitted before."
    )
