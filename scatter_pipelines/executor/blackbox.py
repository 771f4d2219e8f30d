"""What a worker has not sent yet, kept in shared memory: the run worker reads it there should the worker die.

Events of a step are sent a few at a time; those in between belong to its history too, most of all when it dies.
"""

import mmap
import struct

BOX_BYTES = 1 << 16
HEAD = struct.Struct("=QI")
SIZE = struct.Struct("=I")


class BlackBox:
    """Pickled events of one batch. `batch` counts how often its worker has sent; one that arrived is not read again."""

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory

    def append(self, blob: bytes) -> bool:
        """False where there is no room; then the batch must be sent."""
        batch, used = HEAD.unpack_from(self._memory)
        start = HEAD.size + used
        if start + SIZE.size + len(blob) > len(self._memory):
            return False
        SIZE.pack_into(self._memory, start, len(blob))
        self._memory[start + SIZE.size : start + SIZE.size + len(blob)] = blob
        # The length comes last: a worker that dies before it has added nothing.
        HEAD.pack_into(self._memory, 0, batch, used + SIZE.size + len(blob))
        return True

    def empty(self, batch: int) -> None:
        HEAD.pack_into(self._memory, 0, batch, 0)

    def read(self) -> tuple[int, list[bytes]]:
        """The batch's number and its events."""
        batch, used = HEAD.unpack_from(self._memory)
        blobs, start = [], HEAD.size
        while start < HEAD.size + used:
            (size,) = SIZE.unpack_from(self._memory, start)
            start += SIZE.size
            blobs.append(bytes(self._memory[start : start + size]))
            start += size
        return batch, blobs


def make_boxes(workers: int) -> list[BlackBox]:
    """Boxes that this process shares with every process forked from now on."""
    whole = memoryview(mmap.mmap(-1, workers * BOX_BYTES))
    return [BlackBox(whole[number * BOX_BYTES : (number + 1) * BOX_BYTES]) for number in range(workers)]
