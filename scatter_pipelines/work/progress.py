"""How far the work on one claim is, and which of its limits it has passed.

The work writes it, a supervisor reads it: in the same process as an object, across processes as bytes on a board of
shared memory. All instants are of the monotonic clock, which the processes of one machine have in common.
"""

import struct
import time
from dataclasses import astuple, dataclass
from typing import Literal

from scatter_pipelines.model.result import Beat
from scatter_pipelines.model.states import STAGES
from scatter_pipelines.settings import Settings

StopKind = Literal["lost", "parse_timeout", "ocr_timeout", "document_timeout", "upstream_wait"]

TURN = struct.Struct("=Q")
LAYOUT = struct.Struct("=qiiiiddddddddd")
READ_TRIES = 1_000


class StopWork(Exception):
    """The work must end. `lost`: the row is no longer ours and nothing may be written."""

    def __init__(self, kind: StopKind, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(message)


@dataclass(slots=True)
class Progress:
    """`stage` is an index of STAGES, `done` of `total` parts of it are through; `waiting_since` is 0 outside a wait.

    `read` are the seconds spent on OCR in stages that are over, `called` those of calls to an LLM that are over: each
    page and each call has its own limit, so they count against none of the document's. `calling_since` is 0 outside a
    call.
    """

    result_id: int
    attempt: int
    stage: int = 0
    done: int = 0
    total: int = 0
    started: float = 0.0
    stage_started: float = 0.0
    waited: float = 0.0
    stage_waited: float = 0.0
    waiting_since: float = 0.0
    part_started: float = 0.0
    read: float = 0.0
    calling_since: float = 0.0
    called: float = 0.0

    @staticmethod
    def begin(result_id: int, attempt: int) -> "Progress":
        now = time.monotonic()
        return Progress(result_id, attempt, started=now, stage_started=now, part_started=now)

    def enter(self, stage: int) -> None:
        self.read += self._reading_now()
        self.stage, self.done, self.total = stage, 0, 0
        self.stage_started = self.part_started = time.monotonic()
        self.stage_waited = 0.0

    def come_to(self, done: int, total: int) -> None:
        """So many parts of the stage are through."""
        self.done, self.total = done, total
        self.part_started = time.monotonic()

    def begin_wait(self) -> None:
        self.waiting_since = time.monotonic()

    def end_wait(self) -> None:
        waited = time.monotonic() - self.waiting_since
        self.waited += waited
        self.stage_waited += waited
        self.waiting_since = 0.0

    def begin_call(self) -> None:
        self.calling_since = time.monotonic()

    def end_call(self) -> None:
        self.called += self._calling_now()
        self.calling_since = 0.0

    def _calling_now(self) -> float:
        return time.monotonic() - self.calling_since if self.calling_since else 0.0

    def waited_seconds(self) -> float:
        return self.waited + self._waiting_now()

    def _waiting_now(self) -> float:
        return time.monotonic() - self.waiting_since if self.waiting_since else 0.0

    def _reading_now(self) -> float:
        return time.monotonic() - self.stage_started if STAGES[self.stage] == "ocr" else 0.0

    def uncounted_seconds(self) -> float:
        """What does not count against the document's hard limit: waits for others, OCR, and calls to an LLM."""
        return self.waited_seconds() + self.read + self._reading_now() + self.called + self._calling_now()

    def beat(self) -> Beat:
        uncounted = int(self.uncounted_seconds() * 1000)
        return Beat(self.result_id, self.attempt, self.stage, self.done, self.total, uncounted)

    def overdue(self, settings: Settings) -> StopWork | None:
        """The limit that was passed, if one was."""
        now = time.monotonic()
        if self.waited_seconds() > settings.wait_seconds:
            return StopWork("upstream_wait", f"Waited longer than {settings.wait_seconds:g} s in all.")
        if now - self.started - self.uncounted_seconds() > settings.document_seconds:
            return StopWork("document_timeout", f"Took longer than {settings.document_seconds:g} s in all.")
        if self._calling_now() > settings.llm_seconds + settings.hang_seconds:
            return StopWork("upstream_wait", f"The LLM endpoint took longer than {settings.llm_seconds:g} s.")
        if STAGES[self.stage] == "ocr" and now - self.part_started > settings.ocr_page_seconds:
            limit, page = settings.ocr_page_seconds, f"page {self.done + 1} of the {self.total} to be read"
            return StopWork("ocr_timeout", f"OCR took longer than {limit:g} s for {page}; those before it are kept.")
        if STAGES[self.stage] in ("parsing", "annotating"):
            return self._parsing_overdue(now - self.stage_started - self.stage_waited - self._waiting_now(), settings)
        return None

    def _parsing_overdue(self, seconds: float, settings: Settings) -> StopWork | None:
        """The service ends its calls itself: its limit is for work on an answer that does not come to an end."""
        limit = settings.parse_seconds + settings.parse_page_seconds * self.total
        if STAGES[self.stage] == "annotating":
            limit += 2 * settings.grobid_seconds
        if seconds <= limit:
            return None
        what = "Parsing" if STAGES[self.stage] == "parsing" else "Finding the parts of the document"
        return StopWork("parse_timeout", f"{what} took longer than {limit:g} s (page {self.done} of {self.total}).")


class Board:
    """Progress in shared memory: one writer, one reader, and a turn counter that is odd while it is written."""

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory

    def write(self, progress: Progress) -> None:
        (turn,) = TURN.unpack_from(self._memory)
        TURN.pack_into(self._memory, 0, turn | 1)
        LAYOUT.pack_into(self._memory, TURN.size, *astuple(progress))
        TURN.pack_into(self._memory, 0, (turn | 1) + 1)

    def clear(self) -> None:
        self.write(Progress(0, 0))

    def read(self) -> Progress | None:
        """What was written last; None if there is no claim, or its writer died in the middle of writing."""
        for _ in range(READ_TRIES):
            (before,) = TURN.unpack_from(self._memory)
            values = LAYOUT.unpack_from(self._memory, TURN.size)
            (after,) = TURN.unpack_from(self._memory)
            if before == after and not before & 1:
                return Progress(*values) if values[0] else None
        return None
