"""A real HTTP server on loopback whose answers the test decides."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DRIBBLES = 1_000
"""Twenty seconds, so that a test which does not leave comes to an end."""


class Answers:
    """What the server says: the first of `statuses` to each request in turn, the last one for ever."""

    def __init__(self, *statuses: int, body: bytes = b"We enrolled 12 patients.\n", **headers: str) -> None:
        self.statuses = list(statuses or (200,))
        self.body = body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.requests = 0
        self.dribble = False
        self.left = threading.Event()
        """Set when the other side went away in the middle of a body."""

    def next_status(self) -> int:
        self.requests += 1
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@contextmanager
def serving(answers: Answers) -> Iterator[str]:
    """The URL of one document."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(answers.next_status())
            for name, value in answers.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(10**9 if answers.dribble else len(answers.body)))
            self.end_headers()
            self._body()

        def _body(self) -> None:
            if not answers.dribble:
                self.wfile.write(answers.body)
                return
            try:
                for _ in range(DRIBBLES):
                    if stopped.wait(0.02):
                        break
                    self.wfile.write(b"x")
            except OSError:
                answers.left.set()

        def log_message(self, *_arguments: object) -> None:
            return

    stopped = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/paper.txt"
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
