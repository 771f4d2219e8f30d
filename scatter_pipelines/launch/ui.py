"""Starting Dagster's web server and daemon in place of this process."""

import os
import signal
import socket
import sys
from typing import NoReturn

from scatter_pipelines.errors import UsageError
from scatter_pipelines.launch.instance import dagster_home, environment
from scatter_pipelines.work.runtime import Runtime


def check_port(host: str, port: int) -> None:
    """Raises UsageError `port_in_use` where nothing could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UsageError("port_in_use", f"Nothing can listen on {host}:{port}: {error.strerror}.") from error


def become_ui(runtime: Runtime, host: str, port: int) -> NoReturn:
    """Turns this process into Dagster's web server and daemon, which end with it."""
    check_port(host, port)
    home = dagster_home()
    # A shell's background job inherits an ignored SIGINT, and Dagster would ignore SIGTERM with it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = [sys.executable, "-m", "dagster", "dev", "-h", host, "-p", str(port), "-w", str(home / "workspace.yaml")]
    os.chdir(home)
    # Dagster's own notices about its commands and parameters are of no use here.
    os.execve(sys.executable, command, {"PYTHONWARNINGS": "ignore", **environment(runtime)})
