"""`scatter template`: list, show, check."""

from typing import Annotated

import typer
import yaml

from scatter_pipelines.cli.output import JsonFlag, print_json, print_line
from scatter_pipelines.cli.table import Column, print_table
from scatter_pipelines.extraction.templates import list_templates, load_template

app = typer.Typer(no_args_is_help=True, help="Templates: the named, versioned lists of fields to extract.")
Name = Annotated[str, typer.Argument(metavar="TEMPLATE", help="Name of a shipped template, or path of a YAML file.")]


@app.command("list")
def list_command(as_json: JsonFlag = False) -> None:
    """List the templates that come with the program."""
    found = list_templates()
    if as_json:
        print_json({"templates": [template.model_dump(mode="json") for template in found]})
        return
    rows = [[item.name, item.version, len(item.fields), item.description] for item in found]
    headings = ("template", "version", "fields")
    print_table([*(Column(name, firm=True) for name in headings), Column("description")], rows)


@app.command("show")
def show_command(template: Name, as_json: JsonFlag = False) -> None:
    """Print a template as YAML."""
    found = load_template(template).model_dump(mode="json", exclude_defaults=True)
    if as_json:
        print_json(found)
    else:
        print_line(yaml.safe_dump(found, sort_keys=False, allow_unicode=True).rstrip())


@app.command("check")
def check_command(template: Name, as_json: JsonFlag = False) -> None:
    """Say whether a template can be used, and if not, which line is wrong."""
    found = load_template(template)
    if as_json:
        print_json({"name": found.name, "version": found.version, "fields": len(found.fields), "hash": found.hash})
    else:
        print_line(f"{found.name} version {found.version}: {len(found.fields)} fields, good.")
