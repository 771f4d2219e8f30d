"""A real HTTP server on loopback whose answers a test scripts, path by path."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler, int], None]
"""Gets the request and how often its path was asked for before."""


class Site:
    """What the server answers, and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: dict[str, Answer] = {}
        self.asked: Counter[str] = Counter()
        self.release = threading.Event()

    def serve(
        self, path: str, content: bytes, *, failures: int = 0, status: int = 503, retry_after: str | None = None
    ) -> str:
        """Answers `status` so often, then the content. Returns the document's URL."""

        def answer(request: BaseHTTPRequestHandler, before: int) -> None:
            failing = before < failures
            request.send_response(status if failing else 200)
            if failing and retry_after is not None:
                request.send_header("Retry-After", retry_after)
            body = b"not now" if failing else content
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)

        self.answers[path] = answer
        return self.url + path

    def dribble(self, path: str) -> str:
        """Sends a byte now and then and never ends, until `release` is set."""

        def answer(request: BaseHTTPRequestHandler, _before: int) -> None:
            request.send_response(200)
            request.send_header("Content-Length", "1000000")
            request.end_headers()
            while not self.release.wait(0.05):
                request.wfile.write(b".")

        self.answers[path] = answer
        return self.url + path


@contextmanager
def serving() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            before = site.asked[self.path]
            site.asked[self.path] += 1
            try:
                site.answers[self.path](self, before)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
