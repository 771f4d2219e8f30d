"""The benchmarks: `python -m scatter_pipelines_tests.benchmarks [SECTION ...]`, or `make bench`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from scatter_pipelines_tests.benchmarks.facts import machine_facts
from scatter_pipelines_tests.benchmarks.measure import Measure
from scatter_pipelines_tests.benchmarks.place import PROJECT, temporary_home
from scatter_pipelines_tests.benchmarks.report import print_table, write_json
from scatter_pipelines_tests.benchmarks.rounds import Options


def run_executors(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks import executors

    return executors.run(options)


def run_waste(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks import waste

    return waste.run(options)


def run_documents(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks import documents

    return documents.run(options)


def run_growth(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks import growth, memory

    return growth.run(options) + memory.run(options)


def run_store(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks import store

    return store.run(options)


def run_calls(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks import calls

    return calls.run(options)


def run_peers(options: Options) -> list[Measure]:
    from scatter_pipelines_tests.benchmarks.peers import section

    return section.run(options)


SECTIONS: dict[str, Callable[[Options], list[Measure]]] = {
    "executors": run_executors,
    "waste": run_waste,
    "documents": run_documents,
    "growth": run_growth,
    "store": run_store,
    "calls": run_calls,
    "peers": run_peers,
}
USUAL = [name for name in SECTIONS if name != "peers"]


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scatter_pipelines_tests.benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; default: no peers")
    parser.add_argument("--rounds", type=int, default=3, help="medians are of so many rounds (default: %(default)s)")
    parser.add_argument("--json", type=Path, default=PROJECT / ".scatter/bench/bench.json", help="where to write JSON")
    parser.add_argument("--folder", type=Path, help="documents of your own for `documents`")
    parser.add_argument("--peers", action="store_true", help="add `peers` to the sections")
    parser.add_argument("--small", action="store_true", help="one short round that judges nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no section is named {', '.join(sorted(unknown))}")
    options.sections = options.sections or USUAL
    if options.peers and "peers" not in options.sections:
        options.sections = [*options.sections, "peers"]
    return options


def main() -> None:
    chosen = parse_arguments()
    rounds = 1 if chosen.small else chosen.rounds
    sections: dict[str, list[Measure]] = {}
    with temporary_home() as folder:
        facts = machine_facts()
        options = Options(folder, rounds, chosen.small, chosen.folder and chosen.folder.absolute())
        for name in chosen.sections:
            sections[name] = SECTIONS[name](options)
            print_table(f"\n{name}, medians of {rounds}", sections[name])
            write_json(chosen.json, facts, rounds, sections)
    print(f"\n{', '.join(f'{name} {value}' for name, value in facts.items())}\nAll rounds: {chosen.json}")


if __name__ == "__main__":
    main()
