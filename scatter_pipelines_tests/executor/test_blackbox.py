"""The black box: what is in it when its writer dies at any point."""

from types import SimpleNamespace
from typing import Any

from scatter_pipelines.executor.blackbox import BOX_BYTES, BlackBox
from scatter_pipelines.executor.parent import Run


def _box() -> BlackBox:
    return BlackBox(memoryview(bytearray(BOX_BYTES)))


def test_what_was_put_in_comes_out_in_order() -> None:
    box = _box()
    box.empty(3)
    assert [box.append(blob) for blob in (b"one", b"", b"three")] == [True] * 3
    assert box.read() == (3, [b"one", b"", b"three"])
    box.empty(4)
    assert box.read() == (4, [])


def test_what_does_not_fit_is_left_out_whole() -> None:
    box = _box()
    assert box.append(b"small")
    assert not box.append(bytes(BOX_BYTES))
    assert box.read() == (0, [b"small"])


def test_a_batch_that_has_arrived_is_not_read_again() -> None:
    """Its worker died between sending it and emptying the box."""
    heard: list[list[bytes]] = []
    run: Any = Run.__new__(Run)
    run._boxes = [_box()]
    run._heard = lambda _member, blobs: iter(heard.append(blobs) or ())
    for batch, arrived in ((5, 5), (6, 5)):
        run._boxes[0].empty(batch)
        run._boxes[0].append(b"event")
        list(run._unsent(SimpleNamespace(number=0, batch=arrived)))
    assert heard == [[b"event"]], "only the batch that had not arrived"
