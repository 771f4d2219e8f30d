"""The slots of a process that is stopped: its session lives, but others must not wait for it."""

from scatter_pipelines.model.result import Holder
from scatter_pipelines.settings import Settings
from scatter_pipelines.store.slots import Slots
from scatter_pipelines.work.aggregate import aggregate
from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines_tests.store.rows import age, claim, ids_of, make_task, until


def test_a_swept_process_gives_up_its_slots(runtime: Runtime, settings: Settings) -> None:
    stopped, neighbour = Slots(settings, "host:1"), Slots(settings, "host:12")
    assert stopped.try_take("document") is not None
    assert neighbour.try_take("document") is not None
    (result_id,) = ids_of(runtime, make_task(runtime))
    claim(runtime, result_id, Holder("run", "step", "host:1"))
    age(runtime, result_id, beat_at=100)
    aggregate(runtime)
    until(lambda: runtime.slots.used()["document"] == 1, "the slot of the stopped process to be free")
    neighbour.close()
    stopped.close()
