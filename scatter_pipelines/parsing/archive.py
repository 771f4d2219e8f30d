"""A ZIP archive behind a guard: what it unpacks to is counted while it is read, and nothing is ever written."""

import io
import lzma
import posixpath
import zipfile
import zlib

from scatter_pipelines.errors import DocumentError

MOST_ENTRIES = 20_000
MOST_BYTES = 512 * 1024 * 1024
MOST_PART_BYTES = 128 * 1024 * 1024
_MOST_RATIO = 500
_FREE = 10 * 1024 * 1024
_CHUNK = 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError, KeyError)


class Archive:
    """The parts of an archive by name. Archives within it are not opened.

    Raises `corrupt` for a broken one and for names that lead out of it, `encrypted` for one with a password, and
    `too_large` where it has too many parts or a part unpacks to too much, whatever its directory claims.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            entries = self._zip.infolist()
        except _BROKEN as error:
            raise DocumentError("corrupt", f"The archive cannot be opened ({error}): is the file complete?") from error
        if len(entries) > MOST_ENTRIES:
            raise DocumentError("too_large", f"{len(entries)} parts, more than the {MOST_ENTRIES} allowed.")
        outside = next((entry.filename for entry in entries if _leaves(entry.filename)), None)
        if outside is not None:
            raise DocumentError("corrupt", f"The archive has a part that lies outside of it: {outside[:100]!r}.")
        self._entries = {entry.filename: entry for entry in entries}
        self._read = 0

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def names(self) -> list[str]:
        return list(self._entries)

    def find(self, name: str) -> bytes | None:
        return self.read(name) if name in self._entries else None

    def read(self, name: str) -> bytes:
        if name not in self._entries:
            raise DocumentError("corrupt", f"The document lacks its part {name[:100]!r}: save it again.")
        entry = self._entries[name]
        if entry.flag_bits & 1:
            raise DocumentError("encrypted", "The archive needs a password: save a copy without one and submit that.")
        try:
            return self._unpack(entry)
        except _BROKEN as error:
            raise DocumentError(
                "corrupt", f"The part {name[:100]!r} cannot be unpacked: is the file complete?"
            ) from error
        except RuntimeError as error:
            raise DocumentError("encrypted", f"The part {name[:100]!r} cannot be unpacked ({error}).") from error

    def _unpack(self, entry: zipfile.ZipInfo) -> bytes:
        pieces: list[bytes] = []
        size = 0
        allowed = min(MOST_PART_BYTES, max(_FREE, _MOST_RATIO * entry.compress_size))
        with self._zip.open(entry) as opened:
            while piece := opened.read(_CHUNK):
                size += len(piece)
                self._read += len(piece)
                if size > allowed or self._read > MOST_BYTES:
                    raise DocumentError(
                        "too_large", f"The part {entry.filename[:100]!r} unpacks to more than is allowed."
                    )
                pieces.append(piece)
        return b"".join(pieces)


def _leaves(name: str) -> bool:
    plain = name.replace("\\", "/")
    if plain.startswith("/") or plain[1:2] == ":":
        return True
    return posixpath.normpath(plain).split("/")[0] == ".."
