"""The part of YAML a template may use, read with the line of every key: no anchors, aliases, tags or double keys.

Plain scalars are text except `true`, `false`, whole numbers and `null`: `no` and `2018-01-01` stay what they look like.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

MAX_BYTES = 1_000_000
_MAX_DEPTH = 12
_INTEGER = re.compile(r"^-?\d{1,15}$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}

Path = tuple[str | int, ...]


class TemplateSyntaxError(Exception):
    """The text is not the kind of YAML a template is."""

    def __init__(self, message: str, line: int) -> None:
        self.message, self.line = message, line
        super().__init__(message)


@dataclass(slots=True)
class YamlText:
    """The data, the line (from 1) of each path in it, and keys that stand twice."""

    data: object = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """The line of the path, or of what it would be in."""
        known = next(path[:length] for length in range(len(path), -1, -1) if path[:length] in self.lines or not length)
        return self.lines.get(known, 1)


def read_yaml(text: str) -> YamlText:
    """Raises TemplateSyntaxError. Nothing is expanded or constructed before the text was seen to be harmless."""
    try:
        _refuse_tricks(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error) from error
    except yaml.YAMLError as error:
        raise TemplateSyntaxError(f"not YAML: {error}", 1) from error
    if node is None:
        raise TemplateSyntaxError("the file is empty; a template has `name`, `version` and `fields`", 1)
    result = YamlText()
    result.data = _value(node, (), result)
    return result


def _syntax_error(error: yaml.MarkedYAMLError) -> TemplateSyntaxError:
    mark = error.problem_mark or error.context_mark
    reason = " ".join(part for part in (error.context, error.problem) if part)
    return TemplateSyntaxError(f"not YAML: {reason}", mark.line + 1 if mark else 1)


def _refuse_tricks(text: str) -> None:
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        trick = _trick(event)
        if trick:
            raise TemplateSyntaxError(trick, line)
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH or documents > 1:
            raise TemplateSyntaxError("nested too deeply" if depth > _MAX_DEPTH else "a second document begins", line)


def _trick(event: yaml.Event) -> str | None:
    anchor = getattr(event, "anchor", None)
    if isinstance(event, yaml.AliasEvent):
        return f"aliases (*{anchor}) are not allowed; write the value out"
    if anchor:
        return f"anchors (&{anchor}) are not allowed; write the value out where it is needed"
    tag = getattr(event, "tag", None)
    return f"tags ({tag}) are not allowed" if tag else None


def _value(node: yaml.Node, path: Path, result: YamlText) -> object:
    result.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, path, result))
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, index), result) for index, item in enumerate(node.value)]
    return _scalar(node)


def _scalar(node: yaml.Node) -> object:
    text = str(node.value)
    if getattr(node, "style", None) is not None:
        return text
    return int(text) if _INTEGER.match(text) else _WORDS.get(text, text)


def _pairs(node: yaml.MappingNode, path: Path, result: YamlText) -> Iterator[tuple[str, object]]:
    seen: set[str] = set()
    for key_node, value_node in node.value:
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            result.problems.append((line, "a key must be a word"))
        elif key in seen:
            result.problems.append((line, f"the key `{key}` stands twice"))
        else:
            seen.add(key)
            result.lines[*path, key] = line
            yield key, _value(value_node, (*path, key), result)
