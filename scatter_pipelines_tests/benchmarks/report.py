"""The table that a person reads, and the JSON that is kept."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from scatter_pipelines_tests.benchmarks.measure import Measure

HEADINGS = ("measure", "value", "unit", "beside", "ratio", "target", "met", "note")
WIDTH = 200


def print_table(title: str, measures: list[Measure]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading in ("value", "ratio") else "left", overflow="fold")
    for measure in measures:
        table.add_row(*_cells(measure))
    console = Console(width=None if Console().is_terminal else WIDTH, highlight=False, markup=False)
    with console.capture() as capture:
        console.print(table)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _cells(measure: Measure) -> tuple[str, ...]:
    met = {None: "", True: "yes", False: "NO"}[measure.met]
    ratio = "" if measure.ratio is None else ratio_text(measure.ratio)
    return (
        measure.name, value_text(measure.value), measure.unit, measure.beside, ratio, measure.target, met, measure.note,
    )  # fmt: skip


def value_text(value: float) -> str:
    """Three figures, more where there are more before the point."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"


def ratio_text(ratio: float) -> str:
    """Small ratios as fractions: 1/200 says more than 0.005."""
    return f"1/{1 / ratio:.0f}" if 0 < ratio < 0.1 else f"{ratio:.2f}"


def write_json(path: Path, facts: dict[str, Any], rounds: int, sections: dict[str, list[Measure]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "machine": facts,
        "rounds": rounds,
        "sections": {name: [asdict(measure) for measure in measures] for name, measures in sections.items()},
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
