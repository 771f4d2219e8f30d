"""Reading one document's bytes by its URI, checked against what was frozen at submit."""

import errno
import hashlib
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import requests
import urllib3

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.sources.uris import file_path, is_remote, printable

CHUNK = 1 << 16

NO_URL = (
    requests.exceptions.InvalidURL,
    requests.exceptions.InvalidSchema,
    requests.exceptions.MissingSchema,
    urllib3.exceptions.LocationValueError,
    UnicodeError,
)
PASSING = frozenset(
    {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EAGAIN, errno.EHOSTDOWN, errno.ENFILE, errno.EMFILE}
)


def read_document(
    uri: str,
    *,
    size: int | None,
    sha256: str | None,
    max_bytes: int,
    timeout: float,
    check: Callable[[], None] = lambda: None,
) -> bytes:
    """The bytes, the same as at submit where that is known. `timeout` is in seconds, for a download's pauses;
    `check` is called while a download goes on and may raise to stop it.

    Raises DocumentError: source_missing, source_unreadable, source_changed, source_unavailable, too_large.
    """
    if size is not None and size > max_bytes:
        raise _too_large(size, max_bytes)
    content = _download(uri, max_bytes, timeout, check) if is_remote(uri) else _read_file(uri, max_bytes)
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
        raise DocumentError(
            "source_changed", f"The file has other content than at submit ({size} bytes then, {len(content)} now)."
        )
    return content


def _too_large(size: int, max_bytes: int) -> DocumentError:
    return DocumentError("too_large", f"The document has {size:,} bytes; the limit is {max_bytes:,}.")


def _read_file(uri: str, max_bytes: int) -> bytes:
    path = file_path(uri)
    with _file_errors(printable(path)):
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            raise DocumentError("source_unreadable", f"{printable(path)} is not a regular file any more.")
        if info.st_size > max_bytes:
            raise _too_large(info.st_size, max_bytes)
        return path.read_bytes()


@contextmanager
def _file_errors(shown: str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise DocumentError("source_missing", f"{shown} does not exist.") from error
    except PermissionError as error:
        raise DocumentError("source_unreadable", f"{shown} may not be read: permission denied.") from error
    except OSError as error:
        code = "source_unavailable" if error.errno in PASSING else "source_unreadable"
        raise DocumentError(code, f"{shown} cannot be read: {error.strerror}.") from error


def _download(uri: str, max_bytes: int, timeout: float, check: Callable[[], None]) -> bytes:
    try:
        with requests.get(uri, stream=True, timeout=timeout) as response:
            _check_status(uri, response)
            return _body(response, max_bytes, check)
    except NO_URL as error:
        raise DocumentError("source_missing", f"{uri} is not a usable URL: {error}.") from error
    except requests.exceptions.TooManyRedirects as error:
        raise DocumentError("source_unreadable", f"{uri} redirects in a circle.") from error
    except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        raise DocumentError("source_unavailable", f"{uri} did not answer: {type(error).__name__}.") from error


def _check_status(uri: str, response: requests.Response) -> None:
    status = response.status_code
    if status in {404, 410}:
        raise DocumentError("source_missing", f"{uri} answered {status}: there is no such document.")
    if status in {408, 425, 429} or status >= 500:
        raise DocumentError("source_unavailable", f"{uri} answered {status}.", retry_after=_retry_after(response))
    if status >= 400:
        raise DocumentError("source_unreadable", f"{uri} answered {status}: it may not be read.")


def _retry_after(response: requests.Response) -> float | None:
    said = response.headers.get("Retry-After", "")
    return min(float(said), 3600.0) if said.isascii() and said.isdigit() else None


def _body(response: requests.Response, max_bytes: int, check: Callable[[], None]) -> bytes:
    """Reads what has arrived, piece by piece, so that a server which dribbles can be left."""
    parts, size = [], 0
    while part := response.raw.read1(CHUNK, decode_content=True):
        check()
        size += len(part)
        if size > max_bytes:
            raise _too_large(size, max_bytes)
        parts.append(part)
    return b"".join(parts)
