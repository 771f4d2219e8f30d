"""From a claimed document to its fields: read, parse, and have rules or an LLM fill the template.

What an engine with an LLM has parsed is kept, so that a retry, a re-run or another task only asks for what is new.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from scatter_pipelines.extraction.extract import (
    ask_for_fields,
    extract_fields,
    fields_to_json,
    missing_required,
    plan_calls,
)
from scatter_pipelines.extraction.llm.llm import Extracted, Model, Told, hash_of, usage_of
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields, FieldValue
from scatter_pipelines.model.result import Extraction, Task
from scatter_pipelines.model.template import Template
from scatter_pipelines.parsing import stored
from scatter_pipelines.parsing.ocr.engine import engine_version, installed
from scatter_pipelines.parsing.parse import parse_document, parser_version
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines.parsing.services import service_of
from scatter_pipelines.sources.reading import read_document
from scatter_pipelines.store import budgets, caches, tasks
from scatter_pipelines.work.annotate import Annotator, Reading
from scatter_pipelines.work.ask import DocumentAsker, Llm, most_tokens, prices_of
from scatter_pipelines.work.ocr import Ocr
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.supervise import Watched

_MOST_NUMBERS = 10
NO_USAGE: Mapping[str, float | None] = {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
TOKENS_A_CHARACTER = 0.25
"""Before a model's own calls say better."""
TOKENS_A_VALUE = 60
"""What a field takes in an answer, for an estimate."""


@dataclass(slots=True)
class Timings:
    """Milliseconds by part of the work."""

    parts: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        finally:
            self.parts[f"{part}_ms"] = round((time.monotonic() - start) * 1000)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a task froze at its submit. `model` is None where the engine asks nobody; `salt` keeps its answers apart."""

    template: Template
    engine: str
    model: Model | None
    salt: str
    estimate: bool


def setup_of(task: Task) -> Setup:
    engine: Mapping[str, Any] = task.engine
    model = engine.get("model")
    return Setup(
        template=Template.model_validate(dict(task.template)),
        engine=str(engine["name"]),
        model=Model(**model) if model else None,
        salt="" if engine.get("cache", True) else task.id,
        estimate=bool(engine.get("estimate")),
    )


class Extractor:
    """One process's way of doing documents. What a task froze is read once a task."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._setups: dict[str, Setup] = {}
        self._annotator = Annotator(runtime)
        self._ocr = Ocr(runtime)
        self._llm = Llm(runtime)

    def extract(self, watched: Watched, timings: Timings, free_slot: Callable[[], None]) -> Extraction:
        """`free_slot` gives the document's slot to another: it is called where only an endpoint is waited for."""
        setup = self._setup(watched.claim.task_id)
        read = self._read(watched, timings, setup)
        watched.enter("extracting")
        if setup.model is None:
            with timings.measure("extract"):
                fields = extract_fields(read.document, setup.template)
            return _extraction(read, setup, timings, fields, {**NO_USAGE, **_usage(read)})
        asker = DocumentAsker(self._llm, watched, setup.model, setup.salt)
        if setup.estimate:
            with timings.measure("extract"):
                return self._estimated(read, setup, setup.model, timings, asker)
        free_slot()
        watched.enter("asking")
        with timings.measure("ask"):
            asked = ask_for_fields(
                read.document, setup.template, engine=setup.engine, model=setup.model, asker=asker, salt=setup.salt
            )
        return self._asked(watched, read, setup, timings, asked)

    def _setup(self, task_id: str) -> Setup:
        if task_id not in self._setups:
            self._setups[task_id] = setup_of(self._llm.statement(partial(tasks.require, task_id=task_id)))
        return self._setups[task_id]

    def _read(self, watched: Watched, timings: Timings, setup: Setup) -> Reading:
        claim, settings = watched.claim, self._runtime.settings
        watched.enter("reading")
        with timings.measure("read"):
            content = read_document(
                claim.uri,
                size=claim.size,
                sha256=claim.sha256,
                max_bytes=settings.max_bytes,
                timeout=settings.fetch_seconds,
                check=watched.check,
            )
        if setup.model is None:
            return self._parse(watched, timings, content)
        with timings.measure("parse"):
            key = self._document_key(content)
            kept = self._llm.statement(partial(caches.document, key=key))
            if kept is not None:
                return Reading(stored.from_bytes(kept))
        read = self._parse(watched, timings, content)
        if not read.alone:
            self._llm.statement(partial(caches.keep_document, key=key, content=stored.to_bytes(read.document)))
        return read

    def _document_key(self, content: bytes) -> str:
        return hash_of("document", hashlib.sha256(content).hexdigest(), *self._readers)

    @cached_property
    def _readers(self) -> tuple[str, ...]:
        """All that the text of a document depends on beside itself."""
        settings = self._runtime.settings
        ocr = "off" if settings.ocr == "off" or not installed() else engine_version()
        return str(stored.FORMAT), parser_version(service_of(settings)), ocr

    def _parse(self, watched: Watched, timings: Timings, content: bytes) -> Reading:
        settings = self._runtime.settings
        watched.enter("parsing")
        limits = ParseLimits(settings.max_pages, settings.max_characters)
        with timings.measure("parse"):
            ocr = self._ocr.reader(watched, content)
            document = parse_document(content, limits=limits, progress=watched.progress, ocr=ocr)
        if not self._annotator.helps(document):
            return Reading(document)
        watched.enter("annotating")
        with timings.measure("annotate"):
            return self._annotator.annotate(watched, content, document)

    def _asked(self, watched: Watched, read: Reading, setup: Setup, timings: Timings, asked: Extracted) -> Extraction:
        spent = self._llm.statement(partial(budgets.spent, result_id=watched.claim.result_id))
        usage = {**NO_USAGE, **spent, **usage_of(asked.told), **_usage(read)}
        return _extraction(read, setup, timings, asked.fields, usage, _choice(setup, asked.told))

    def _estimated(
        self, read: Reading, setup: Setup, model: Model, timings: Timings, asker: DocumentAsker
    ) -> Extraction:
        """What asking would take, if every call planned were made; nobody is asked and no field is filled."""
        planned = plan_calls(
            read.document, setup.template, engine=setup.engine, model=model, asker=asker, salt=setup.salt
        )
        ratio = self._llm.statement(partial(budgets.tokens_a_character, model=model.name)) or TOKENS_A_CHARACTER
        tokens_in = sum(round(call.request.characters * ratio) for call in planned)
        tokens_out = sum(min(call.fields * TOKENS_A_VALUE, model.output_tokens) for call in planned)
        prices = prices_of(self._runtime.settings, model.name)
        cost = prices.cost(tokens_in, tokens_out)
        most = prices.cost(sum(most_tokens(call.request) for call in planned), len(planned) * model.output_tokens)
        usage = {
            **NO_USAGE,
            "estimated_calls": len(planned),
            "estimated_input_tokens": tokens_in,
            "estimated_output_tokens": tokens_out,
            "estimated_cost_usd": None if cost is None else float(cost),
            "most_cost_usd": None if most is None else float(most),
        }
        nothing = {one.name: FieldValue(None) for one in setup.template.fields}
        return _extraction(read, setup, timings, nothing, {**usage, **_usage(read)}, "An estimate: nobody was asked.")


def _extraction(
    read: Reading,
    setup: Setup,
    timings: Timings,
    fields: Fields,
    usage: Mapping[str, float | None],
    *notes: str,
) -> Extraction:
    document = read.document
    return Extraction(
        fields=fields_to_json(fields),
        missing=() if setup.estimate else missing_required(fields, setup.template),
        usage=usage,
        timings=timings.parts,
        pages=len(document.pages),
        media_type=document.media_type,
        note=" ".join(filter(None, (read.note, _pictures(document), *notes))),
    )


def _choice(setup: Setup, told: Told) -> str:
    """Which pages the model was shown."""
    if setup.model is None or not told.calls:
        return "All answers were kept from before." if told.from_cache else ""
    left_out = f"; {told.left_out} characters did not fit" if told.left_out else ""
    shown = ", ".join(_ranges(sorted(told.pages)))
    return f"{setup.model.name} was shown pages {shown} in {told.calls} calls{left_out}."


def _ranges(numbers: Iterable[int]) -> Iterator[str]:
    first = last = 0
    for number in numbers:
        if first and number == last + 1:
            last = number
            continue
        if first:
            yield _range(first, last)
        first = last = number
    if first:
        yield _range(first, last)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _usage(read: Reading) -> dict[str, int]:
    """What is not as usual about the reading, counted."""
    counts = {
        "parsing_fallbacks": int(read.alone),
        "ocr_pages": sum(page.ocr for page in read.document.pages),
        "unread_pages": len(read.document.unread),
    }
    return {name: count for name, count in counts.items() if count}


def _pictures(document: Document) -> str:
    """Which pages were read by OCR, and which show something but have no text."""
    by_ocr = [page.number for page in document.pages if page.ocr]
    read = f"Read by OCR: {_numbered(by_ocr)}." if by_ocr else ""
    unread = f"Without text: {_numbered(document.unread)}." if document.unread else ""
    return " ".join(filter(None, (read, unread)))


def _numbered(pages: Sequence[int]) -> str:
    shown = ", ".join(map(str, pages[:_MOST_NUMBERS])) + (", ..." if len(pages) > _MOST_NUMBERS else "")
    return f"page {shown}" if len(pages) == 1 else f"{len(pages)} pages ({shown})"
