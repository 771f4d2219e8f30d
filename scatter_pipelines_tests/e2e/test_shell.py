"""The main job from the shell, on examples/, against answers that are known by construction."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from scatter_pipelines.work import operate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import result_rows
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.generator.examples import ANSWERS_FILE

Scatter = Callable[..., "subprocess.CompletedProcess[str]"]

EXACT = ("title", "doi", "year", "authors", "registration_ids")
"""Fields compared with the answers; the quality of the others is measured, not asserted."""


def answers() -> dict[str, dict[str, Any]]:
    lines = ANSWERS_FILE.read_text(encoding="utf-8").splitlines()
    return {answer["filename"]: answer for answer in map(json.loads, lines)}


def assert_as_known(rows: list[dict[str, Any]]) -> None:
    """Every document ended as it must, the named fields are right, and every value stands where it says."""
    known = answers()
    assert {row["filename"] for row in rows} == set(known)
    for row in rows:
        answer = known[row["filename"]]
        assert row["sha256"] == answer["sha256"]
        assert row["status"] == answer["expected_status"], row
        assert (row["error"] or {}).get("code") == answer["expected_code"]
        for name, field in row["fields"].items():
            values = field["value"] if isinstance(field["value"], list) else [field["value"]]
            assert len(field["evidence"]) == (0 if field["value"] is None else len(values)), (row["filename"], name)
    wrong = [
        (row["filename"], name, row["fields"][name]["value"], known[row["filename"]]["fields"][name])
        for row in rows if row["status"] == "completed"
        for name in EXACT
        if _plain(row["fields"][name]["value"]) != _plain(known[row["filename"]]["fields"][name])
    ]  # fmt: skip
    assert wrong == []


def _plain(value: Any) -> Any:
    return None if value in (None, [], "") else value


def test_scatter_run_gives_the_known_answers(scatter: Scatter, runtime: Runtime) -> None:
    done = scatter("run", "examples", "--json")
    assert done.returncode == 3, done.stderr
    printed = json.loads(done.stdout)
    assert printed["status"] == "completed_with_errors"
    assert printed["counts"] == {"pending": 0, "extracting": 0, "completed": 12, "error": 4, "cancelled": 0}
    assert_as_known(list(result_rows(runtime, printed["task_id"])))


def test_dagster_job_execute_gives_the_known_answers(
    environment: dict[str, str], runtime: Runtime, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(f"source: {PROJECT / 'examples'}\n")
    done = subprocess.run(
        [
            sys.executable, "-m", "dagster", "job", "execute", "-m", "scatter_pipelines.definitions",
            "-j", "extract_documents", "-c", str(config),
        ],
        env=environment, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "scatter aggregate" in done.stderr.strip().splitlines()[-1]
    assert_as_known(list(result_rows(runtime, operate.find_task(runtime, "last").id)))


AUDIT = """
    CREATE TABLE public.audit (role text, tablename text, op text);
    GRANT ALL ON public.audit TO PUBLIC;
    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO public.audit VALUES (current_user, TG_TABLE_NAME, TG_OP); RETURN NULL; END $$;
    DO $$ DECLARE t text; BEGIN
        FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'scatter' LOOP
            EXECUTE format('CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON scatter.%I
                            FOR EACH ROW EXECUTE FUNCTION public.note()', t);
        END LOOP; END $$;
"""


def test_workers_never_write_the_task_row(scatter: Scatter, database_url: str) -> None:
    plain = database_url.replace("postgresql+psycopg", "postgresql")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(AUDIT)
        assert scatter("run", "examples").returncode == 3
        wrote = connection.execute("SELECT DISTINCT role, tablename FROM public.audit").fetchall()
    by_worker = {table for role, table in wrote if role == "scatter_worker"}
    assert by_worker == {"extraction_result", "extraction_attempt", "claim_beat", "shard_lease"} or by_worker == {
        "extraction_result", "extraction_attempt", "claim_beat"
    }  # fmt: skip
    assert ("postgres", "extraction_task") in wrote
