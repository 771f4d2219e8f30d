"""An evaluation as Markdown that can be pasted into a README or a ticket."""

from collections.abc import Iterator, Sequence
from typing import Any

from scatter_pipelines.evaluation import wording
from scatter_pipelines.evaluation.rules import LEVELS
from scatter_pipelines.evaluation.wording import Json

NAMES_SHOWN = 10
VALUE_CHARACTERS = 200


def markdown(report: Json, limit: int) -> str:
    return "\n".join(_lines(report, limit)) + "\n"


def _lines(report: Json, limit: int) -> Iterator[str]:
    yield f"## Evaluation of task {report['task_id']} (template {_cell(report['template'])})"
    yield ""
    headings, rows = score_table(report)
    yield from _table(headings, rows, "l" + "r" * (len(headings) - 1))
    yield ""
    said = (wording.documents_said(report, NAMES_SHOWN), wording.extras_said(report), wording.minimums_said(report))
    yield from (f"- {_cell(line)}" for lines in said for line in lines)
    yield f"- {wording.intervals_said(report)}"
    if report["comparison"]:
        yield from _comparison(report["comparison"], limit)
    if report["disagreements"] and limit:
        yield from ("", "### Disagreements", "")
        yield from _disagreements(report["disagreements"], limit)


HEADINGS = (
    "field", "gold", "found", "exact", "soft", "Levenshtein", "precision", "recall", "F1", "verified", "OCR",
)  # fmt: skip


def score_table(report: Json) -> tuple[Sequence[str], list[list[str]]]:
    """Headings, a row a field and the row of all fields; without the column OCR where no page was read so."""
    rows = [_score_cells(name, field) for name, field in report["fields"].items()]
    rows.append(_overall_cells(report["all"]))
    if any(field["evidence"]["ocr"] for field in report["fields"].values()):
        return HEADINGS, rows
    return HEADINGS[:-1], [row[:-1] for row in rows]


def _score_cells(name: str, field: Json) -> list[str]:
    shares = [wording.number(field["evidence"][kind]) for kind in ("verified", "ocr")]
    return [name, *_counts_and_scores(field, field["main_level"]), *shares]


def _overall_cells(total: Json) -> list[str]:
    """The micro average. Its precision, recall and F1 are those of the most lenient level."""
    return ["all fields (F1)", *_counts_and_scores(total, LEVELS[-1]), "", ""]


def _counts_and_scores(place: Json, main: str) -> list[str]:
    levels = place["levels"]
    scores = [wording.ranged(levels[level]["score"]) if level in levels else "" for level in LEVELS]
    rates = [wording.ranged(levels[main][measure]) for measure in ("precision", "recall", "f1")]
    return [str(place["expected"]), str(place["found"]), *scores, *rates]


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> Iterator[str]:
    yield _row(headings)
    yield _row(["---:" if side == "r" else "---" for side in alignment])
    yield from (_row([_cell(value) for value in row]) for row in rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    """One line that cannot end a cell or begin markup; control characters are dropped."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in str(value)).split())
    return line.translate(_ESCAPED)


_ESCAPED = str.maketrans({**{sign: f"\\{sign}" for sign in "\\|`*_[]"}, "<": "&lt;", "&": "&amp;"})


def _disagreements(items: list[Json], limit: int) -> Iterator[str]:
    rows = []
    for field, group in wording.by_field(items).items():
        rows += [_disagreement(one) for one in group[:limit]]
        if len(group) > limit:
            rows.append([field, f"... and {len(group) - limit} more", "", "", "", ""])
    yield from _table(("field", "document", "how", "gold", "found", "quote"), rows, "l" * 6)


def _disagreement(one: Json) -> list[str]:
    texts = (wording.value(one["gold"]), wording.value(one["found"]), wording.first_quote(one))
    return [one["field"], one["document"], wording.difference(one), *(_clip(text) for text in texts)]


def _clip(text: str) -> str:
    return text if len(text) <= VALUE_CHARACTERS else text[: VALUE_CHARACTERS - 1] + "…"


CHANGE_HEADINGS = ("field", "level", "here", "there", "difference", "better", "worse", "p", "test")


def change_rows(comparison: Json) -> list[list[str]]:
    """One row a field and level, in the order of `CHANGE_HEADINGS`."""
    return [
        [
            name,
            level,
            wording.number(change["here"]),
            wording.number(change["there"]),
            wording.ranged(change["difference"]),
            str(change["better"]),
            str(change["worse"]),
            wording.probability(change["p"]),
            change["test"],
        ]
        for name, levels in comparison["fields"].items()
        for level, change in levels.items()
    ]


def _comparison(comparison: Json, limit: int) -> Iterator[str]:
    yield from ("", f"### What changed since task {comparison['task_id']}", "")
    yield from _table(CHANGE_HEADINGS, change_rows(comparison), "ll" + "r" * 6 + "l")
    yield ""
    yield from (f"- {_cell(line)}" for line in wording.compared_said(comparison, NAMES_SHOWN))
    if comparison["changed"] and limit:
        yield ""
        yield from _table(
            ("field", "document", "change", "gold", "here", "there"), _changed(comparison, limit), "l" * 6
        )


def _changed(comparison: Json, limit: int) -> list[list[str]]:
    rows = []
    for field, group in wording.by_field(comparison["changed"]).items():
        for one in group[:limit]:
            texts = (wording.value(one[key]) for key in ("gold", "here", "there"))
            rows.append([field, one["document"], one["change"], *(_clip(text) for text in texts)])
        if len(group) > limit:
            rows.append([field, f"... and {len(group) - limit} more", "", "", "", ""])
    return rows
