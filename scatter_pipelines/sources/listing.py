"""What a SOURCE names: a file, a folder, a glob, a manifest or a URL, as a list of documents.

Looks at each local file once, so that size and hash are frozen at submit. Contents are not kept.
"""

import errno
import glob
import hashlib
import mimetypes
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scatter_pipelines.errors import UsageError
from scatter_pipelines.model.result import SourceDocument
from scatter_pipelines.sources.manifests import Named, from_list, manifest_rows
from scatter_pipelines.sources.uris import file_path, is_remote, path_uri, printable, reason

HASH_THREADS = 4
PAGE = 1_000
"""Documents handed to the threads at once: each that waits there takes memory."""


def list_documents(
    sources: Sequence[str],
    *,
    as_files: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[SourceDocument]:
    """Every document once, in the order of the sources, folders sorted by path.

    Raises UsageError `source_invalid` where a source cannot be listed and `no_documents` where nothing is
    left. With `as_files` every source is the path of a document and nothing is refused: what cannot be read
    becomes a row. `progress` is called with (documents looked at, documents in all).
    """
    expand = _as_file if as_files else _expand
    named = list(_distinct(item for source in sources for item in expand(source)).values())
    if not named:
        raise UsageError(
            "no_documents", f"There are no documents in {', '.join(map(printable, sources)) or 'nothing'}."
        )
    documents, total = [], len(named)
    for done, document in enumerate(_look_at_all(named), start=1):
        documents.append(document)
        progress(done, total)
    if not as_files and all(document.problem for document in documents):
        raise UsageError(
            "source_invalid", f"None of the {len(documents)} documents named can be read: {documents[0].problem}"
        )
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


def _as_file(source: str) -> Iterator[Named]:
    yield Named(Path(source))


def _expand(source: str) -> Iterator[Named]:
    if not source.strip():
        raise UsageError("source_invalid", "A source is empty.")
    if source.startswith("@"):
        yield from from_list(file_path(source[1:]))
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
    elif kind == "file" and path.suffix.lower() == ".csv" and (rows := manifest_rows(path)) is not None:
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
        raise UsageError("source_invalid", f"{printable(path)} cannot be looked at: {reason(error)}.") from error
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _from_glob(pattern: Path) -> Iterator[Named]:
    matches = sorted(glob.glob(str(pattern), recursive=True)) if glob.has_magic(str(pattern)) else []  # noqa: PTH207
    if not matches:
        raise UsageError("source_invalid", f"{printable(pattern)} does not exist.")
    yield from (Named(Path(match)) for match in matches if _may_be_document(Path(match)))


def _may_be_document(path: Path) -> bool:
    """A file, or what cannot be looked at, such as a broken link: that one's row says why."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def _from_folder(folder: Path) -> Iterator[Named]:
    """Its files at any depth, but nothing hidden and no linked folders, which may lead in circles."""

    def refuse(error: OSError) -> None:
        raise UsageError("source_invalid", f"The folder {printable(error.filename)} cannot be read: {reason(error)}.")

    for here, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and _may_be_document(Path(here, name)):
                yield Named(Path(here, name))


def _look_at_all(named: list[Named]) -> Iterator[SourceDocument]:
    """In the order of the list, which is emptied page by page."""
    with ThreadPoolExecutor(HASH_THREADS) as pool:
        while named:
            page = named[:PAGE]
            del named[:PAGE]
            yield from pool.map(_look, page)


def _look(named: Named) -> SourceDocument:
    if isinstance(named.location, str):
        return _look_remote(named.location, named.columns)
    path = named.location
    uri, name = path_uri(path), printable(path.name)
    try:
        size, sha256 = _measure(path)
    except (OSError, ValueError) as error:
        return SourceDocument(uri, name, columns=named.columns, problem=f"{printable(path)}: {reason(error)}.")
    return SourceDocument(uri, name, size, sha256, mimetypes.guess_type(name)[0], named.columns)


def _look_remote(location: str, columns: Mapping[str, str]) -> SourceDocument:
    """Nothing is fetched before the work begins."""
    uri = printable(location)
    try:
        parts = urlsplit(uri)
        if not parts.hostname:
            raise ValueError("it names no host")
    except ValueError as error:
        return SourceDocument(uri, uri, columns=columns, problem=f"{uri} is no usable URL: {error}.")
    name = printable(unquote(Path(parts.path).name)) or parts.netloc
    return SourceDocument(uri, name, media_type=mimetypes.guess_type(name)[0], columns=columns)


def _measure(path: Path) -> tuple[int, str]:
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return file.tell(), digest.hexdigest()
