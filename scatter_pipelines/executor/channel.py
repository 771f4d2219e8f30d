"""Whole Python objects over a stream socket, between the run worker and one of its workers.

Both ends belong to one program on one machine, so objects are pickled as they are.
"""

import pickle
import socket
import struct
from collections.abc import Iterator
from typing import Any

HEAD = struct.Struct("!I")
CHUNK = 1 << 18
SEND_SECONDS = 10
"""How long the run worker waits for a worker to take an order off its socket."""


class Channel:
    """One end. `receive` blocks and is the worker's; `drain` never blocks and is the run worker's.

    `broken`: the other end is closed, so that nothing will arrive any more.
    """

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self.broken = False
        self._buffer = bytearray()

    def send(self, message: Any) -> None:
        """Raises OSError where the other end is gone, and what pickle raises for what it cannot take."""
        body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        self.end.sendall(HEAD.pack(len(body)) + body)

    def receive(self) -> Any:
        """The next message; EOFError when the other end is gone."""
        while (message := self._next()) is None:
            data = self.end.recv(CHUNK)
            if not data:
                raise EOFError
            self._buffer += data
        return message[0]

    def drain(self) -> Iterator[Any]:
        """Every message that has arrived as a whole."""
        self._fill()
        while (message := self._next()) is not None:
            yield message[0]

    def _fill(self) -> None:
        """Reads what is there, up to a bound, so that one talkative worker does not keep the others waiting."""
        for _ in range(16):
            try:
                data = self.end.recv(CHUNK, socket.MSG_DONTWAIT)
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionResetError:
                data = b""
            if not data:
                self.broken = True
                return
            self._buffer += data

    def _next(self) -> tuple[Any] | None:
        if len(self._buffer) < HEAD.size:
            return None
        (size,) = HEAD.unpack_from(self._buffer)
        if len(self._buffer) < HEAD.size + size:
            return None
        with memoryview(self._buffer) as whole:
            message = pickle.loads(whole[HEAD.size : HEAD.size + size])
        del self._buffer[: HEAD.size + size]
        return (message,)

    def close(self) -> None:
        self.end.close()
