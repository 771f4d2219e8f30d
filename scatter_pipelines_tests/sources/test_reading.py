"""Reading a document: from files that change and from servers that misbehave."""

import gzip
import hashlib
import os
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from scatter_pipelines.errors import CODES, DocumentError
from scatter_pipelines.sources.reading import read_document
from scatter_pipelines_tests.sources.server import Answer, respond, serving

LIMITS: dict[str, Any] = {"size": None, "sha256": None, "max_bytes": 100_000, "timeout": 5}


def refusal(uri: str, **limits: Any) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        read_document(uri, **LIMITS | limits)
    return caught.value


def answered(answer: Answer, **limits: Any) -> bytes:
    with serving(answer) as url:
        return read_document(f"{url}/a.pdf", **LIMITS | limits)


def refused(answer: Answer, **limits: Any) -> DocumentError:
    with serving(answer) as url:
        return refusal(f"{url}/a.pdf", **limits)


def test_a_file_is_read_as_it_was_at_submit(tmp_path: Path) -> None:
    path = tmp_path / "a b%.txt"
    path.write_bytes(b"content")
    frozen = {"size": 7, "sha256": hashlib.sha256(b"content").hexdigest()}
    assert read_document(path.as_uri(), **LIMITS | frozen) == b"content"
    path.write_bytes(b"CONTENT")
    assert refusal(path.as_uri(), **frozen).code == "source_changed"
    path.write_bytes(b"more content")
    error = refusal(path.as_uri(), **frozen)
    assert (error.code, error.message) == (
        "source_changed", "The file has other content than at submit (7 bytes then, 12 now).",
    )  # fmt: skip
    path.unlink()
    error = refusal(path.as_uri(), **frozen)
    assert (error.code, error.message) == ("source_missing", f"{path} does not exist.")


def test_a_file_that_became_something_else_is_unreadable_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        error = refusal(path.as_uri())
        assert (error.code, error.message) == ("source_unreadable", f"{path} is not a regular file any more.")


def test_a_path_that_can_be_none_is_missing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for uri in ((tmp_path / "file" / "below").as_uri(), "file:///a%00b"):
        assert refusal(uri).code == "source_missing"


def test_a_circle_of_links_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert refusal((tmp_path / "loop").as_uri()).code == "source_unreadable"


def test_a_file_over_the_limit_is_too_large_at_submit_and_now(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 2_000)
    for frozen in (None, 2_000):
        error = refusal(path.as_uri(), max_bytes=1_999, size=frozen)
        assert (error.code, error.message) == ("too_large", "The document has 2,000 bytes; the limit is 1,999.")
    assert len(read_document(path.as_uri(), **LIMITS | {"max_bytes": 2_000})) == 2_000


def test_a_download_gives_the_bytes() -> None:
    body = bytes(range(256)) * 300
    assert answered(respond(200, body)) == body
    assert answered(respond(200, b"")) == b""


@pytest.mark.parametrize("piece", [1, 7, 1_000_000])
def test_a_compressed_download_is_unpacked_however_it_is_cut(piece: int) -> None:
    body = b"the same words again and again. " * 20
    packed = gzip.compress(body)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        respond(200, b"", Content_Encoding="gzip", Content_Length=str(len(packed)))(handler)
        for start in range(0, len(packed), piece):
            handler.wfile.write(packed[start : start + piece])
            handler.wfile.flush()

    assert answered(answer) == body


def test_what_unpacks_to_more_than_the_limit_is_too_large() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    assert refused(respond(200, bomb, Content_Encoding="gzip")).code == "too_large"


def test_a_download_over_the_limit_is_left_early() -> None:
    assert refused(respond(200, b"x" * 100_001)).code == "too_large"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (404, "source_missing"), (410, "source_missing"),
        (401, "source_unreadable"), (403, "source_unreadable"), (451, "source_unreadable"),
        (408, "source_unavailable"), (429, "source_unavailable"), (500, "source_unavailable"),
        (502, "source_unavailable"), (503, "source_unavailable"), (504, "source_unavailable"),
    ],
)  # fmt: skip
def test_a_status_is_the_documents_fault_or_the_servers(status: int, code: str) -> None:
    error = refused(respond(status, b"sorry"))
    assert error.code == code
    assert str(status) in error.message
    assert "/a.pdf" in error.message
    assert error.retry_after is None


@pytest.mark.parametrize(
    ("said", "seconds"), [("7", 7.0), ("99999999", 3600.0), ("soon", None), ("-1", None), ("²", None)]
)
def test_a_server_that_asks_for_time_is_heard(said: str, seconds: float | None) -> None:
    error = refused(respond(503, Retry_After=said))
    assert (error.code, error.retry_after) == ("source_unavailable", seconds)


def _cut_short(handler: BaseHTTPRequestHandler) -> None:
    respond(200, b"half of it", Content_Length="1000")(handler)


def _cut_chunked(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"a\r\n0123456789\r\n")


def _cut_gzip(handler: BaseHTTPRequestHandler) -> None:
    packed = gzip.compress(os.urandom(1_000))
    respond(200, packed[:500], Content_Encoding="gzip", Content_Length=str(len(packed)))(handler)


def _reset(handler: BaseHTTPRequestHandler) -> None:
    respond(200, b"half of it", Content_Length="1000")(handler)
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"this is no HTTP\r\n\r\n")


def _not_gzip(handler: BaseHTTPRequestHandler) -> None:
    respond(200, b"this is no gzip", Content_Encoding="gzip")(handler)


@pytest.mark.parametrize("answer", [_cut_short, _cut_chunked, _cut_gzip, _reset, _garbage, _not_gzip])
def test_half_a_download_is_never_taken_for_a_whole_one(answer: Answer) -> None:
    error = refused(answer)
    assert error.code == "source_unavailable"
    assert CODES[error.code].kind == "transient"


def test_a_server_that_says_nothing_is_left_after_the_time_out() -> None:
    over = threading.Event()
    try:
        assert refused(lambda handler: over.wait(10) and None, timeout=0.2).code == "source_unavailable"
    finally:
        over.set()


class Stopped(Exception):
    """What a supervisor raises."""


def test_a_server_that_dribbles_can_be_left_at_every_piece() -> None:
    over = threading.Event()
    calls: list[int] = []

    def dribble(handler: BaseHTTPRequestHandler) -> None:
        respond(200, b"", Content_Length="100000")(handler)
        for _ in range(300):
            if over.wait(0.01):
                break
            handler.wfile.write(b"x")
            handler.wfile.flush()

    def check() -> None:
        calls.append(len(calls))
        if len(calls) == 5:
            raise Stopped

    with serving(dribble) as url, pytest.raises(Stopped):
        read_document(f"{url}/a.pdf", **LIMITS, check=check)
    over.set()
    assert len(calls) == 5


def test_a_redirect_is_followed_but_not_in_a_circle_and_not_to_a_file(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        target = {"/a.pdf": "/b.pdf", "/circle": "/circle", "/file": (tmp_path / "secret").as_uri()}.get(handler.path)
        respond(302, Location=target)(handler) if target else respond(200, b"there")(handler)

    (tmp_path / "secret").write_bytes(b"secret")
    with serving(answer) as url:
        assert read_document(f"{url}/a.pdf", **LIMITS) == b"there"
        assert refusal(f"{url}/circle").code == "source_unreadable"
        assert CODES[refusal(f"{url}/file").code].kind == "permanent"


def test_a_download_that_changed_is_told_apart() -> None:
    right = {"size": 5, "sha256": hashlib.sha256(b"there").hexdigest()}
    assert answered(respond(200, b"there"), **right) == b"there"
    assert refused(respond(200, b"other"), **right).code == "source_changed"


def test_a_server_that_is_not_there_is_unavailable_and_a_url_that_is_none_is_missing() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert refusal(f"http://127.0.0.1:{port}/a.pdf").code == "source_unavailable"
    assert refusal("http://nowhere.invalid/a.pdf").code == "source_unavailable"
    for uri in ("http://", "http://a..b/c", "http://[broken/a.pdf"):
        assert refusal(uri).code == "source_missing"
