"""`scatter db`: the database's schema and address."""

import typer

from scatter_pipelines.cli.output import JsonFlag, print_json, print_line
from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.database import libpq_url, resolve_url
from scatter_pipelines.store.schema import head_revision, upgrade
from scatter_pipelines.work.runtime import Runtime, database_errors

app = typer.Typer(no_args_is_help=True, help="The database: PostgreSQL, embedded or your own.")


@app.command("upgrade")
def upgrade_command(as_json: JsonFlag = False) -> None:
    """Bring the schema to this program's version. The embedded server does it by itself."""
    runtime = Runtime(load_settings())
    try:
        with database_errors(runtime.settings):
            changed = upgrade(runtime.database)
    finally:
        runtime.close()
    version = head_revision()
    if as_json:
        print_json({"version": version, "changed": changed})
    else:
        print_line(
            f"The schema is at version {version}." if changed else f"The schema is at version {version} already."
        )


@app.command("url")
def url_command(as_json: JsonFlag = False) -> None:
    """Print the database's URL, for psql and other clients. Starts the embedded server, which stops when unused."""
    with database_errors(load_settings()):
        url = libpq_url(resolve_url(load_settings()))
    print_json({"url": url}) if as_json else print_line(url)
