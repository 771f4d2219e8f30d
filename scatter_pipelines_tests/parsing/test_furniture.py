"""What stands at the same place of page after page is out of the way, and nothing else is."""

from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines_tests.parsing.pdfs import HEIGHT, LEADING, LEFT, WIDTH, drawn, parse

BODY = HEIGHT - 120


def texts(pages: Sequence[dict[float, str]], x: float = LEFT) -> list[str]:
    """Each page's text: by height from the bottom, what is drawn there, and two lines of body."""

    def draw(number: int, page: dict[float, str]) -> "list[tuple[float, float, str]]":
        body = [(LEFT, BODY, f"Sentence {number} begins"), (LEFT, BODY - LEADING, "and ends here.")]
        return [*((x, y, text) for y, text in page.items()), *body]

    def draws(lines: list[tuple[float, float, str]]) -> "object":
        def on(canvas: Canvas) -> None:
            for left, y, text in lines:
                canvas.drawString(left, y, text)

        return on

    content = drawn(*(draws(draw(number, page)) for number, page in enumerate(pages)))  # type: ignore[arg-type]
    return [page.text for page in parse(content).pages]


TOP, BOTTOM = HEIGHT - 40, 30.0


def test_a_running_head_is_kept_once_and_page_numbers_are_left_out() -> None:
    heads = [{TOP: f"Smith et al. J Med (2019) 7:1 Page {n} of 4", BOTTOM: str(n + 176)} for n in range(4)]
    found = texts(heads)
    assert "Smith et al." in found[0]
    assert not any("Smith" in text for text in found[1:])
    assert not any(str(n + 176) in text for n, text in enumerate(found))
    assert found[2] == "Sentence 2 begins\nand ends here."


def test_heads_that_differ_between_left_and_right_pages_are_kept_once_each() -> None:
    found = texts([{TOP: ("On sleep" if n % 2 else "Smith and Jones")} for n in range(6)])
    assert [("Smith" in text, "sleep" in text) for text in found[:3]] == [(True, False), (False, True), (False, False)]
    assert all(text.startswith("Sentence") for text in found[2:])


def test_what_stands_on_two_pages_only_is_no_running_head() -> None:
    assert all("Smith et al." in text for text in texts([{TOP: "Smith et al."}] * 2))


def test_numbers_that_do_not_count_the_pages_stay() -> None:
    found = texts([{BOTTOM: number} for number in ("12", "99", "3")])
    assert [text.split("\n")[0] for text in found] == ["12", "99", "3"]


def test_a_repeated_line_in_the_middle_of_the_page_stays() -> None:
    assert all("the same words" in text for text in texts([{HEIGHT / 2: "the same words"}] * 4))


def test_the_head_of_a_table_that_goes_on_stays() -> None:
    assert all("Table 1" in text for text in texts([{TOP: "Table 1 (continued)"}] * 4))


def test_a_head_at_another_height_on_each_page_stays() -> None:
    found = texts([{TOP - 15 * n: "wandering words"} for n in range(3)])
    assert all("wandering" in text for text in found)


def test_a_stamp_in_the_side_margin_is_kept_once() -> None:
    found = texts([{HEIGHT / 2: "copy"}] * 4, x=WIDTH - 30)
    assert ["copy" in text for text in found] == [True, False, False, False]
