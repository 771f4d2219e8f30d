"""What is typed or set wrong: one message that says what, which and what to do; never a traceback."""

import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from scatter_pipelines.extraction.templates import load_template
from scatter_pipelines.store.embedded import EmbeddedServer
from scatter_pipelines_tests.cli.shell import Shell, one_object

DEAD = "postgresql://somebody:secret@127.0.0.1:1/nothing"


def test_commands_that_are_none_are_answered_with_what_there_is(shell: Shell) -> None:
    done = shell("statsu")
    assert done.returncode == 2
    assert "Did you mean 'status'?" in done.stderr
    assert shell.refused("run", "--shard-size", "0", "x")["message"].startswith("Invalid value for '--shard-size'")
    bare = shell()
    assert bare.returncode in {0, 2}
    assert "force-finalize" in bare.stdout + bare.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("run",), "no_documents", "Name at least one source."),
        (("run", "/no/such/folder"), "source_invalid", "/no/such/folder does not exist."),
        (("submit", "/etc/hostname", "-t", "papr"), "template_unknown", "did you mean paper"),
        (("submit", "/etc/hostname", "-e", "magic"), "config_invalid", "'magic'"),
        (("run", "--task", "x", "/etc/hostname", "--again"), "config_invalid", "sources, --again"),
        (("retry", "x", "--code", "bogus"), "task_unknown", "'x'"),
        (("template", "check", "/no/such.yaml"), "template_unknown", "/no/such.yaml"),
    ],
)
def test_what_cannot_be_done_says_why_and_what_to_do(
    shell: Shell, arguments: tuple[str, ...], code: str, says: str
) -> None:
    error = shell.refused(*arguments)
    assert error["code"] == code
    assert says in error["message"]
    assert error["advice"]
    assert "task_id" not in error["advice"]


def test_a_wrong_template_names_the_line(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("name: mine\nversion: 1\nfields:\n- name: size\n  type: integr\n", encoding="utf-8")
    error = shell.refused("template", "check", str(path))
    assert (error["code"], "line 5" in error["message"], "integr" in error["message"]) == (
        "template_invalid",
        True,
        True,
    )
    path.write_text("name: [unclosed\n", encoding="utf-8")
    assert shell.refused("submit", "/etc/hostname", "-t", str(path))["code"] == "template_invalid"


def test_templates_are_listed_shown_and_checked(shell: Shell, tmp_path: Path) -> None:
    assert "paper" in [template["name"] for template in shell.json("template", "list")["templates"]]
    path = tmp_path / "copy.yaml"
    path.write_text(shell.good("template", "show", "paper"), encoding="utf-8")
    assert shell.json("template", "check", str(path))["hash"] == load_template("paper").hash


@pytest.mark.parametrize(
    ("url", "code", "status", "says"),
    [
        ("nonsense", "settings_invalid", 2, "is not a URL"),
        ("mysql://somebody:secret@host/x", "settings_invalid", 2, "names 'mysql'; only PostgreSQL"),
        ("postgresql://somebody:secret@host:port/x", "settings_invalid", 2, "is not a URL"),
        (DEAD, "database_unreachable", 1, "Connection refused"),
        ("postgresql+foo://somebody:secret@127.0.0.1:1/x", "database_unreachable", 1, "Connection refused"),
    ],
)
def test_a_database_that_cannot_be_used_is_told_without_its_password(
    shell: Shell, url: str, code: str, status: int, says: str
) -> None:
    done = shell("tasks", "--json", SCATTER_DATABASE_URL=url)
    assert "secret" not in done.stdout + done.stderr
    assert done.returncode == status
    error = one_object(done.stdout)["error"]
    assert error["code"] == code
    assert says in error["message"]


@pytest.fixture
def empty_url(server: EmbeddedServer) -> Iterator[str]:
    """The URL of a database without our schema."""
    with psycopg.connect(server.url("postgres", driver=""), autocommit=True) as connection:
        connection.execute("CREATE DATABASE bare_of_schema")
        yield server.url("bare_of_schema")
        connection.execute("DROP DATABASE bare_of_schema WITH (FORCE)")


def test_a_database_without_schema_is_brought_up_by_the_command_named(shell: Shell, empty_url: str) -> None:
    error = shell.refused("tasks", status=1, SCATTER_DATABASE_URL=empty_url)
    assert (error["code"], "scatter db upgrade" in error["advice"]) == ("database_outdated", True)
    assert shell.json("db", "upgrade", SCATTER_DATABASE_URL=empty_url)["changed"] is True
    assert shell.json("tasks", SCATTER_DATABASE_URL=empty_url) == {"tasks": []}
    url = shell.json("db", "url", SCATTER_DATABASE_URL=empty_url)["url"]
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM scatter.extraction_task").fetchone() == (0,)
    missing = empty_url.replace("bare_of_schema", "not_there")
    error = shell.refused("tasks", status=1, SCATTER_DATABASE_URL=missing)
    assert (error["code"], '"not_there" does not exist' in error["message"]) == ("database_unreachable", True)


def test_settings_that_cannot_be_used_are_named(shell: Shell, tmp_path: Path) -> None:
    error = shell.refused("tasks", SCATTER_STALE_SECONDS="soon")
    assert (error["code"], "SCATTER_STALE_SECONDS='soon'" in error["message"]) == ("settings_invalid", True)
    assert "scatter" in shell.good("--help", SCATTER_STALE_SECONDS="soon")
    (tmp_path / "file").touch()
    home = str(tmp_path / "file" / "home")
    error = shell.refused("tasks", status=1, SCATTER_HOME=home, SCATTER_DATABASE_URL="")
    assert (error["code"], home in error["message"]) == ("home_unusable", True)


def test_the_doctor_finds_what_is_wrong_and_what_was_mistyped(shell: Shell) -> None:
    healthy = shell.json("doctor", "--settings")
    assert {finding["level"] for finding in healthy["findings"]} == {"ok"}
    assert healthy["settings"]["stale_seconds"] == 2
    assert not [name for name in healthy["settings"] if "url" in name]
    said = shell.good("doctor", SCATTER_STALE_SECOND="3")
    assert "warning  settings: SCATTER_STALE_SECOND is set, but there is no such setting" in said
    assert "did you mean SCATTER_STALE_SECONDS?" in said
    sick = shell.json("doctor", status=1, SCATTER_BEAT_SECONDS="-1")
    assert [finding["level"] for finding in sick["findings"]] == ["error"]
    sick = shell.json("doctor", status=1, SCATTER_DATABASE_URL=DEAD)
    (error,) = [finding for finding in sick["findings"] if finding["level"] == "error"]
    assert "Connection refused" in error["message"]
    assert "secret" not in error["message"]


def test_a_port_that_is_taken_is_named_before_anything_starts(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = shell("dev", "--port", port)
    assert done.returncode == 1
    assert f"127.0.0.1:{port}" in done.stderr
    assert "Choose another with --port" in done.stderr
    assert "Web UI" not in done.stderr
