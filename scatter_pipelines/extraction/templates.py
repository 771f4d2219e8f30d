"""Templates by name or path, and what is wrong with one, said so that a person can correct it."""

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction import template_yaml
from scatter_pipelines.extraction.recognisers.registry import RECOGNISERS
from scatter_pipelines.extraction.template_yaml import TemplateSyntaxError, YamlText, read_yaml
from scatter_pipelines.model.template import (
    CONFLICT,
    DUPLICATE,
    EVIDENCE_RULES,
    FIELD_TYPES,
    SECTION_NAMES,
    Template,
    TemplateField,
    conflicts,
)

Problem = tuple[int, str]
_SUFFIX = ".yaml"
_PLAIN: Mapping[str, str] = {
    "missing": "is missing",
    "string_type": "must be text; put it in quotes",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping with `name`, `type` and the like",
    "tuple_type": "must be a list",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must be lower-case letters, digits and _, and begin with a letter",
}


def list_templates() -> list[Template]:
    """The shipped ones, by name."""
    return [load_template(name) for name in _shipped()]


def load_template(name_or_path: str) -> Template:
    """A shipped template's name, or the path of a YAML file.

    Raises `UsageError`: `template_unknown`, or `template_invalid` with a line of message for each problem.
    """
    if name_or_path in _shipped():
        file = resources.files("scatter_pipelines") / "templates" / f"{name_or_path}{_SUFFIX}"
        return parse_template(file.read_bytes(), file.name)
    path = Path(name_or_path)
    try:
        if not path.is_file():
            raise UsageError("template_unknown", _unknown(name_or_path))
        with path.open("rb") as opened:
            return parse_template(opened.read(template_yaml.MAX_BYTES + 1), name_or_path)
    except (OSError, ValueError) as error:
        raise UsageError("template_unknown", f"{name_or_path!r} cannot be read: {error}") from error


def _shipped() -> list[str]:
    folder = resources.files("scatter_pipelines") / "templates"
    return sorted(file.name.removesuffix(_SUFFIX) for file in folder.iterdir() if file.name.endswith(_SUFFIX))


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, _shipped(), n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"there is no template and no file {name!r}{meant} (shipped: {', '.join(_shipped())})"


def parse_template(content: bytes, source: str) -> Template:
    """`source` is how messages name the content."""
    try:
        yaml_text = read_yaml(_decoded(content))
    except TemplateSyntaxError as error:
        raise _invalid(source, [(error.line, error.message)]) from error
    problems = [*yaml_text.problems, *_draft_problems(yaml_text)]
    try:
        template = Template.model_validate(yaml_text.data)
    except ValidationError as error:
        problems += _validation_problems(error, yaml_text)
        raise _invalid(source, problems) from error
    if problems:
        raise _invalid(source, problems)
    return template


def _decoded(content: bytes) -> str:
    if len(content) > template_yaml.MAX_BYTES:
        raise TemplateSyntaxError(f"larger than {template_yaml.MAX_BYTES:,} bytes", 1)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TemplateSyntaxError("not UTF-8; save the file in that encoding", line) from error


def _invalid(source: str, problems: list[Problem]) -> UsageError:
    lines = [f"{source}, line {line}: {message}" for line, message in sorted(set(problems))]
    return UsageError("template_invalid", "\n".join(lines))


def _draft_problems(yaml_text: YamlText) -> Iterator[Problem]:
    """What the model cannot see or sees only when all else is right: doubles, conflicts, unknown recognisers."""
    drafts = yaml_text.data.get("fields") if isinstance(yaml_text.data, dict) else None
    fields = (
        [(i, draft) for i, draft in enumerate(drafts) if isinstance(draft, dict)] if isinstance(drafts, list) else []
    )
    counts: Counter[str] = Counter()
    for index, draft in fields:
        name = str(draft.get("name"))
        counts[name] += 1
        if counts[name] == 2:
            yield yaml_text.line(("fields", index, "name")), f"the field name {name!r} is used before"
        for key, message in [*conflicts(draft), *_recogniser_problems(draft)]:
            yield yaml_text.line(("fields", index, key)), f"field {name}: {message}"


def _recogniser_problems(draft: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    name = draft.get("recogniser")
    if not isinstance(name, str):
        return
    if name not in RECOGNISERS:
        yield (
            "recogniser",
            f"no recogniser is named {name!r}{_nearest(name, RECOGNISERS)}; there are {', '.join(RECOGNISERS)}",
        )
    elif draft.get("type") in FIELD_TYPES and draft["type"] not in RECOGNISERS[name].types:
        yield "type", f"the recogniser {name} gives {' or '.join(RECOGNISERS[name].types)}, not {draft['type']}"


def _nearest(word: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def _validation_problems(error: ValidationError, yaml_text: YamlText) -> Iterator[Problem]:
    for details in error.errors(include_url=False):
        of_its_items = details["type"] == "too_short" and details["input"]
        if details["type"] not in (CONFLICT, DUPLICATE) and not of_its_items:
            path = tuple(part for part in details["loc"] if part not in ("list", "mapping", "[key]"))
            yield yaml_text.line(path), f"{_where(path, yaml_text.data)}{_message(details, path)}"


def _where(path: template_yaml.Path, data: object) -> str:
    """ "field doi: " for what is inside a field, else empty."""
    if len(path) < 2 or path[0] != "fields" or not isinstance(data, dict):
        return ""
    draft = data["fields"][path[1]]
    name = draft.get("name") if isinstance(draft, dict) else None
    return f"field {name or f'number {int(path[1]) + 1}'}: "


def _message(details: ErrorDetails, path: template_yaml.Path) -> str:
    key = next((part for part in reversed(path) if isinstance(part, str)), "template")
    kind, given = details["type"], details["input"]
    if kind == "extra_forbidden":
        known = tuple((TemplateField if len(path) > 1 else Template).model_fields)
        return f"unknown key `{key}`{_nearest(key, known)}; allowed are {', '.join(known)}"
    if kind == "literal_error":
        allowed = {"type": FIELD_TYPES, "evidence": EVIDENCE_RULES}.get(key, SECTION_NAMES)
        return (
            f"`{key}` is {given!r}, which is unknown{_nearest(str(given), allowed)}; allowed are {', '.join(allowed)}"
        )
    plain = _PLAIN.get(kind, details["msg"][:1].lower() + details["msg"][1:])
    shown = "" if kind == "missing" or isinstance(given, dict | list) else f" ({str(given)[:60]!r})"
    return f"`{key}` {plain}{shown}" if kind in _PLAIN else f"`{key}`{shown}: {plain}"
