"""The call to the parsing service between parsing and extracting: its slot, its waits, and what is done when it fails.

All waits for a slot or a busy service are marked as such, so they count against no limit of the document's work. They
end well before the supervisor's own cap, which would end the process.
"""

import logging
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import psycopg

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.service import (
    ParsingService,
    ServiceBusy,
    ServiceError,
    ServiceRefused,
    ServiceUnavailable,
)
from scatter_pipelines.parsing.services import service_of
from scatter_pipelines.work.breaker import Breaker
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.supervise import Watched

log = logging.getLogger(__name__)

PATIENCE = 0.8
"""Share of SCATTER_WAIT_SECONDS after which a wait is given up here."""
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 20.0
"""Seconds before a busy service is asked again, where it names none; GROBID's manual says 5 to 10."""
LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Reading:
    """The document, whether a service was to help and did not, and both in words."""

    document: Document
    alone: bool = False
    note: str = ""


class Annotator:
    """One process's use of the service that the settings choose."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._settings = runtime.settings
        self._service = service_of(runtime.settings)
        self._breaker = Breaker()

    def helps(self, document: Document) -> bool:
        return self._service is not None and document.media_type in self._service.media_types

    def annotate(self, watched: Watched, content: bytes, document: Document) -> Reading:
        """The document with the service's regions, or as it was.

        Raises `upstream_unavailable` or `upstream_wait` where the settings want no document without the service.
        """
        if self._service is None:
            return Reading(document)
        try:
            read = self._ask(self._service, watched, content, document)
        except ServiceError as error:
            return self._alone(self._service.name, watched, document, error)
        return Reading(read, note=f"Read by {read.parser}.")

    def _alone(self, name: str, watched: Watched, document: Document, error: ServiceError) -> Reading:
        if not isinstance(error, ServiceRefused) and not self._settings.parsing_fallback:
            code = "upstream_wait" if isinstance(error, ServiceBusy) else "upstream_unavailable"
            raise DocumentError(code, error.message, retry_after=error.retry_after) from error
        log.warning("%s is read without %s: %s", watched.claim.filename, name, error.message)
        return Reading(document, alone=True, note=f"Read by {document.parser} alone, without {name}: {error.message}")

    def _ask(self, service: ParsingService, watched: Watched, content: bytes, document: Document) -> Document:
        if (left := self._breaker.left()) > 0:
            raise ServiceUnavailable(f"Not asked, after {self._breaker.in_a_row} failures in a row.", retry_after=left)
        try:
            with self._slot(watched):
                read = self._until_free(service, watched, content, document)
        except ServiceRefused:
            self._breaker.answered()
            raise
        except ServiceUnavailable:
            self._breaker.failed()
            raise
        self._breaker.answered()
        return read

    def _until_free(self, service: ParsingService, watched: Watched, content: bytes, document: Document) -> Document:
        """Asks a busy service again. The slot is kept meanwhile: another's call would find it just as busy."""
        seconds, pause = self._settings.grobid_seconds, FIRST_PAUSE
        end = time.monotonic() + seconds
        while True:
            try:
                return service.annotate(content, document, timeout=seconds, check=watched.check)
            except ServiceBusy as busy:
                rest = busy.retry_after if busy.retry_after is not None else pause * random.uniform(0.8, 1.2)
                if time.monotonic() + rest > end:
                    raise
            self._rest(watched, rest)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _rest(self, watched: Watched, seconds: float) -> None:
        end = time.monotonic() + seconds
        with watched.waiting():
            while time.monotonic() < end:
                time.sleep(min(LOOK_SECONDS, seconds))
                self._look(watched)

    def _look(self, watched: Watched) -> None:
        watched.check()
        if watched.progress_made.waited_seconds() > PATIENCE * self._settings.wait_seconds:
            raise ServiceBusy("The parsing service, or a slot for it, was waited for too long.")

    @contextmanager
    def _slot(self, watched: Watched) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                with watched.waiting():
                    stack.enter_context(self._runtime.slots.hold("parse", lambda: self._look(watched)))
            except psycopg.OperationalError as error:
                raise DocumentError("database_unavailable", "No slot could be had: the database is away.") from error
            yield
