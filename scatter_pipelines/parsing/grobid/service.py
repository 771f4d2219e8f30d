"""GROBID as a parsing service: what it is asked, and what its answers mean."""

import json
import re
from dataclasses import replace

from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.detect import PDF
from scatter_pipelines.parsing.grobid.http import Answer, FormField, Request, call, shown
from scatter_pipelines.parsing.grobid.placing import place
from scatter_pipelines.parsing.grobid.tei import read_tei
from scatter_pipelines.parsing.service import Check, ServiceBusy, ServiceRefused, ServiceUnavailable

WITH_COORDINATES = ("title", "persName", "affiliation", "head", "p", "figure", "note", "biblStruct")
OPTIONS = {
    "consolidateHeader": "0",
    "consolidateCitations": "0",
    "consolidateFunders": "0",
    "includeRawCitations": "1",
    "includeRawAffiliations": "1",
    "segmentSentences": "0",
    "generateIDs": "0",
}
"""Nothing is looked up elsewhere: what comes back is what stands in the document."""

TEI_BYTES = 64 * 1024 * 1024
TALK_BYTES = 64 * 1024
TALK_SECONDS = 5.0
BUSY = frozenset({429, 503})
REFUSING = frozenset({400, 413, 415, 422})
OF_THE_DOCUMENT = re.compile(
    r"\b(BAD_INPUT_DATA|PASSWORD_PROTECTED|NO_BLOCKS|TOO_MANY_BLOCKS|TOO_MANY_TOKENS|TIMEOUT|PDFALTO_CONVERSION_FAILURE"
    r"|PDF2XML_CONVERSION_FAILURE|TAGGING_ERROR|PARSING_ERROR)\b"
)
"""GROBID's own codes that say something of the document and nothing of the service."""


class GrobidService:
    """One GROBID server. Keeps no connection, so it may cross a fork."""

    name = "grobid"
    revision = 1
    media_types = frozenset({PDF.name})

    def __init__(self, url: str) -> None:
        self._base = url.rstrip("/")

    def version(self) -> str:
        answer = self._talk("/api/version")
        try:
            said = json.loads(answer.body)
            return _short(said["version"] if isinstance(said, dict) else said)
        except (ValueError, KeyError):
            return _short(answer.body.decode("utf-8", "replace"))

    def alive(self) -> bool:
        return self._talk("/api/isalive").body.strip().lower() == b"true"

    def annotate(self, content: bytes, document: Document, *, timeout: float, check: Check) -> Document:
        form: list[FormField] = [
            ("input", ("document.pdf", content, PDF.name)),
            *((name, (None, value, "text/plain")) for name, value in OPTIONS.items()),
            *(("teiCoordinates", (None, name, "text/plain")) for name in WITH_COORDINATES),
        ]
        url = f"{self._base}/api/processFulltextDocument"
        request = Request("POST", url, {"Accept": "application/xml"}, form)
        answer = call(request, timeout=timeout, most_bytes=TEI_BYTES, check=check)
        tei = read_tei(_tei_of(answer, shown(url)))
        regions = place(tei, document, check)
        return replace(document, regions=regions, parser=f"{document.parser} + {self.name} {_short(tei.version)}")

    def _talk(self, path: str) -> Answer:
        url = f"{self._base}{path}"
        answer = call(Request("GET", url), timeout=TALK_SECONDS, most_bytes=TALK_BYTES, check=lambda: None)
        if answer.status != 200:
            raise ServiceUnavailable(f"{shown(url)} answered {answer.status}.")
        return answer


def _tei_of(answer: Answer, where: str) -> bytes:
    """The body of a good answer; the fitting error for any other."""
    said = f"{where} answered {answer.status}"
    if answer.status == 204:
        raise ServiceRefused(f"{said}: it found nothing in the document.")
    if answer.status in BUSY:
        raise ServiceBusy(f"{said}: all its threads are at work.", retry_after=answer.retry_after)
    code = OF_THE_DOCUMENT.search(answer.body[:TALK_BYTES].decode("utf-8", "replace")) if answer.status >= 400 else None
    if code or answer.status in REFUSING:
        raise ServiceRefused(f"{said}" + (f" with {code.group()}." if code else "."))
    if answer.status != 200:
        raise ServiceUnavailable(f"{said}: is SCATTER_GROBID_URL right?" if answer.status < 500 else f"{said}.")
    if answer.media_type != "application/xml":
        raise ServiceUnavailable(f"{said} with {_short(answer.media_type)}, which is not TEI.")
    return answer.body


def _short(text: object) -> str:
    """A word or two of the service's, fit to be shown and kept."""
    return "".join(c for c in str(text).strip() if c.isprintable())[:60] or "unknown"
