"""A process on loopback that speaks as GROBID does, for a folder of prepared answers.

`FOLDER/HASH.xml` is the TEI of the document whose bytes have that SHA-256. `FOLDER/script.json` says what is done with
the calls for a document, in turn, the last for ever; `*` stands for those not named. Argument: the folder.
"""

import hashlib
import json
import re
import socket
import struct
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

INPUT = re.compile(rb'name="input"; filename="[^"]*"\r\nContent-Type: application/pdf\r\n\r\n')
BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE TEI [<!ENTITY a "'
    + b"a" * 1000
    + b'">%s]><TEI>&z;</TEI>'
    % b"".join(b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 50) for letter in range(ord("b"), ord("z") + 1))
)
EXTERNAL = b'<?xml version="1.0"?><!DOCTYPE TEI [<!ENTITY x SYSTEM "file:///etc/hostname">]><TEI>&x;</TEI>'
SECONDS = 60.0
"""How long the longest answer takes, so that a test which does not leave comes to an end."""


class Service(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.mutex = threading.Lock()
        self.calls: Counter[str] = Counter()
        self.options: dict[str, list[str]] = {}
        self.now = 0
        self.most = 0

    def next_act(self, digest: str) -> str:
        script = json.loads((self.folder / "script.json").read_text())
        acts = script.get(digest, script.get("*", ["tei"]))
        with self.mutex:
            self.calls[digest] += 1
            return str(acts[min(self.calls[digest], len(acts)) - 1])

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves early is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        if self.path == "/api/isalive":
            self._answer(200, b"true", "text/plain")
        elif self.path == "/api/version":
            self._answer(200, b'{"version":"0.8.2","revision":"a91ee48"}', "application/json")
        elif self.path == "/calls":
            server = self.server
            told = {"calls": dict(server.calls), "now": server.now, "most": server.most, "options": server.options}
            self._answer(200, json.dumps(told).encode(), "application/json")
        else:
            self._answer(404, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        content, options = _fields(body, self.headers["Content-Type"])
        server = self.server
        with server.mutex:
            server.now += 1
            server.most = max(server.most, server.now)
            server.options = options
        try:
            self._act(hashlib.sha256(content).hexdigest())
        finally:
            with server.mutex:
                server.now -= 1

    def _act(self, digest: str) -> None:
        act, _, detail = self.server.next_act(digest).partition(":")
        if act == "tei":
            time.sleep(float(detail or 0))
            self._answer(200, (self.server.folder / f"{digest}.xml").read_bytes(), "application/xml;charset=utf-8")
        elif act == "file":
            self._answer(200, (self.server.folder / detail).read_bytes())
        elif act == "busy":
            self._answer(503, b"", **({"Retry-After": detail} if detail else {}))
        elif act in PLAIN:
            self._answer(*PLAIN[act])
        elif act == "status":
            status, _, said = detail.partition(" ")
            self._answer(int(status), said.encode(), "text/plain")
        elif act == "hang":
            time.sleep(SECONDS)
        else:
            RUDE[act](self)

    def _answer(self, status: int, body: bytes, media_type: str = "application/xml", **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": media_type, "Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.end_headers()

    def reset(self) -> None:
        """RST in place of an answer."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def moved(self) -> None:
        self._answer(302, b"", Location="/api/isalive")

    def cut(self) -> None:
        """Half a TEI, as a server that is killed sends it."""
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"<TEI>")

    def drip(self) -> None:
        self._begin()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            self.wfile.write(b" ")
            time.sleep(0.05)

    def huge(self) -> None:
        self._begin()
        while True:
            self.wfile.write(b" " * (1 << 20))

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""


PLAIN = {
    "html": (200, b"<html><body>Sign in</body></html>", "text/html"),
    "bomb": (200, BOMB),
    "external": (200, EXTERNAL),
    "nothing": (204, b""),
}
RUDE = {"reset": Handler.reset, "moved": Handler.moved, "cut": Handler.cut, "drip": Handler.drip, "huge": Handler.huge}


def _fields(body: bytes, content_type: str) -> tuple[bytes, dict[str, list[str]]]:
    """The document, and the other fields of the form."""
    boundary = b"--" + content_type.partition("boundary=")[2].encode()
    content, options = b"", dict[str, list[str]]()
    for part in (b"\r\n" + body).split(b"\r\n" + boundary):
        if (found := INPUT.search(part)) is not None:
            content = part[found.end() :]
        elif (name := re.search(rb'name="(\w+)"', part)) is not None:
            options.setdefault(name[1].decode(), []).append(part.partition(b"\r\n\r\n")[2].decode())
    return content, options


def main() -> None:
    with Service(Path(sys.argv[1])) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever(poll_interval=0.05)


if __name__ == "__main__":
    main()
