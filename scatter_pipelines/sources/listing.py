"""What a SOURCE names: a file, a folder, a glob, a manifest or a URL, as a list of documents.

Looks at each local file once, so that size and hash are frozen at submit. Contents are not kept.
"""

import csv
import glob
import hashlib
import io
import mimetypes
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import SourceDocument
from scatter_pipelines.sources.uris import file_path, is_remote, path_uri, printable

HASH_THREADS = 4
MANIFEST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Named:
    """One document as named, before anybody looked at it. `optional` ones may be missing: they become a row."""

    location: str | Path
    columns: dict[str, str] = field(default_factory=dict)
    optional: bool = False


def list_documents(
    sources: Sequence[str], *, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[SourceDocument]:
    """Every document once, in the order of the sources, folders sorted by path.

    Raises UsageError `source_invalid` where a source cannot be listed and `no_documents` where nothing is
    left. `progress` is called with (documents looked at, documents in all).
    """
    named = _distinct(item for source in sources for item in _expand(source))
    if not named:
        raise UsageError("no_documents", f"There are no documents in {', '.join(map(printable, sources)) or 'nothing'}.")
    documents = []
    with ThreadPoolExecutor(HASH_THREADS) as pool:
        for done, document in enumerate(pool.map(_look, named.values()), start=1):
            documents.append(document)
            progress(done, len(named))
    if all(document.problem for document in documents):
        raise UsageError("source_invalid", f"None of the {len(documents)} documents named can be read: {documents[0].problem}")
    return documents


def _distinct(items: Iterable[Named]) -> dict[str, Named]:
    """By URI; the first naming wins, but columns of a later one are added."""
    found: dict[str, Named] = {}
    for item in items:
        uri = item.location if isinstance(item.location, str) else path_uri(item.location)
        if uri in found:
            found[uri].columns.update({k: v for k, v in item.columns.items() if k not in found[uri].columns})
        else:
            found[uri] = item
    return found


def _expand(source: str) -> Iterator[Named]:
    if not source.strip():
        raise UsageError("source_invalid", "A source is empty.")
    if source.startswith("@"):
        yield from _from_list(Path(source[1:]).expanduser())
    elif is_remote(source):
        yield Named(source)
    elif "://" in source and not source.startswith("file://"):
        raise UsageError("source_invalid", f"{printable(source)}: only http, https and file URLs are known.")
    else:
        yield from _from_path(file_path(source))


def _from_path(path: Path) -> Iterator[Named]:
    kind = _kind(path)
    if kind == "folder":
        yield from _from_folder(path)
    elif kind == "file" and path.suffix.lower() == ".csv" and (rows := _manifest_rows(path)) is not None:
        yield from rows
    elif kind == "file":
        yield Named(path)
    elif kind == "other":
        raise UsageError("source_invalid", f"{printable(path)} is neither a file nor a folder.")
    else:
        yield from _from_glob(path)


def _kind(path: Path) -> str:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except (OSError, ValueError) as error:
        raise UsageError("source_invalid", f"{printable(path)} cannot be looked at: {_reason(error)}.") from error
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _from_glob(pattern: Path) -> Iterator[Named]:
    matches = sorted(glob.glob(str(pattern), recursive=True)) if glob.has_magic(str(pattern)) else []  # noqa: PTH207
    if not matches:
        raise UsageError("source_invalid", f"{printable(pattern)} does not exist.")
    for match in matches:
        if _kind(Path(match)) == "file":
            yield Named(Path(match))


def _from_folder(folder: Path) -> Iterator[Named]:
    """Its files at any depth, but nothing hidden and no linked folders, which may lead in circles."""

    def refuse(error: OSError) -> None:
        raise UsageError("source_invalid", f"The folder {printable(error.filename)} cannot be read: {_reason(error)}.")

    for here, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(here, name)
            if not name.startswith(".") and (path.is_file() or path.is_symlink()):
                yield Named(path, optional=True)


def _from_list(path: Path) -> Iterator[Named]:
    """`@list.txt`: one location a line, relative to the list; or, named .csv, a CSV with a `uri` column."""
    if path.suffix.lower() == ".csv":
        rows = _manifest_rows(path)
        if rows is None:
            raise UsageError("source_invalid", f"The manifest {printable(path)} has no column `uri`.")
        yield from rows
        return
    for line in _read_manifest(path).splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield Named(_relative(line.strip(), path.parent), optional=True)


def _manifest_rows(path: Path) -> list[Named] | None:
    """The rows of a CSV manifest; None where it has no `uri` column and so is a document itself."""
    text = _read_manifest(path)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), dialect=_dialect(text), restkey="", restval="")
        if "uri" not in (reader.fieldnames or ()):
            return None
        return [_manifest_row(row, path, reader.line_num) for row in reader]
    except csv.Error as error:
        raise UsageError("source_invalid", f"The manifest {printable(path)} is not a CSV file: {error}.") from error


def _dialect(text: str) -> type[csv.Dialect] | str:
    first_line = text.partition("\n")[0]
    try:
        return csv.Sniffer().sniff(first_line, delimiters=",;\t") if len(first_line) > 3 else "excel"
    except csv.Error:
        return "excel"


def _manifest_row(row: dict[str, str], path: Path, line: int) -> Named:
    location = (row.pop("uri") or "").strip()
    if not location:
        raise UsageError("source_invalid", f"{printable(path)}, line {line}: the column `uri` is empty.")
    if "" in row:
        raise UsageError("source_invalid", f"{printable(path)}, line {line}: more values than the header has columns.")
    columns = {name: (value or "").replace("\x00", "") for name, value in row.items()}
    return Named(_relative(location, path.parent), columns, optional=True)


def _relative(location: str, folder: Path) -> str | Path:
    return location if is_remote(location) else folder / file_path(location)


def _read_manifest(path: Path) -> str:
    try:
        if path.stat().st_size > MANIFEST_BYTES:
            raise UsageError("source_invalid", f"The manifest {printable(path)} is larger than 256 MiB.")
        return path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise UsageError("source_invalid", f"The manifest {printable(path)} cannot be read: {_reason(error)}.") from error


def _look(named: Named) -> SourceDocument:
    if isinstance(named.location, str):
        name = unquote(Path(urlsplit(named.location).path).name) or urlsplit(named.location).netloc
        return SourceDocument(named.location, name, media_type=mimetypes.guess_type(name)[0], columns=named.columns)
    path = named.location
    uri, name = path_uri(path), printable(path.name)
    try:
        size, sha256 = _measure(path)
    except OSError as error:
        if not named.optional and not isinstance(error, FileNotFoundError):
            problem = f"{printable(path)} cannot be read: {_reason(error)}."
        else:
            problem = f"{printable(path)}: {_reason(error)}."
        return SourceDocument(uri, name, columns=named.columns, problem=problem)
    return SourceDocument(uri, name, size, sha256, mimetypes.guess_type(name)[0], named.columns)


def _measure(path: Path) -> tuple[int, str]:
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return file.tell(), digest.hexdigest()


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
