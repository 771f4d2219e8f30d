"""Every error code of the project, with its class, stage and advice, and the exceptions that carry one.

The table is the only place where a code is defined; `docs/errors.md` is made from it. How a class is
routed (retried, ended, put on hold) is decided in `work/`, not here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ErrorClass = Literal["permanent", "transient", "limit", "lost", "operator", "usage"]
"""How work routes an error.

permanent   the document's own fault: the row ends, no retry
transient   an upstream's: the row goes back to pending and is tried again after a back-off
limit       the document took too much time, memory or space: ended at the second hit
lost        the worker disappeared: counted in `losses`
operator    somebody asked for it
usage       a command or a config was wrong: nothing was written
"""

Stage = Literal["usage", "submit", "read", "parse", "extract", "save", "work"]


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One row of the table: what a code means and what a person can do about it."""

    code: str
    kind: ErrorClass
    stage: Stage
    meaning: str
    advice: str


_ROWS: tuple[ErrorCode, ...] = (
    ErrorCode(
        "source_missing",
        "permanent",
        "read",
        "The document is not where the task says it is.",
        "Put the file back and run `scatter retry`, or correct the path and submit again.",
    ),
    ErrorCode(
        "source_changed",
        "permanent",
        "read",
        "The document's bytes differ from those seen when the task was submitted.",
        "Submit the changed document as a new task.",
    ),
    ErrorCode(
        "source_unreadable",
        "permanent",
        "read",
        "The document exists but may not be read.",
        "Give the worker's user permission to read the file, then run `scatter retry`.",
    ),
    ErrorCode(
        "source_unavailable",
        "transient",
        "read",
        "The place the document lies in did not answer.",
        "It is tried again by itself; look at the network or the file server if it goes on.",
    ),
    ErrorCode(
        "too_large",
        "permanent",
        "read",
        "The document is larger than SCATTER_MAX_BYTES, or has more pages or characters than allowed.",
        "Split the document or raise the limit, then run `scatter retry`.",
    ),
    ErrorCode(
        "empty",
        "permanent",
        "parse",
        "The document has no content: zero bytes, zero pages or nothing but white space.",
        "Look at the file: an interrupted download often leaves an empty one.",
    ),
    ErrorCode(
        "unsupported_type",
        "permanent",
        "parse",
        "The content is of a kind that no parser here reads.",
        "Save or convert it as PDF, DOCX, HTML or plain text.",
    ),
    ErrorCode(
        "encrypted",
        "permanent",
        "parse",
        "The document needs a password.",
        "Save a copy without the password and submit that.",
    ),
    ErrorCode(
        "corrupt",
        "permanent",
        "parse",
        "The content starts like a known kind but cannot be read as one.",
        "Fetch the document again: it is often cut short.",
    ),
    ErrorCode(
        "no_text_layer",
        "permanent",
        "parse",
        "The pages hold pictures but no text.",
        "Install OCR (pip install -e '.[ocr]') and run `scatter retry`, or use an OCR program of your own first.",
    ),
    ErrorCode(
        "unreadable_text",
        "permanent",
        "parse",
        "The text comes out as garbage, because its fonts do not say which characters they draw.",
        "Install OCR (pip install -e '.[ocr]') and run `scatter retry`, or use an OCR program of your own first.",
    ),
    ErrorCode(
        "parse_timeout",
        "limit",
        "parse",
        "Parsing took longer than its limit (SCATTER_PARSE_SECONDS plus a second a page).",
        "Raise the limit and run `scatter retry`, or look at the document: some are made to hang a parser.",
    ),
    ErrorCode(
        "ocr_timeout",
        "limit",
        "parse",
        "OCR took longer for one page than its limit (SCATTER_OCR_PAGE_SECONDS).",
        "Raise the limit and run `scatter retry`: pages that were read are kept. SCATTER_OCR=off goes on without OCR.",
    ),
    ErrorCode(
        "pattern_timeout",
        "limit",
        "extract",
        "A pattern of the template took longer than it may on one document.",
        "Make the pattern simpler (no repeat inside a repeat) or tie its field to a section, and submit again.",
    ),
    ErrorCode(
        "document_timeout",
        "limit",
        "work",
        "The document took longer in all than SCATTER_DOCUMENT_SECONDS.",
        "Raise the limit and run `scatter retry`.",
    ),
    ErrorCode(
        "memory_limit",
        "limit",
        "parse",
        "The document needed more memory than its worker may use (SCATTER_WORKER_MEMORY).",
        "Raise the limit and run `scatter retry`, or look at the document: some are made to fill memory.",
    ),
    ErrorCode(
        "no_progress",
        "limit",
        "work",
        "The worker lived but the document did not get on for SCATTER_PROGRESS_SECONDS.",
        "Run `scatter retry`; if it happens again, look at the document and at the services it waits for.",
    ),
    ErrorCode(
        "upstream_unavailable",
        "transient",
        "parse",
        "The parsing service did not answer, or not as it should, and SCATTER_PARSING_FALLBACK is off.",
        "It is tried again by itself; run `scatter doctor`, or turn SCATTER_PARSING_FALLBACK on.",
    ),
    ErrorCode(
        "llm_unavailable",
        "transient",
        "extract",
        "The LLM endpoint failed, broke the connection off or did not answer within SCATTER_LLM_SECONDS.",
        "It is tried again by itself; run `scatter doctor`, or look at the endpoint if it goes on.",
    ),
    ErrorCode(
        "llm_busy",
        "transient",
        "extract",
        "The LLM endpoint asked to be asked later, more often than a document may wait.",
        "It is tried again by itself; set SCATTER_LLM_REQUESTS_PER_MINUTE and SCATTER_LLM_TOKENS_PER_MINUTE to its "
        "limits, or lower SCATTER_LLM_SLOTS.",
    ),
    ErrorCode(
        "llm_refused",
        "permanent",
        "extract",
        "The model, or a filter before it, refused to answer for this document.",
        "Look at the document; another model may answer.",
    ),
    ErrorCode(
        "llm_answer_cut",
        "permanent",
        "extract",
        "The model's answer was longer than it may be and was cut off.",
        "Raise SCATTER_LLM_OUTPUT_TOKENS or ask for fewer fields, and submit again.",
    ),
    ErrorCode(
        "llm_invalid_answer",
        "permanent",
        "extract",
        "The model's answer was not of the form asked for, also when it was told what was wrong.",
        "Run `scatter retry`, or use a model or an endpoint that knows structured outputs.",
    ),
    ErrorCode(
        "llm_request_rejected",
        "permanent",
        "extract",
        "The LLM endpoint does not take the request for this document.",
        "Read the message: SCATTER_LLM_CONTEXT_TOKENS may be more than the model has.",
    ),
    ErrorCode(
        "llm_closed",
        "operator",
        "extract",
        "The LLM endpoint would refuse every call: its key, rights, model or quota. The task is on hold.",
        "Correct the SCATTER_LLM_ variable named or the account, then run `scatter resume`.",
    ),
    ErrorCode(
        "budget_exceeded",
        "permanent",
        "extract",
        "One more call could cost more than is left of the task's or the document's budget.",
        "Raise it with `scatter budget TASK --task-usd USD`, then run `scatter retry TASK --code budget_exceeded`.",
    ),
    ErrorCode(
        "upstream_wait",
        "transient",
        "work",
        "A service or a free slot was waited for longer than a document may wait.",
        "It is tried again by itself; look at the service or raise its number of slots.",
    ),
    ErrorCode(
        "database_unavailable",
        "transient",
        "save",
        "The database went away while the document was worked on.",
        "It is tried again by itself; look at the database server's log.",
    ),
    ErrorCode(
        "worker_crashed",
        "lost",
        "work",
        "The worker died while it held the document, as often as is allowed.",
        "Look at the document and the attempts (`scatter results TASK --attempts`); `scatter retry` tries again.",
    ),
    ErrorCode(
        "internal_error",
        "permanent",
        "work",
        "The program itself failed on this document.",
        "Please report it with the message; the other documents are not concerned.",
    ),
    ErrorCode(
        "force_finalized",
        "operator",
        "work",
        "An operator ended the task before this document was done.",
        "Run `scatter retry` to do it after all.",
    ),
    ErrorCode(
        "cancelled",
        "operator",
        "work",
        "An operator cancelled the task before this document was done.",
        "Run `scatter retry` to do it after all.",
    ),
    ErrorCode(
        "counts_differ",
        "operator",
        "work",
        "The rows of a task do not add up to the number of documents it was submitted with.",
        "Do not close it by hand; look at `scatter doctor` and at who else writes to the database.",
    ),
    ErrorCode(
        "no_documents",
        "usage",
        "submit",
        "The sources named hold no document.",
        "Name a folder, a file, a glob or a manifest that has at least one document.",
    ),
    ErrorCode(
        "source_invalid",
        "usage",
        "submit",
        "A source cannot be listed: it does not exist, may not be read or is of no known form.",
        "Check the path. A source is a file, a folder, a glob, @list.txt, a CSV with a `uri` column, or a URL.",
    ),
    ErrorCode(
        "template_unknown",
        "usage",
        "submit",
        "No template has that name, and no file lies at that path.",
        "Run `scatter template list`, or give the path of a YAML file.",
    ),
    ErrorCode(
        "template_invalid",
        "usage",
        "submit",
        "The template cannot be used.",
        "Correct the line named and run `scatter template check FILE`.",
    ),
    ErrorCode(
        "task_unknown",
        "usage",
        "usage",
        "No task has that id.",
        "Run `scatter tasks` to see those there are.",
    ),
    ErrorCode(
        "task_state",
        "usage",
        "usage",
        "The task is not in a state in which this can be done.",
        "Run `scatter status TASK` to see its state.",
    ),
    ErrorCode(
        "settings_invalid",
        "usage",
        "usage",
        "A setting has a value that cannot be used.",
        "Correct the SCATTER_ variable named.",
    ),
    ErrorCode(
        "database_unreachable",
        "usage",
        "usage",
        "The database does not answer, or refuses the connection.",
        "Check SCATTER_DATABASE_URL and that the server runs; `scatter doctor` shows both.",
    ),
    ErrorCode(
        "database_outdated",
        "usage",
        "usage",
        "The database has no schema of this program, or one of another version.",
        "Run `scatter db upgrade`.",
    ),
    ErrorCode(
        "database_denied",
        "usage",
        "usage",
        "The database user may not do what is needed.",
        "Ask the server's administrator for the rights named, or use another user in SCATTER_DATABASE_URL.",
    ),
    ErrorCode(
        "embedded_failed",
        "usage",
        "usage",
        "The embedded PostgreSQL server could not be started.",
        "Read the log named; set SCATTER_DATABASE_URL to use a server of your own.",
    ),
    ErrorCode(
        "home_unusable",
        "usage",
        "usage",
        "The folder SCATTER_HOME cannot be used.",
        "Make it writable or set SCATTER_HOME to another folder.",
    ),
    ErrorCode(
        "workers_failing",
        "usage",
        "usage",
        "The processes that were to do the documents end before they begin one.",
        "Read the log named and run `scatter doctor`; `scatter run --task TASK` goes on.",
    ),
    ErrorCode(
        "port_in_use",
        "usage",
        "usage",
        "Another program listens on the port.",
        "Choose another with --port, or stop that program.",
    ),
    ErrorCode(
        "export_failed",
        "usage",
        "usage",
        "The results could not be written.",
        "Check that the folder exists and may be written to.",
    ),
    ErrorCode(
        "gold_unreadable",
        "usage",
        "usage",
        "The file of gold values is not there or cannot be opened.",
        "Check the path given with --gold and that you may read the file.",
    ),
    ErrorCode(
        "gold_invalid",
        "usage",
        "usage",
        "The file of gold values cannot be used.",
        "Correct the line named; docs/evaluation.md describes both formats.",
    ),
    ErrorCode(
        "gold_unmatched",
        "usage",
        "usage",
        "No line of gold belongs to a document of the task.",
        "Name the documents as `scatter results TASK` does, or say with --match which manifest column names them.",
    ),
    ErrorCode(
        "llm_not_configured",
        "usage",
        "submit",
        "The engine needs an LLM and the settings name none.",
        "Set SCATTER_LLM_MODEL, and SCATTER_LLM_BASE_URL and SCATTER_LLM_API_KEY where they are needed.",
    ),
    ErrorCode(
        "price_unknown",
        "usage",
        "submit",
        "A budget is to be kept but nobody knows what the model costs.",
        "Set SCATTER_LLM_INPUT_USD and SCATTER_LLM_OUTPUT_USD, in dollars a million tokens; 0 for a model of your own.",
    ),
    ErrorCode(
        "config_invalid",
        "usage",
        "usage",
        "The run's config does not say what to do, or says two things.",
        "Give either `source` (and what belongs to it) or `task_id` (and perhaps `shard`).",
    ),
)

CODES: Mapping[str, ErrorCode] = {row.code: row for row in _ROWS}


class ScatterError(Exception):
    """An error with a code of the table.

    `retry_after` is in seconds: what an upstream asked for, where it did. An unknown code is a
    programming error and raises KeyError at once.
    """

    def __init__(self, code: str, message: str, *, retry_after: float | None = None) -> None:
        self.entry = CODES[code]
        self.message = message
        self.retry_after = retry_after
        super().__init__(message)

    @property
    def code(self) -> str:
        return self.entry.code

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.code, self.message, self.retry_after))


class DocumentError(ScatterError):
    """One document could not be done; becomes its row's outcome."""


class UsageError(ScatterError):
    """A command, config or setting was wrong; shown to the person as one message, nothing was written."""


def _rebuild(kind: type[ScatterError], code: str, message: str, retry_after: float | None) -> ScatterError:
    return kind(code, message, retry_after=retry_after)
