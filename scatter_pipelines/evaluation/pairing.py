"""Which document of a task a line of gold is about. Nothing is dropped: what has no partner is listed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from scatter_pipelines.evaluation.gold import GoldLine


@dataclass(frozen=True, slots=True)
class DocumentName:
    """How a document of a task may be called. `id` is its row's."""

    id: str
    filename: str
    uri: str
    sha256: str | None
    columns: Mapping[str, str]


@dataclass(slots=True)
class Pairing:
    """`lines` by document id; `how` counts the keys that decided."""

    lines: dict[str, GoldLine] = field(default_factory=dict)
    how: dict[str, int] = field(default_factory=dict)
    unmatched: list[GoldLine] = field(default_factory=list)
    ambiguous: list[tuple[GoldLine, list[str]]] = field(default_factory=list)
    twice: list[tuple[GoldLine, GoldLine]] = field(default_factory=list)
    without_gold: list[str] = field(default_factory=list)


Index = Mapping[str, Mapping[str, list[DocumentName]]]


def pair(lines: Sequence[GoldLine], documents: Iterable[DocumentName], column: str | None = None) -> Pairing:
    """Tries each line's keys in the order of `_tries`; the first that finds exactly one document decides.

    Where none does, the line is ambiguous if one found several, else unmatched. With `column` it alone counts.
    """
    known = list(documents)
    index = _index(known, column)
    pairing = Pairing()
    for line in lines:
        _place(line, index, column, pairing)
    pairing.without_gold = [document.filename for document in known if document.id not in pairing.lines]
    return pairing


def _index(documents: Iterable[DocumentName], column: str | None) -> Index:
    index: dict[str, dict[str, list[DocumentName]]] = defaultdict(lambda: defaultdict(list))
    for document in documents:
        names = {
            "sha256": (document.sha256 or "").lower(),
            "uri": document.uri,
            "filename": document.filename,
            "stem": PurePosixPath(document.filename).stem,
            "column": str(document.columns.get(column, "")).strip() if column else "",
        }
        for key, name in names.items():
            if name:
                index[key][name].append(document)
    return index


def _place(line: GoldLine, index: Index, column: str | None, pairing: Pairing) -> None:
    several: list[str] = []
    for way, key, value in _tries(line, column):
        found = index.get(way, {}).get(value, [])
        if len(found) == 1:
            _take(line, found[0].id, key, pairing)
            return
        several = several or [document.uri for document in found]
    if several:
        pairing.ambiguous.append((line, several))
    else:
        pairing.unmatched.append(line)


def _tries(line: GoldLine, column: str | None) -> list[tuple[str, str, str]]:
    """(way, what it is called in the report, value looked for)."""
    if column:
        return [("column", column, line.identity[column])]
    given = line.identity.get
    name, own = given("filename", ""), given("id", "")
    tries = [
        ("sha256", "sha256", given("sha256", "").lower()),
        ("uri", "uri", given("uri", "")),
        ("filename", "filename", name),
        ("stem", "stem", name),
        ("stem", "stem", PurePosixPath(name).stem),
        ("filename", "id", own),
        ("stem", "id", own),
    ]
    return [one for one in tries if one[2]]


def _take(line: GoldLine, document: str, key: str, pairing: Pairing) -> None:
    if document in pairing.lines:
        pairing.twice.append((pairing.lines[document], line))
        return
    pairing.lines[document] = line
    pairing.how[key] = pairing.how.get(key, 0) + 1
