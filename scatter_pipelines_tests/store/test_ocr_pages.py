"""Pages read by OCR: kept once, found again by all three parts of their key, and dropped when they are old."""

from functools import partial

import pytest
from sqlalchemy.exc import ProgrammingError

from scatter_pipelines.store import ocr_pages
from scatter_pipelines.store.ocr_pages import PageKey
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import sql

KEY = PageKey("ab" * 32, 3, "1 (engine 2.0)")


def keep(runtime: Runtime, key: PageKey, content: object) -> None:
    runtime.database.run(partial(ocr_pages.keep, key=key, content=content), "worker")


def kept(runtime: Runtime, key: PageKey) -> object:
    return runtime.database.run(partial(ocr_pages.kept, key=key), "worker")


def test_a_page_is_found_by_document_number_and_engine(runtime: Runtime) -> None:
    assert kept(runtime, KEY) is None
    keep(runtime, KEY, [["é", 1.5]])
    assert kept(runtime, KEY) == [["é", 1.5]]
    for other in (PageKey("cd" * 32, 3, KEY.engine), PageKey(KEY.sha256, 4, KEY.engine), PageKey(KEY.sha256, 3, "2")):
        assert kept(runtime, other) is None


def test_the_first_reading_stays_and_an_empty_page_is_one_too(runtime: Runtime) -> None:
    keep(runtime, KEY, [])
    keep(runtime, KEY, ["later"])
    assert kept(runtime, KEY) == []


def test_old_pages_are_dropped_some_at_a_time_the_oldest_first(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 6):
        keep(runtime, PageKey(KEY.sha256, number, KEY.engine), [])
    sql(runtime, "UPDATE scatter.ocr_page SET kept_at = clock_timestamp() - number * interval '1 day'")
    monkeypatch.setattr(ocr_pages, "DROPPED_AT_ONCE", 2)
    numbers = "SELECT number FROM scatter.ocr_page ORDER BY number"
    for dropped, left in ((2, [1, 2, 3]), (1, [1, 2]), (0, [1, 2])):
        assert runtime.database.run(partial(ocr_pages.drop_old, days=2.5)) == dropped
        assert [row.number for row in sql(runtime, numbers)] == left


def test_workers_cannot_change_or_drop_what_was_kept(runtime: Runtime) -> None:
    keep(runtime, KEY, [])
    with pytest.raises(ProgrammingError, match="permission denied"):
        runtime.database.run(partial(ocr_pages.drop_old, days=0), "worker")
