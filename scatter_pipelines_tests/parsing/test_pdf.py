"""PDFs of every kind of trouble end in the text a reader sees or in the fitting code."""

import gc
import threading
import tracemalloc

import pypdfium2.raw as pdfium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.pdf import PdfParser
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.parsing.pdfs import (
    FONT,
    HEIGHT,
    LEFT,
    RIGHT,
    assembled,
    assert_partitioned,
    column,
    drawn,
    parse,
    prose,
    raw_pdf,
    says,
    stream_object,
    words_of,
)

HELLO = b"BT /F1 12 Tf 20 50 Td (Hello there) Tj ET"


def code_of(content: bytes, limits: ParseLimits | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(content, limits)
    return caught.value.code


def test_text_keeps_its_line_breaks_and_pages() -> None:
    document = parse(drawn(says("First line here", "second line"), says("Another page")))
    assert [page.text for page in document.pages] == ["First line here\nsecond line", "Another page"]
    assert [page.number for page in document.pages] == [1, 2]
    assert (document.media_type, document.pages[0].width, document.pages[0].height) == ("application/pdf", 595.0, 842.0)


def test_a_column_drawn_first_is_read_first() -> None:
    left, right = prose("left", 20), prose("right", 20)

    def draw(canvas: Canvas) -> None:
        canvas.drawString(
            LEFT, HEIGHT - 60, "A title that goes across the whole of the page from its left edge to its right edge"
        )
        column(canvas, left, LEFT, HEIGHT - 90)
        column(canvas, right, RIGHT, HEIGHT - 90)

    assert parse(drawn(draw)).pages[0].text.split("\n")[1:] == left + right


def test_columns_drawn_row_by_row_are_read_column_by_column_between_full_width_lines() -> None:
    upper, lower = (prose("left", 12), prose("right", 11)), (prose("more left", 8), prose("more right", 8))
    title = "A title that goes across the whole of the page from its left edge well into the right one of its columns"

    def rows(canvas: Canvas, columns: tuple[list[str], list[str]], top: float) -> None:
        for row, line in enumerate(columns[0]):
            column(canvas, [line], LEFT, top - 12 * row)
            column(canvas, columns[1][row : row + 1], RIGHT, top - 12 * row)

    def draw(canvas: Canvas) -> None:
        canvas.drawString(LEFT, HEIGHT - 60, title)
        rows(canvas, upper, HEIGHT - 90)
        canvas.drawString(LEFT, HEIGHT - 300, "Figure 1. " + title)
        rows(canvas, lower, HEIGHT - 330)

    page = parse(drawn(draw)).pages[0]
    assert page.text.split("\n") == [title, *upper[0], *upper[1], "Figure 1. " + title, *lower[0], *lower[1]]
    assert_partitioned(page)


def test_rows_of_a_table_stay_rows() -> None:
    def draw(canvas: Canvas) -> None:
        for row in range(15):
            y = HEIGHT - 90 - 12 * row
            canvas.drawString(LEFT, y, f"Outcome {row} in all")
            canvas.drawString(RIGHT, y, f"{row}.5 (95% CI 0.3 to {row + 2}.1)")

    lines = parse(drawn(draw)).pages[0].text.split("\n")
    assert lines[3] == "Outcome 3 in all 3.5 (95% CI 0.3 to 5.1)"


def test_a_word_broken_at_a_line_end_keeps_its_hyphen_and_its_line_break() -> None:
    page = parse(drawn(says("the trial was random-", "ized and blinded"))).pages[0]
    assert page.text == "the trial was random-\nized and blinded"
    assert words_of(page)[3:5] == ["random-", "ized"]
    assert page.words[3].box[3] <= page.words[4].box[1] + 4


def test_ligatures_become_letters_and_later_words_keep_their_offsets() -> None:
    font = "/Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [1 /fi /fl] >>"
    page = parse(raw_pdf(b"BT /F1 12 Tf 20 50 Td (\\001eld of \\002ow now) Tj ET", font=font)).pages[0]
    assert page.text == "field of flow now"
    assert words_of(page) == ["field", "of", "flow", "now"]
    assert_partitioned(page)


def test_an_encrypted_file_is_named_and_one_with_only_an_owner_password_is_read() -> None:
    assert code_of(drawn(says("secret"), password="user")) == "encrypted"
    assert parse(drawn(says("not so secret"), password="")).pages[0].text == "not so secret"


@pytest.mark.parametrize("kept", [20, 200, 400])
def test_a_file_cut_short_is_corrupt(kept: int) -> None:
    assert code_of(drawn(says("Hello"))[:kept]) == "corrupt"


def test_a_file_that_lost_only_its_end_is_still_read() -> None:
    content = raw_pdf(HELLO)
    assert parse(content[: content.index(b"trailer") + 40]).pages[0].text == "Hello there"


def test_junk_before_the_header_does_not_matter() -> None:
    assert parse(b"HTTP/1.1 200 OK\r\n\r\n" + drawn(says("Hello"))).pages[0].text == "Hello"


def test_pictures_without_text_need_ocr() -> None:
    picture = ImageReader(Image.new("RGB", (30, 30), "red"))
    assert code_of(drawn(lambda canvas: canvas.drawImage(picture, 50, 50, 400, 400))) == "no_text_layer"


def test_blank_pages_and_no_pages_are_empty() -> None:
    assert code_of(raw_pdf(b"")) == "empty"
    assert (
        code_of(assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"])) == "empty"
    )
    with pytest.raises(DocumentError, match="zero bytes"):
        PdfParser().parse(b"", limits=ParseLimits(), progress=lambda done, total: None)


def test_pages_that_cannot_be_reached_are_corrupt_not_empty() -> None:
    lost = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>", b"<< /Type /Page >>"]
    assert code_of(assembled(lost)) == "corrupt"


PRIVATE = b"""/CIDInit /ProcSet findresource begin begincmap
1 begincodespacerange <00> <FF> endcodespacerange
2 beginbfchar <41> <E001> <42> <E002> endbfchar
endcmap end"""


def test_glyphs_without_meaning_are_unreadable_but_a_few_do_no_harm() -> None:
    assert code_of(raw_pdf(b"BT /F1 12 Tf 20 50 Td (ABAB ABAB c) Tj ET", to_unicode=PRIVATE)) == "unreadable_text"
    page = parse(raw_pdf(b"BT /F1 12 Tf 20 50 Td (A good words) Tj ET", to_unicode=PRIVATE)).pages[0]
    assert page.text == "\ue001 good words"


def cmap(first: int, count: int = 16) -> bytes:
    """Has the letters from A on mean the characters from `first` on."""
    pairs = " ".join(f"<{0x41 + at:02X}> <{first + at:04X}>" for at in range(count))
    return (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        f"{count} beginbfchar {pairs} endbfchar endcmap end"
    ).encode()


def test_hebrew_is_in_the_order_in_which_it_is_spoken_and_its_boxes_where_it_is_seen() -> None:
    page = parse(raw_pdf(b"BT /F1 12 Tf 20 50 Td (FED 12 CBA) Tj ET", to_unicode=cmap(0x5D0))).pages[0]
    assert page.text == "\u05d0\u05d1\u05d2 12 \u05d3\u05d4\u05d5"
    lefts = [word.box[0] for word in page.words]
    assert lefts == sorted(lefts, reverse=True)


def test_chinese_has_no_spaces_and_keeps_its_lines() -> None:
    page = parse(raw_pdf(b"BT /F1 12 Tf 20 50 Td (ABCD) Tj 0 -14 Td (EF) Tj ET", to_unicode=cmap(0x4E2D))).pages[0]
    assert page.text == "\u4e2d\u4e2e\u4e2f\u4e30\n\u4e31\u4e32" and len(page.words) == 2


def test_a_page_that_cannot_be_read_is_empty_and_the_others_stay() -> None:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
        b"(no page at all)",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 99] /Contents 5 0 R /Resources <</Font <</F1 6 0 R>>>> >>",
        stream_object(HELLO),
        b"<< %s >>" % FONT.encode(),
    ]
    assert [page.text for page in parse(assembled(objects)).pages] == ["", "Hello there"]


def test_limits_on_pages_and_characters_hold() -> None:
    content = drawn(says("Hello"), says("there"))
    assert code_of(content, ParseLimits(max_pages=1)) == "too_large"
    assert code_of(content, ParseLimits(max_characters=8)) == "too_large"
    assert len(parse(content, ParseLimits(max_pages=2, max_characters=10)).pages) == 2


def test_metadata_is_what_the_file_says_of_itself() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle("On Ocimum\nsanctum")
        canvas.drawString(LEFT, 700, "text")

    assert parse(drawn(draw)).metadata["title"] == "On Ocimum sanctum"


class _Stop(Exception):
    pass


def test_progress_counts_pages_and_may_stop_the_work() -> None:
    content = drawn(says("one"), says("two"), says("three"))
    seen: list[tuple[int, int]] = []
    parse_document(content, limits=ParseLimits(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]

    def stop(done: int, total: int) -> None:
        raise _Stop

    with pytest.raises(_Stop):
        parse_document(content, limits=ParseLimits(), progress=stop)
    assert len(parse(content).pages) == 3


def test_every_handle_is_closed_also_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    still_open = {"document": 0, "page": 0, "text": 0}

    def watch(kind: str, opening: str, closing: str) -> None:
        real_open, real_close = getattr(pdfium, opening), getattr(pdfium, closing)

        def opened(*arguments: object) -> object:
            handle = real_open(*arguments)
            still_open[kind] += bool(handle)
            return handle

        def closed(handle: object) -> None:
            still_open[kind] -= 1
            real_close(handle)

        monkeypatch.setattr(pdfium, opening, opened)
        monkeypatch.setattr(pdfium, closing, closed)

    watch("document", "FPDF_LoadMemDocument64", "FPDF_CloseDocument")
    watch("page", "FPDF_LoadPage", "FPDF_ClosePage")
    watch("text", "FPDFText_LoadPage", "FPDFText_ClosePage")
    content = drawn(says("one"), says("two"))
    parse(content)
    code_of(content, ParseLimits(max_characters=4))
    assert still_open == {"document": 0, "page": 0, "text": 0}


def test_memory_does_not_grow_with_the_number_of_documents() -> None:
    content = drawn(*(says(*prose("line", 12)) for _ in range(3)))
    after = []
    tracemalloc.start()
    try:
        for _ in range(12):
            parse(content)
            gc.collect()
            after.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert after[-1] - after[3] < 20_000


def test_threads_take_turns() -> None:
    content = drawn(says("one"), says("two"))
    other_got_on = threading.Event()
    other = threading.Thread(
        target=PdfParser().parse,
        kwargs={"content": content, "limits": ParseLimits(), "progress": lambda done, total: other_got_on.set()},
    )

    def progress(done: int, total: int) -> None:
        if done == 1:
            other.start()
        assert not other_got_on.wait(0.1)

    parse_document(content, limits=ParseLimits(), progress=progress)
    other.join()
    assert other_got_on.is_set()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(st.characters(min_codepoint=32, max_codepoint=255), min_size=1, max_size=40), min_size=1, max_size=8
    )
)
def test_words_cover_the_text_exactly_whatever_is_drawn(lines: list[str]) -> None:
    try:
        document = parse(drawn(says(*lines)))
    except DocumentError as error:
        assert error.code in ("empty", "no_text_layer", "unreadable_text")
    else:
        for page in document.pages:
            assert_partitioned(page)
