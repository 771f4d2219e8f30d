"""What a person is shown of an evaluation."""

from collections.abc import Iterable

from scatter_pipelines.cli.output import captured, print_line
from scatter_pipelines.cli.show import short
from scatter_pipelines.cli.table import Column, one_line, print_table
from scatter_pipelines.evaluation import wording
from scatter_pipelines.evaluation.markdown import CHANGE_HEADINGS, change_rows, score_table
from scatter_pipelines.evaluation.wording import Json

NAMES_SHOWN = 5
VALUE_CHARACTERS = 160


def evaluation_text(report: Json, limit: int) -> str:
    """The same without colours, for a file."""
    with captured() as text:
        print_evaluation(report, limit)
    return text()


def print_evaluation(report: Json, limit: int) -> None:
    print_line(f"Task {report['task_id']} against {report['gold']}")
    _print_lines(wording.documents_said(report, NAMES_SHOWN))
    print_line()
    headings, rows = score_table(report)
    print_table(_columns(headings), rows)
    print_line()
    _print_lines(wording.extras_said(report))
    print_line(wording.intervals_said(report))
    if report["comparison"]:
        _print_comparison(report["comparison"], limit)
    _print_disagreements(report["disagreements"], limit)
    _print_lines(wording.minimums_said(report))


def _columns(headings: Iterable[str], *, words: Iterable[str] = ("field",)) -> list[Column]:
    """The first two stay; of the others the last go first where there is no room. `words` stand on the left."""
    return [Column(name, firm=True, spare=number > 1, right=name not in words) for number, name in enumerate(headings)]


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print_line(one_line(line))


def _print_disagreements(items: list[Json], limit: int) -> None:
    if not items:
        print_line("\nNo disagreement: every value is as in gold.")
        return
    for field, group in wording.by_field(items).items():
        wrong = sum(one["right_at"] is None for one in group)
        print_line(f"\n{field}: {wording.counted(len(group), 'disagreement')}, {wrong} of them wrong")
        for one in group[:limit]:
            print_line(f"  {one_line(one['document'])} ({wording.difference(one)})")
            _print_value("gold", wording.value(one["gold"]))
            _print_value("found", wording.value(one["found"]))
            _print_value("quote", wording.first_quote(one))
        _print_more(len(group), limit)


def _print_value(what: str, text: str) -> None:
    if text:
        print_line(f"    {what + ':':<7}{short(text, VALUE_CHARACTERS)}")


def _print_more(count: int, limit: int) -> None:
    if count > limit:
        print_line(f"  ... and {count - limit} more: --limit {count} shows them, --format json has all.")


def _print_comparison(comparison: Json, limit: int) -> None:
    print_line()
    _print_lines(wording.compared_said(comparison, NAMES_SHOWN))
    print_line()
    print_table(_columns(CHANGE_HEADINGS, words=("field", "level", "test")), change_rows(comparison))
    for field, group in wording.by_field(comparison["changed"]).items():
        print_line(f"\n{field}: {wording.counted(len(group), 'document')} changed")
        for one in group[:limit]:
            print_line(f"  {one_line(one['document'])} ({one['change']})")
            for what in ("gold", "here", "there"):
                _print_value(what, wording.value(one[what]))
        _print_more(len(group), limit)
