"""The words an LLM is asked with: files under `prompts/`, each with its version in its name, filled in here.

A document's text is put in as data between marks that it cannot contain: they are made from its own hash. Nothing else
of the machine, the task or the document's name goes into a prompt.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template as Text
from typing import Any

from scatter_pipelines.extraction.llm.passages import Passage
from scatter_pipelines.model.template import TemplateField

EXTRACT, DOCUMENT, REPAIR, SCHEMA = "extract-1", "document-1", "repair-1", "schema-1"
VERSION = ", ".join((EXTRACT, DOCUMENT, REPAIR, SCHEMA))

_PROBLEMS_SHOWN = 10
_KINDS: Mapping[str, str] = {
    "string": "text",
    "text": "text, copied from the document",
    "integer": "a whole number",
    "number": "a number",
    "date": "a date, YYYY-MM-DD",
    "boolean": "true or false",
}


@cache
def _file(name: str) -> Text:
    path = resources.files("scatter_pipelines") / "extraction" / "llm" / "prompts" / f"{name}.md"
    return Text(path.read_text("utf-8").rstrip("\n"))


def instructions(fields: Sequence[TemplateField], mark: str) -> str:
    """What is to be done."""
    return _file(EXTRACT).substitute(fields="\n".join(map(_described, fields)), mark=mark)


def with_schema(text: str, schema: Mapping[str, Any]) -> str:
    """For an endpoint that cannot be given a schema in any other way."""
    return f"{text}\n\n{_file(SCHEMA).substitute(schema=json.dumps(schema, ensure_ascii=False))}"


def _described(field: TemplateField) -> str:
    kind = (
        f"one of {json.dumps(list(field.values), ensure_ascii=False)}" if field.type == "enum" else _KINDS[field.type]
    )
    many = "a list, each item " if field.many else ""
    about = " ".join(field.description.split())
    return f"- `{field.name}` ({many}{kind}){': ' if about else ''}{about}"


def material(fields: Sequence[TemplateField], passages: Sequence[Passage], mark: str) -> str:
    """The chosen passages, page by page."""
    parts = [f"[{mark} page {passage.page}]\n{passage.text}" for passage in passages]
    text = "\n".join([*parts, f"[{mark} end]"])
    return _file(DOCUMENT).substitute(passages=text, names=", ".join(f"`{field.name}`" for field in fields))


def correction(problems: Sequence[str]) -> str:
    """What is said to an answer that cannot be used."""
    shown = "; ".join(problems[:_PROBLEMS_SHOWN]) + ("; and more" if len(problems) > _PROBLEMS_SHOWN else "")
    return _file(REPAIR).substitute(problems=shown)
