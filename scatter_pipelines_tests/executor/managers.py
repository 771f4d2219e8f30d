"""A compute-log manager of somebody else's: it captures in its own way, as those of cloud stores do."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeLogManager
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._serdes import ConfigurableClass, ConfigurableClassData


class Elsewhere(ComputeLogManager, ConfigurableClass):
    """Notes the begin and the end of each capture in a file; reads of what was captured go nowhere."""

    def __init__(self, path: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.path = Path(path)
        self._inst_data = inst_data
        self._nothing = NoOpComputeLogManager()

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        return self._inst_data

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return {"path": str}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Mapping[str, Any]) -> "Elsewhere":
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Iterator[CapturedLogContext]:
        self._note("begin", log_key)
        yield CapturedLogContext(log_key, external_url=f"elsewhere://{log_key[-1]}")
        self._note("end", log_key)

    def _note(self, what: str, log_key: Sequence[str]) -> None:
        with self.path.open("a") as file:
            file.write(f"{what} {os.getpid()} {log_key[-1]}\n")

    @contextmanager
    def open_log_stream(self, log_key: Sequence[str], io_type: Any) -> Iterator[None]:
        yield None

    def is_capture_complete(self, log_key: Sequence[str]) -> bool:
        return True

    def get_log_data(self, log_key: Sequence[str], cursor: str | None = None, max_bytes: int | None = None) -> Any:
        return self._nothing.get_log_data(log_key, cursor, max_bytes)

    def get_log_data_for_type(self, log_key: Sequence[str], io_type: Any, offset: int, max_bytes: int | None) -> Any:
        return self._nothing.get_log_data_for_type(log_key, io_type, offset, max_bytes)

    def get_log_metadata(self, log_key: Sequence[str]) -> Any:
        return self._nothing.get_log_metadata(log_key)

    def delete_logs(self, log_key: Sequence[str] | None = None, prefix: Sequence[str] | None = None) -> None:
        """Nothing is kept."""

    def subscribe(self, log_key: Sequence[str], cursor: str | None = None) -> Any:
        return self._nothing.subscribe(log_key, cursor)

    def unsubscribe(self, subscription: Any) -> None:
        """Nobody was subscribed."""
