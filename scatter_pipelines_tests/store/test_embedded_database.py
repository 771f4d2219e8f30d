"""A database on the embedded server outlives the server: the next connection brings it back."""

import os
import signal
from pathlib import Path

from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.database import Database
from scatter_pipelines.store.embedded import server_status, stop_server
from scatter_pipelines_tests.store.rows import until


def _insert(database: Database) -> bool:
    database.run(lambda c: c.exec_driver_sql("INSERT INTO kept VALUES (1)"))
    return True


def test_a_killed_server_is_brought_back_by_whoever_needs_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    database = Database(load_settings(home=home, database_url=None))
    try:
        database.run(lambda c: c.exec_driver_sql("CREATE TABLE kept (n int)"))
        pid = server_status(home).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        # For a moment the killed server's own connections may still answer.
        until(lambda: _insert(database) and server_status(home).pid not in (None, pid), "a new server", 60)
    finally:
        database.dispose()
        stop_server(home)
