"""What every use case works with: settings, database and slots of one process."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property

from sqlalchemy.exc import DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from scatter_pipelines.settings import Settings, load_settings
from scatter_pipelines.store.database import Database, as_usage_error, parse_url
from scatter_pipelines.store.schema import ensure_schema
from scatter_pipelines.store.slots import Slots


class Runtime:
    """Connects when first used. Close it at the end; not to be shared across a fork."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(settings)
        self._closers = ExitStack()

    @cached_property
    def slots(self) -> Slots:
        return Slots(self.settings, process_name())

    def at_close(self, closer: Callable[[], None]) -> None:
        """Has something closed with the runtime."""
        self._closers.callback(closer)

    def close(self) -> None:
        self._closers.close()
        if "slots" in self.__dict__:
            self.slots.close()
        self.database.dispose()


def process_name(pid: int | None = None) -> str:
    """Host and process id: who holds a claim, and whose session holds the slots."""
    return f"{socket.gethostname()[:40]}:{pid or os.getpid()}"


def shown_url(settings: Settings) -> str:
    """The database as a person may see it: without its password."""
    if settings.database_url is None:
        return f"{settings.home.expanduser().absolute()} (embedded)"
    return parse_url(settings.database_url).render_as_string(hide_password=True)


@contextmanager
def database_errors(settings: Settings) -> Iterator[None]:
    """Turns what the database says into one plain message."""
    try:
        yield
    except (DBAPIError, NoSuchModuleError, PoolTimeout) as error:
        raise as_usage_error(error, shown_url(settings)) from error


@contextmanager
def open_runtime(settings: Settings | None = None) -> Iterator[Runtime]:
    """A runtime on a database with the right schema; UsageError where there is none to be had."""
    runtime = Runtime(settings or load_settings())
    try:
        with database_errors(runtime.settings):
            ensure_schema(runtime.database)
        yield runtime
    finally:
        runtime.close()
