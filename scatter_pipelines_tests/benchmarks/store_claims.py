"""Claims and saves a second of eight processes, with what the disk and one connection can do at most beside it."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from scatter_pipelines_tests.benchmarks.database import connect
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.rounds import Options, interleave, measured
from scatter_pipelines_tests.benchmarks.store_claimers import statements_a_second
from scatter_pipelines_tests.benchmarks.store_load import Size, empty, fill, writable

CLAIMERS = 8
EACH, FEW_EACH = 1_000, 20
AT_LEAST = 1_000
SECONDS = 2.0
PAGE = 8_192
FILE = 16 * 1024 * 1024


def run(options: Options) -> list[Measure]:
    count = CLAIMERS * (FEW_EACH if options.small else EACH)
    seconds = 0.1 if options.small else SECONDS
    disk, commits, both = interleave(
        {
            "writes to disk": partial(synced_writes, options.folder / "synced", seconds),
            "commits of one connection": partial(commits_a_second, seconds),
            "claims and saves": partial(claims_and_saves, count),
        },
        options.rounds,
    ).values()
    limit = measured("writes of 8 kB to disk, one process", "a second", disk, "fdatasync after each")
    alone = measured("commits of one connection", "a second", commits, "one row inserted in each")
    rate = measured(f"claims and saves of {CLAIMERS} processes", "a second", both, "a claim and its save count as two")
    met = None if options.small else rate.value > AT_LEAST
    judged = replace(
        rate, beside=limit.name, ratio=rate.value / limit.value, target=f"over {AT_LEAST:,} a second", met=met
    )
    return [limit, alone, judged]


def claims_and_saves(count: int) -> float:
    """Of tasks of which nothing is done yet."""
    size = Size(tasks=4, documents=count // 4)
    empty()
    fill(size)
    try:
        return statements_a_second(writable(0, count), CLAIMERS)
    finally:
        empty()


def synced_writes(path: Path, seconds: float) -> float:
    """In place, in a file that has its size already, as PostgreSQL writes its log."""
    path.write_bytes(bytes(FILE))
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.fsync(descriptor)
        return _rate(lambda number: _write(descriptor, number), seconds)
    finally:
        os.close(descriptor)
        path.unlink()


def _write(descriptor: int, number: int) -> None:
    os.pwrite(descriptor, bytes([number % 256]) * PAGE, number * PAGE % FILE)
    os.fdatasync(descriptor)


def commits_a_second(seconds: float) -> float:
    with connect() as connection:
        connection.execute("CREATE TABLE public.benchmark_commits (number int)")
        try:
            insert = "INSERT INTO public.benchmark_commits VALUES (%s)"
            return _rate(lambda number: connection.execute(insert, (number,)), seconds)
        finally:
            connection.execute("DROP TABLE public.benchmark_commits")


def _rate(work: Callable[[int], object], seconds: float) -> float:
    begun, number = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        work(number)
        number += 1
    return number / (time.perf_counter() - begun)
