"""The embedded server with real processes: who shares it, who stops it, and what may die when."""

import contextlib
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import sqlalchemy

from scatter_pipelines.errors import UsageError
from scatter_pipelines.store import embedded, embedded_files, embedded_launch, embedded_probe
from scatter_pipelines.store.embedded import EmbeddedServer, ensure_server, server_status, stop_server

MARK = "SCATTER_TEST_EMBEDDED"
USE = """
import os, sys
from pathlib import Path
from scatter_pipelines.store.embedded import ensure_server, server_status
home = Path(sys.argv[1])
server = ensure_server(home)
print(server_status(home).pid, flush=True)
"""
HOLD = USE + "sys.stdin.read()"


class Users:
    """Real processes that use the server of a home until they are let go."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[str]] = []

    def begin(self, home: Path, code: str = HOLD) -> subprocess.Popen[str]:
        user = subprocess.Popen(
            [sys.executable, "-c", code, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.running.append(user)
        return user

    def ready(self, user: subprocess.Popen[str]) -> int:
        assert user.stdout is not None
        return int(user.stdout.readline())

    def join(self, home: Path) -> tuple[subprocess.Popen[str], int]:
        user = self.begin(home)
        return user, self.ready(user)

    def end(self, user: subprocess.Popen[str]) -> int:
        user.communicate()
        self.running.remove(user)
        return user.returncode

    def kill(self, user: subprocess.Popen[str]) -> None:
        user.kill()
        self.end(user)

    def close(self) -> None:
        for user in list(self.running):
            self.kill(user)


def short_folder() -> "tempfile.TemporaryDirectory[str]":
    """A folder with a path so short that a socket can lie below it, which that of pytest's is not."""
    return tempfile.TemporaryDirectory(prefix="scatter-")


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A home with data, stopped: initdb for each test would take most of the time."""
    with short_folder() as folder:
        home = Path(folder).resolve() / "home"
        with pytest.MonkeyPatch.context() as patch, nothing_left_over(home.parent, patch):
            ensure_server(home)
        yield home


@pytest.fixture
def home(made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with data and no server, shared by the tests one after the other."""
    with nothing_left_over(made.parent, monkeypatch):
        yield made


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that is not there yet."""
    with short_folder() as folder, nothing_left_over(Path(folder).resolve(), monkeypatch):
        yield Path(folder).resolve() / "home"


@contextlib.contextmanager
def nothing_left_over(top: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(embedded.GRACE_VARIABLE, "0.2")
    monkeypatch.setenv(MARK, str(top))
    yield
    for folder in [path.parent for path in top.rglob("start.lock")]:
        stop_server(folder.parent)
    wait_until(lambda: not left_over(top), "no process of this test is left")


@pytest.fixture
def users() -> Iterator["Users"]:
    opened = Users()
    yield opened
    opened.close()


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"after {seconds} s it is still not so that {what}"
        time.sleep(0.02)


def left_over(top: Path) -> list[psutil.Process]:
    """The servers below the folder, and the guardians by what they inherited."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "environ", "status"])
        if process.pid != os.getpid() and process.info["status"] != psutil.STATUS_ZOMBIE
        if (process.info["environ"] or {}).get(MARK) == str(top)
        or any(str(top) in word for word in process.info["cmdline"] or [])
    ]


def guardians(top: Path) -> list[psutil.Process]:
    return [process for process in left_over(top) if "guard" in process.cmdline()]


def is_running(home: Path) -> bool:
    place = embedded_files.place_of(home)
    return embedded_probe.running_version(place, embedded_files.owner_of_data(place)) is not None


def pid_of(home: Path) -> int:
    pid = server_status(home).pid
    assert pid is not None
    return pid


def ask(server: EmbeddedServer, query: str) -> str:
    with psycopg.connect(server.url("scatter", driver=""), autocommit=True) as connection:
        return str(connection.execute(query.encode()).fetchone()[0])  # type: ignore[index]


def do(server: EmbeddedServer, statement: str) -> None:
    with psycopg.connect(server.url("scatter", driver=""), autocommit=True) as connection:
        connection.execute(statement.encode())


def run_until_it_breaks(connection: psycopg.Connection[tuple[object, ...]], statement: str) -> None:
    with contextlib.suppress(psycopg.Error):
        connection.execute(statement.encode())


def kill_server(home: Path) -> None:
    os.kill(pid_of(home), signal.SIGKILL)
    wait_until(lambda: not is_running(home), "the server is dead")


def test_the_first_start_makes_a_durable_utf8_server_without_a_network(fresh: Path) -> None:
    server = ensure_server(fresh)
    for setting, value in {
        "listen_addresses": "", "fsync": "on", "synchronous_commit": "on", "max_connections": "400",
        "timezone": "UTC", "server_encoding": "UTF8", "idle_in_transaction_session_timeout": "5min",
        "shared_buffers": "128MB", "logging_collector": "off",
    }.items():  # fmt: skip
        assert ask(server, f"SHOW {setting}") == value
    assert ask(server, "SELECT datlocale FROM pg_database WHERE datname = 'scatter'") == "C.UTF-8"


def test_the_url_works_in_both_drivers_of_sqlalchemy(home: Path) -> None:
    server = ensure_server(home)
    for driver in ("psycopg", "psycopg2"):
        engine = sqlalchemy.create_engine(server.url("scatter", driver))
        with engine.connect() as connection:
            assert connection.execute(sqlalchemy.text("SELECT current_database()")).scalar_one() == "scatter"
        engine.dispose()


def test_two_first_starts_at_once_share_one_server(fresh: Path, users: Users) -> None:
    both = [users.begin(fresh), users.begin(fresh)]
    assert users.ready(both[0]) == users.ready(both[1])


def test_the_server_outlives_its_starter_and_ends_after_its_last_user(home: Path, users: Users) -> None:
    first, pid = users.join(home)
    second, same = users.join(home)
    assert same == pid
    assert users.end(first) == 0
    time.sleep(0.6)
    assert pid_of(home) == pid
    assert users.end(second) == 0
    wait_until(lambda: not psutil.pid_exists(pid) or not is_running(home), "the server is gone")


def test_a_user_who_comes_within_the_grace_finds_the_same_server(
    home: Path, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(embedded.GRACE_VARIABLE, "4")
    first, pid = users.join(home)
    assert users.end(first) == 0
    second, same = users.join(home)
    time.sleep(4.5)
    assert pid_of(home) == pid == same
    assert users.end(second) == 0


def test_a_killed_user_does_not_keep_the_server(home: Path, users: Users) -> None:
    user, pid = users.join(home)
    users.kill(user)
    wait_until(lambda: not is_running(home), "the server is gone")
    assert f"[{pid}] LOG:  received fast shutdown request" in (home / "postgres/log").read_text()


def test_a_killed_server_comes_back_with_what_was_committed(home: Path) -> None:
    do(ensure_server(home), "CREATE TABLE killed AS SELECT 7 AS n")
    before = pid_of(home)
    kill_server(home)
    assert ask(ensure_server(home), "SELECT n FROM killed") == "7"
    assert pid_of(home) != before


def test_pid_files_that_name_a_living_stranger_do_not_block_the_start(home: Path) -> None:
    ensure_server(home)
    kill_server(home)
    owner = embedded_files.owner_of_data(embedded_files.place_of(home))
    stranger = subprocess.Popen(["sleep", "60"], user=owner.uid if owner.switched else None)
    try:
        for path in (home / "postgres/data/postmaster.pid", home / "postgres/socket/.s.PGSQL.5432.lock"):
            path.write_text("\n".join([str(stranger.pid), *path.read_text().splitlines()[1:]]) + "\n")
        ensure_server(home)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_query_that_outlives_its_killed_server_is_ended(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_launch, "_ORPHAN_SECONDS", 0.5)
    server = ensure_server(home)
    connection = psycopg.connect(server.url("scatter", driver=""))
    backend = psutil.Process(connection.info.backend_pid)
    endless = "DO $$ BEGIN LOOP END LOOP; END $$"
    thread = threading.Thread(target=run_until_it_breaks, args=(connection, endless), daemon=True)
    thread.start()
    state = f"SELECT state FROM pg_stat_activity WHERE pid = {backend.pid}"
    try:
        wait_until(lambda: ask(server, state) == "active", "the query runs")
        kill_server(home)
        assert backend.is_running()
        ensure_server(home)
        thread.join(5)
        assert not thread.is_alive()
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            backend.kill()
        connection.close()


def test_a_killed_guardian_is_replaced_by_the_next_user(home: Path, users: Users) -> None:
    first, pid = users.join(home)
    (guardian,) = guardians(home.parent)
    guardian.kill()
    wait_until(lambda: not guardians(home.parent), "the guardian is dead")
    assert users.end(first) == 0
    second, same = users.join(home)
    assert same == pid
    assert len(guardians(home.parent)) == 1
    users.kill(second)
    wait_until(lambda: not is_running(home), "the server is gone")


def test_a_start_right_after_the_last_stop_has_a_guardian_again(home: Path, users: Users) -> None:
    user, _ = users.join(home)
    users.kill(user)
    place = embedded_files.place_of(home)
    wait_until(lambda: not embedded_probe.is_alive(place), "the server is gone")
    ensure_server(home)
    time.sleep(0.6)
    assert len(guardians(home.parent)) == 1


def test_a_path_with_spaces_quotes_and_foreign_letters_can_be_the_home(fresh: Path) -> None:
    home = fresh / """a b o'clock "x" $HOME `id` \\n%20: 文献"""
    server = ensure_server(home)
    assert ask(server, "SHOW data_directory") == str(home / "postgres/data")
    assert server.socket_dir == home / "postgres/socket"
    assert stat.S_IMODE(server.socket_dir.stat().st_mode) == 0o700
    assert server_status(home).running


@pytest.mark.parametrize("name", ["a,b", "long" * 40])
def test_a_home_whose_path_cannot_hold_a_socket_has_a_private_one_elsewhere(home: Path, name: str) -> None:
    moved = home.rename(home.parent / name)
    try:
        server = ensure_server(moved)
        assert ask(server, "SHOW data_directory") == str(moved / "postgres/data")
        assert not server.socket_dir.is_relative_to(moved)
        assert stat.S_IMODE(server.socket_dir.stat().st_mode) == 0o700
        assert stop_server(moved)
        server.socket_dir.rmdir()
    finally:
        stop_server(moved)
        moved.rename(home)


def test_a_socket_folder_made_by_another_user_is_refused(fresh: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make another user's folder")
    place = embedded_files.place_of(fresh / ("long" * 40))
    embedded_files.prepare(place)
    folder = embedded_files.socket_folder(place, embedded_files.owner_of(place))
    folder.mkdir(mode=0o777)
    os.chown(folder, 12345, 12345)
    try:
        with pytest.raises(UsageError, match="belongs to another user"):
            ensure_server(place.home)
    finally:
        folder.rmdir()


def test_half_of_an_initdb_does_not_block_the_next_start(fresh: Path, users: Users) -> None:
    user = users.begin(fresh)
    wait_until(lambda: (fresh / "postgres/data.new/base").exists(), "initdb is at work")
    users.kill(user)
    assert not (fresh / "postgres/data").exists()
    assert ask(ensure_server(fresh), "SELECT 1") == "1"
    assert not (fresh / "postgres/data.new").exists()


def test_neither_a_ctrl_c_nor_the_callers_pipes_reach_the_server(home: Path, users: Users) -> None:
    keeper, pid = users.join(home)
    code = USE + "import signal, time; os.killpg(0, signal.SIGINT); time.sleep(9)"
    stop_server(home)
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], capture_output=True, text=True, start_new_session=True, timeout=10
    )
    assert "KeyboardInterrupt" in done.stderr
    assert pid_of(home) == int(done.stdout) != pid
    assert users.end(keeper) == 0


def test_threads_and_repeated_calls_share_one_hold(home: Path) -> None:
    servers: list[EmbeddedServer] = []
    threads = [threading.Thread(target=lambda: servers.append(ensure_server(home))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert servers == [ensure_server(home)] * 6
    links = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert links.count(home / "postgres/users.lock") == 1


def test_a_forked_child_keeps_the_server_and_may_ask_for_it(home: Path, users: Users) -> None:
    code = USE + "\nif os.fork() == 0:\n sys.stdin.read(); assert ensure_server(home) == server\n"
    parent, pid = users.begin(home, code), 0
    pid = users.ready(parent)
    parent.wait()
    time.sleep(0.6)
    assert pid_of(home) == pid
    assert users.end(parent) == 0
    wait_until(lambda: not is_running(home), "the server is gone")


def test_a_deleted_home_comes_up_anew_and_its_old_server_ends(fresh: Path, users: Users) -> None:
    user, pid = users.join(fresh)
    old = psutil.Process(pid)
    shutil.rmtree(fresh)
    do(ensure_server(fresh), "CREATE TABLE deleted AS SELECT 1")
    assert pid_of(fresh) != pid
    assert not old.is_running() or old.status() == psutil.STATUS_ZOMBIE
    users.kill(user)
    time.sleep(0.6)
    assert is_running(fresh)


def test_a_home_deleted_under_this_process_comes_up_anew_and_guarded(fresh: Path) -> None:
    ensure_server(fresh)
    (old,) = guardians(fresh.parent)
    shutil.rmtree(fresh)
    assert ask(ensure_server(fresh), "SELECT 1") == "1"
    wait_until(lambda: old.pid not in [guardian.pid for guardian in guardians(fresh.parent)], "the old one is gone")
    assert len(guardians(fresh.parent)) == 1
    assert is_running(fresh)


def test_a_copied_home_gets_a_server_of_its_own(home: Path) -> None:
    do(ensure_server(home), "CREATE TABLE copied AS SELECT 1")
    kill_server(home)
    subprocess.run(["cp", "-a", str(home), str(home.parent / "copy")], check=True)
    ensure_server(home)
    copy = ensure_server(home.parent / "copy")
    assert ask(copy, "SHOW data_directory") == str(home.parent / "copy/postgres/data")


def test_status_neither_starts_nor_creates_anything(fresh: Path) -> None:
    assert server_status(fresh) == embedded.ServerStatus(running=False, pid=None, version=None, data_bytes=0)
    assert not fresh.exists()
    ensure_server(fresh)
    running = server_status(fresh)
    assert running.running and running.version is not None and running.version.startswith("18.")
    assert stop_server(fresh)
    stopped = server_status(fresh)
    assert (stopped.running, stopped.pid, stopped.version) == (False, None, "18")
    assert stopped.data_bytes > 1_000_000
    assert not stop_server(fresh)


def test_a_home_that_cannot_be_made_is_named(fresh: Path) -> None:
    fresh.parent.mkdir(exist_ok=True)
    fresh.write_text("a file")
    with pytest.raises(UsageError, match="cannot be used") as caught:
        ensure_server(fresh)
    assert caught.value.code == "home_unusable"


def test_a_server_that_cannot_start_tells_its_log(fresh: Path) -> None:
    ensure_server(fresh)
    stop_server(fresh)
    with (fresh / "postgres/data/postgresql.conf").open("a") as file:
        file.write("shared_buffers = nonsense\n")
    with pytest.raises(UsageError, match="nonsense") as caught:
        ensure_server(fresh)
    assert caught.value.code == "embedded_failed"
    assert str(fresh / "postgres/log") in caught.value.message


def test_a_grace_that_is_no_number_is_refused(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(embedded.GRACE_VARIABLE, "soon")
    with pytest.raises(UsageError, match="soon"):
        ensure_server(fresh)


def test_windows_is_told_so_instead_of_failing_at_import(fresh: Path) -> None:
    code = (
        "import sys, psycopg, psutil, subprocess, pathlib; sys.modules['fcntl'] = None; sys.platform = 'win32'\n"
        "from scatter_pipelines.store.embedded import ensure_server; ensure_server(pathlib.Path('x'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "UsageError: The embedded PostgreSQL does not run on Windows" in done.stderr


COME_AND_GO = """
import os, random, signal, sys, time
from pathlib import Path
import psycopg
from scatter_pipelines.store.embedded import ensure_server

def visit(rng):
    server = ensure_server(Path(sys.argv[1]))
    with psycopg.connect(server.url("scatter", ""), autocommit=True) as connection:
        connection.execute("INSERT INTO visits VALUES (1)")
    time.sleep(rng.choice([0, 0, rng.uniform(0, 0.2)]))
    os.kill(os.getpid(), rng.choice([signal.SIGKILL, signal.SIGTERM]))

rng, visits, until = random.Random(sys.argv[2]), 0, time.monotonic() + float(sys.argv[3])
while time.monotonic() < until:
    child = os.fork()
    if child == 0:
        visit(rng)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (-signal.SIGKILL, -signal.SIGTERM)
    visits += 1
    rng.random()
    time.sleep(rng.choice([0, 0.5 - time.time() % 0.5]) + rng.uniform(0, 0.1))
print(visits)
"""


def test_eight_processes_that_come_and_go_lose_no_row(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, seconds = random.SystemRandom().randrange(10**6), 6
    monkeypatch.setenv(embedded.GRACE_VARIABLE, "0.01")
    do(ensure_server(home), "CREATE TABLE visits (n int)")
    before = (home / "postgres/log").read_text().count("ready to accept connections")
    stop_server(home)
    commands = [[sys.executable, "-c", COME_AND_GO, str(home), str(seed + n), str(seconds)] for n in range(8)]
    both = subprocess.PIPE
    crowd = [subprocess.Popen(command, stdout=both, stderr=both, text=True) for command in commands]
    said = [process.communicate() for process in crowd]
    assert [errors for _, errors in said if errors] == [], f"seed {seed}"
    wait_until(lambda: not is_running(home), "the server is gone")
    starts = (home / "postgres/log").read_text().count("ready to accept connections") - before
    visits = sum(int(printed) for printed, _ in said)
    print(f"seed {seed}: {visits} visits, {starts} starts")
    assert ask(ensure_server(home), "SELECT sum(n) FROM visits") == str(visits)
