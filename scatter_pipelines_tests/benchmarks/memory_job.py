"""A job whose one worker reads small papers, over and over, and says after each how much memory it has."""

import os
from pathlib import Path
from typing import Any

import dagster as dg
import psutil

from scatter_pipelines.extraction.extract import extract_fields, fields_to_json
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.benchmarks.noop import Numbers, numbers

FOLDER_VARIABLE = "BENCH_PAPERS"
RESIDENT, DOCUMENTS = "resident_bytes", "documents_done"

done = 0


@dg.op(ins={"number": dg.In(int, input_manager_key="numbers_io")}, out=dg.Out(dg.Nothing))
def read_paper(context: dg.OpExecutionContext, number: int) -> None:
    global done
    papers = sorted(Path(os.environ[FOLDER_VARIABLE]).iterdir())
    content = papers[number % len(papers)].read_bytes()
    document = parse_document(content, limits=ParseLimits(), progress=lambda pages, total: None)
    fields_to_json(extract_fields(document, load_template("paper")))
    done += 1
    context.add_output_metadata({RESIDENT: psutil.Process().memory_info().rss, DOCUMENTS: done})


@dg.graph
def read_papers() -> None:
    numbers().map(read_paper)


def executor() -> Any:
    """One worker that is never replaced."""
    from scatter_pipelines.executor import warm_pool_executor

    return warm_pool_executor.configured({"max_concurrent": 1, "recycle_steps": 0}, name="one_warm_worker")


defs = dg.Definitions(
    jobs=[read_papers.to_job(name="read_papers", executor_def=executor())], resources={"numbers_io": Numbers()}
)
