"""The warm pool's hooks for documents: the executor's terms on one side, the use case's on the other."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from scatter_pipelines.defs.resources import plain_failures, result_id_of
from scatter_pipelines.defs.runs import FAILED_TAG
from scatter_pipelines.executor.hooks import Again, Bench, Loss, Order
from scatter_pipelines.settings import load_settings
from scatter_pipelines.work.oversee import DocumentLoss, Overseer
from scatter_pipelines.work.progress import StopWork

CODE_OF_KIND = {
    "died": "worker_crashed",
    "stopped": "worker_crashed",
    "memory_limit": "memory_limit",
    "step_timeout": "document_timeout",
    "interrupted": None,
}


class DocumentHooks:
    """Steps whose key ends in a result's id are documents; the scatter step is none."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._overseer = Overseer(load_settings(), bench.run_id, bench.boards, bench.log.info)
        self._stack = ExitStack()

    def __enter__(self) -> "DocumentHooks":
        with plain_failures():
            self._stack.enter_context(self._overseer)
        return self

    def __exit__(self, *_exc: object) -> None:
        with self._stack:
            if failed := self._overseer.failed():
                self._bench.instance.add_run_tags(self._bench.run_id, {FAILED_TAG: str(failed)})

    def briefing(self, step_key: str) -> Any:
        return self._overseer.lost_leases()

    def note(self, order: Order, note: Any) -> None:
        self._overseer.keep_lease(note)

    def tick(self, orders: Sequence[Order]) -> list[tuple[Order, StopWork]]:
        return list(self._to_stop({order.number: order for order in orders}))

    def _to_stop(self, orders: dict[int, Order]) -> Iterator[tuple[Order, StopWork]]:
        for number, stop in self._overseer.to_stop():
            if number in orders:
                yield orders[number], stop

    def lost(self, order: Order, loss: Loss) -> Again | None:
        if not order.step_key.endswith("]"):
            return None
        result_id = result_id_of(order.step_key[:-1])
        seconds = self._overseer.lost(order.number, result_id, order.step_key, loss.pid, document_loss(loss))
        return None if seconds is None else Again(seconds)


def document_loss(loss: Loss) -> DocumentLoss:
    """Which error code fits the loss; what was taken away or interrupted is nobody's fault."""
    if isinstance(loss.stop, StopWork):
        return DocumentLoss(None if loss.stop.kind == "lost" else loss.stop.kind, loss.stop.message)
    what = "stopped" if loss.kind in ("memory_limit", "step_timeout", "interrupted") else "lost"
    return DocumentLoss(CODE_OF_KIND[loss.kind], f"The worker (pid {loss.pid}) was {what}: {loss.how}.")
