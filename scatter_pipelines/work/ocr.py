"""OCR within one claim: page by page under a limit of its own, and no page twice.

A page that was read is kept in the database at once, so a crash, a limit or a retry costs the page in hand alone.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

from scatter_pipelines.parsing.ocr import storage
from scatter_pipelines.parsing.ocr.engine import Engine, engine_version, installed
from scatter_pipelines.parsing.placed import Line
from scatter_pipelines.parsing.protocol import Picture, PictureReader
from scatter_pipelines.store import ocr_pages
from scatter_pipelines.store.ocr_pages import PageKey
from scatter_pipelines.testing import crash_point
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.supervise import Watched


class Ocr:
    """One process's OCR. The engine is made at the first page that needs it, and stays."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._engine: Engine | None = None

    def reader(self, watched: Watched, content: bytes) -> PictureReader | None:
        """For the document under way; None where OCR is switched off or not installed."""
        if self._runtime.settings.ocr == "off" or not installed():
            return None
        return _Reader(self, watched, content)

    def lines(self, key: PageKey, picture: Callable[[], Picture]) -> Sequence[Line]:
        """A page's lines as kept, or read now and kept from now on."""
        database = self._runtime.database
        kept = database.run(partial(ocr_pages.kept, key=key), "worker", one_by_one=True)
        if kept is not None:
            return storage.from_json(kept)
        self._engine = self._engine or Engine()
        content = storage.to_json(self._engine.read(picture()))
        database.run(partial(ocr_pages.keep, key=key, content=content), "worker", one_by_one=True)
        crash_point("ocr_page")
        return storage.from_json(content)


class _Reader:
    """The pages of one document, and its progress."""

    def __init__(self, ocr: Ocr, watched: Watched, content: bytes) -> None:
        self._ocr = ocr
        self._watched = watched
        self._content = content
        self._sha256 = ""
        self._done = self._total = 0

    def begin(self, pages: int) -> None:
        self._sha256 = hashlib.sha256(self._content).hexdigest()
        self._total = pages
        self._watched.enter("ocr")
        self._watched.progress(0, pages)

    def read(self, number: int, picture: Callable[[], Picture]) -> Sequence[Line]:
        lines = self._ocr.lines(PageKey(self._sha256, number, engine_version()), picture)
        self._done += 1
        self._watched.progress(self._done, self._total)
        return lines
