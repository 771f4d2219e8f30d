"""Locations and their URIs. A local file's URI is absolute and percent-encoded, whatever its name holds."""

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit


def is_remote(location: str) -> bool:
    return location.lower().startswith(("http://", "https://"))


def file_path(location: str) -> Path:
    """The path a location names, given as a path or as a file: URI."""
    if location.startswith("file://"):
        return Path(os.fsdecode(unquote_to_bytes(urlsplit(location).path)))
    return Path(os.path.expanduser(location))  # noqa: PTH111  Path's own refuses names that begin with ~ but name no user


def path_uri(path: Path) -> str:
    """The same for every spelling of a path; links are kept, so that a name stays what the user gave it."""
    return Path(os.path.abspath(path)).as_uri()  # noqa: PTH100


def printable(value: object) -> str:
    """A name that a screen and a database can take: what is no character becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode().replace("\x00", "?")


def reason(error: BaseException) -> str:
    """What the system says is the matter."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
