"""A process that takes slots of all levels again and again and writes down when it had them. Its argument: rounds."""

import sys
import threading

import psycopg

from scatter_pipelines.settings import load_settings
from scatter_pipelines.store.database import libpq_url, resolve_url
from scatter_pipelines.store.slots import Level, Slots

LEVELS: tuple[Level, ...] = ("document", "parse", "llm")
START = "INSERT INTO slot_use (level) VALUES (%s) RETURNING id"
END = "UPDATE slot_use SET ended_at = clock_timestamp() WHERE id = %s"


def use(slots: Slots, url: str, level: Level, rounds: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(rounds):
            with slots.hold(level):
                row = connection.execute(START, [level]).fetchone()
                connection.execute("SELECT pg_sleep(0.01)")
                connection.execute(END, row)


def main() -> None:
    settings = load_settings()
    url = libpq_url(resolve_url(settings))
    slots = Slots(settings)
    if sys.argv[1:] == ["keep"]:
        with slots.hold("document"):
            print("held", flush=True)
            sys.stdin.read()
        return
    threads = [
        threading.Thread(target=use, args=(slots, url, level, int(sys.argv[1]))) for level in LEVELS for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    slots.close()


if __name__ == "__main__":
    main()
