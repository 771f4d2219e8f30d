"""`scatter dev`: web UI, daemon and database together."""

from typing import Annotated

import typer

from scatter_pipelines.cli.output import say
from scatter_pipelines.work.inbox import prepare_inbox
from scatter_pipelines.work.runtime import open_runtime


def dev_command(
    host: Annotated[str, typer.Option("--host", "-h", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=1, max=65535, help="Port of the web UI.")] = 3000,
) -> None:
    """Start the web UI with the daemon (sensors, schedules, queue) and keep the database up. Ctrl-C ends all of it."""
    from scatter_pipelines.launch import become_ui, check_port  # noqa: PLC0415  Dagster takes a second to import

    check_port(host, port)
    with open_runtime() as runtime:
        inbox = prepare_inbox(runtime)
        say(f"Starting the web UI on http://{host}:{port} (some seconds). Inbox: {inbox}")
        become_ui(runtime, host, port)
