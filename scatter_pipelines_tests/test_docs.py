"""The documents stay true to the code."""

from scatter_pipelines.errors import CODES
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.error_docs import KINDS, page


def test_the_page_of_error_codes_is_the_table_in_the_code() -> None:
    assert (PROJECT / "docs" / "errors.md").read_text(encoding="utf-8") == page(), "run `make docs`"
    assert {entry.kind for entry in CODES.values()} == set(KINDS)


def test_every_place_and_test_named_in_the_architecture_exists() -> None:
    text = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {part for part in text.split("`") if part.startswith(("scatter_pipelines/", "scatter_pipelines_tests/"))}
    assert named, "the table of patterns names its places"
    missing = []
    for place in named:
        path, _, test = place.partition("::")
        if not (PROJECT / path).exists() or (
            test and f"def {test}(" not in (PROJECT / path).read_text(encoding="utf-8")
        ):
            missing.append(place)
    assert missing == []


def test_the_readme_has_no_gap_left() -> None:
    assert "@@" not in (PROJECT / "README.md").read_text(encoding="utf-8")
