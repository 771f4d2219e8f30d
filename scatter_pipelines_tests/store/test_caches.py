"""What is kept of documents and answers, how much of it, and what goes first."""

import pytest

from scatter_pipelines.store import caches
from scatter_pipelines.store.caches import CACHES
from scatter_pipelines.work.cache import prune, sizes
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import sql


def keep(runtime: Runtime, n: int = 10, size: int = 1_000) -> None:
    """The first is used last."""
    for number in range(n):
        runtime.database.run(lambda c, k=number: caches.keep_document(c, f"d{k}", b"x" * size), "worker")
        runtime.database.run(lambda c, k=number: caches.keep_answer(c, f"a{k}", {"text": "y" * size}), "worker")
    for name in CACHES:
        sql(runtime, f"UPDATE scatter.{name} SET used_at = clock_timestamp() - substr(key, 2)::int * interval '1 day'")


def keys(runtime: Runtime, name: str) -> list[str]:
    return [row.key for row in sql(runtime, f"SELECT key FROM scatter.{name} ORDER BY key")]


def test_what_was_kept_first_stays(runtime: Runtime) -> None:
    for text in ("one", "two"):
        runtime.database.run(lambda c, t=text: caches.keep_answer(c, "k", {"text": t}), "worker")
        runtime.database.run(lambda c, t=text: caches.keep_document(c, "k", t.encode()), "worker")
    assert runtime.database.run(lambda c: caches.answers(c, ["k", "other"]), "worker") == {"k": {"text": "one"}}
    assert runtime.database.run(lambda c: caches.document(c, "k"), "worker") == b"one"
    assert runtime.database.run(lambda c: caches.document(c, "other"), "worker") is None


def test_answers_with_signs_that_postgresql_refuses_are_kept(runtime: Runtime) -> None:
    runtime.database.run(lambda c: caches.keep_answer(c, "k", {"text": "a\0b\ud800"}), "worker")
    assert runtime.database.run(lambda c: caches.answers(c, ["k"]))["k"]["text"].startswith("ab")


def test_what_was_not_used_for_long_is_dropped_and_use_keeps(runtime: Runtime) -> None:
    keep(runtime)
    runtime.database.run(lambda c: caches.answers(c, ["a9"]), "worker")
    dropped = prune(runtime, days=4.5)
    assert dropped["llm_answer"].entries == 4 and dropped["parsed_document"].entries == 5
    assert keys(runtime, "llm_answer") == ["a0", "a1", "a2", "a3", "a4", "a9"]


def test_what_does_not_fit_is_dropped_the_longest_unused_first_and_documents_before_answers(runtime: Runtime) -> None:
    keep(runtime)
    answers = sizes(runtime)["llm_answer"].bytes
    prune(runtime, most_bytes=answers + 3_500)
    assert keys(runtime, "parsed_document") == ["d0", "d1", "d2"] and len(keys(runtime, "llm_answer")) == 10
    prune(runtime, most_bytes=answers // 2)
    assert keys(runtime, "parsed_document") == [] and len(keys(runtime, "llm_answer")) == 5
    dropped = prune(runtime, most_bytes=0)
    assert dropped["llm_answer"].entries == 5 and sizes(runtime)["llm_answer"].entries == 0


@pytest.mark.parametrize("name", CACHES)
def test_workers_cannot_drop_what_is_kept(runtime: Runtime, name: str) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    with pytest.raises(DBAPIError, match="permission denied"):
        runtime.database.run(lambda c: c.execute(text(f"DELETE FROM scatter.{name}")), "worker")
