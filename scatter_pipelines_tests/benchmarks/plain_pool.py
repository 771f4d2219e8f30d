"""The project's reading, parsing and extracting in a bare pool of processes: `python -m ...plain_pool FOLDER WORKERS`.

Prints one line of JSON: seconds until the workers are ready, seconds of the work, documents, pages, documents in error.
"""

import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.extraction.extract import extract_fields, fields_to_json
from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.model.result import SourceDocument
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines.settings import Settings
from scatter_pipelines.sources.listing import list_documents
from scatter_pipelines.sources.reading import read_document

SETTINGS = Settings()
TEMPLATE = load_template("paper")


def one_document(source: SourceDocument) -> int:
    """Its pages; 0 where it cannot be read."""
    try:
        content = read_document(
            source.uri, size=source.size, sha256=source.sha256,
            max_bytes=SETTINGS.max_bytes, timeout=SETTINGS.fetch_seconds,
        )  # fmt: skip
        document = parse_document(content, limits=ParseLimits(), progress=lambda done, total: None)
    except DocumentError:
        return 0
    fields_to_json(extract_fields(document, TEMPLATE))
    return len(document.pages)


def ready(number: int) -> int:
    return number


def main() -> None:
    folder, workers = sys.argv[1], int(sys.argv[2])
    documents = list_documents([folder])
    begun = time.perf_counter()
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        list(pool.map(ready, range(workers)))
        started = time.perf_counter()
        pages = list(pool.map(one_document, documents))
        ended = time.perf_counter()
    print(json.dumps({
        "start": started - begun, "work": ended - started,
        "documents": len(pages), "pages": sum(pages), "errors": pages.count(0),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
