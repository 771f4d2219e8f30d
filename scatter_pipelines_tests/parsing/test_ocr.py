"""OCR of pages that are pictures: the text, where it stands, and what is done with pages that have both or neither."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein
from reportlab.pdfgen.canvas import Canvas

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Box, Document, Page
from scatter_pipelines.parsing.ocr import storage
from scatter_pipelines.parsing.ocr.engine import Engine, installed
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.placed import Line
from scatter_pipelines.parsing.protocol import ParseLimits, Picture
from scatter_pipelines_tests.parsing.pdfs import HEIGHT, LEFT, RIGHT, column, drawn, parse, prose, raw_pdf, says
from scatter_pipelines_tests.parsing.scans import drawings, pictures_pdf, scanned
from scatter_pipelines_tests.parsing.test_pdf import PRIVATE, code_of

pytestmark = [
    pytest.mark.skipif(not installed(), reason="the extra [ocr] is not installed"),
    pytest.mark.xdist_group("ocr"),
]

TOP = HEIGHT - 60
NUMBER = re.compile(r"\d+(?:\.\d+)*")


class Reader:
    """Reads every page it is given, and remembers which."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.announced = 0
        self.numbers: list[int] = []

    def begin(self, pages: int) -> None:
        self.announced = pages

    def read(self, number: int, picture: Callable[[], Picture]) -> Sequence[Line]:
        self.numbers.append(number)
        return self.engine.read(picture())


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


@pytest.fixture
def reader(engine: Engine) -> Reader:
    return Reader(engine)


def read(content: bytes, reader: Reader) -> Document:
    return parse_document(content, limits=ParseLimits(), progress=lambda done, total: None, ocr=reader)


def squeezed(page: Page) -> str:
    return "".join(page.text.split())


def box_of(page: Page, text: str) -> Box:
    word = next(word for word in page.words if page.text[word.start : word.end] == text)
    return word.box


@pytest.fixture(scope="module")
def paper() -> bytes:
    """A short page: a heading, two columns and a row of numbers across."""

    def draw(canvas: Canvas) -> None:
        column(canvas, ["Effect of 20 mg rosuvastatin on readmission in 1,204 patients with heart failure"], LEFT, TOP)
        for name, x in (("Left", LEFT), ("Right", RIGHT)):
            column(canvas, prose(name, 4), x, TOP - 30)
        column(
            canvas, ["Odds ratio 0.58 (95% CI 0.32 to 1.07), p = 0.081, adjusted for age and for sex"], LEFT, TOP - 90
        )

    return drawn(draw)


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_scan_has_the_text_its_order_and_its_places_however_it_lay_on_the_glass(
    paper: bytes, reader: Reader, turns: int
) -> None:
    whole = parse(paper).pages[0]
    page = read(scanned(paper, turns=turns), reader).pages[0]
    assert page.ocr and (reader.announced, reader.numbers) == (1, [1])
    errors = Levenshtein.distance(squeezed(whole), squeezed(page))
    assert errors < 0.02 * len(squeezed(whole)), page.text
    numbers = Counter(NUMBER.findall(whole.text))
    assert (numbers & Counter(NUMBER.findall(page.text))).total() >= 0.99 * numbers.total()


def test_short_lines_on_a_page_that_is_mostly_blank_are_not_overlooked(reader: Reader) -> None:
    def draw(canvas: Canvas) -> None:
        for row in range(8):
            canvas.drawString(60 + row % 3 * 150, 60 + row * 95, f"word {row}")

    page = read(scanned(drawn(draw)), reader).pages[0]
    assert sorted(page.text.splitlines()) == [f"word {row}" for row in range(8)]


def test_words_stand_where_they_stand_in_the_file_that_was_scanned(paper: bytes, reader: Reader) -> None:
    whole = parse(paper).pages[0]
    page = read(scanned(paper), reader).pages[0]
    once = [text for text, count in Counter(whole.text.split()).items() if count == 1 and len(text) > 2]
    both = [text for text in once if page.text.split().count(text) == 1]
    assert len(both) > 8
    for text in both:
        assert box_of(page, text) == pytest.approx(box_of(whole, text), abs=5), text
    assert (page.width, page.height) == pytest.approx((whole.width, whole.height), abs=1)


def test_a_scan_that_is_askew_and_dirty_is_read_all_the_same(paper: bytes, reader: Reader) -> None:
    whole, page = parse(paper).pages[0], read(scanned(paper, lean=1.0, noise=40), reader).pages[0]
    numbers = Counter(NUMBER.findall(whole.text))
    assert (numbers & Counter(NUMBER.findall(page.text))).total() >= 0.95 * numbers.total()


def test_without_ocr_a_scan_has_no_text_layer(paper: bytes) -> None:
    assert code_of(scanned(paper)) == "no_text_layer"


def test_only_the_pages_that_are_pictures_are_read(reader: Reader) -> None:
    content = drawn(says("The first page has text"), _blot, says("And so has the third"))
    document = read(content, reader)
    assert reader.numbers == [2]
    assert [page.ocr for page in document.pages] == [False, False, False]
    assert document.unread == (2,) == parse(content).unread


def test_a_stamp_on_a_scan_does_not_make_it_a_text(reader: Reader) -> None:
    picture = _written("The trial enrolled 412 patients")
    content = pictures_pdf([picture], lambda canvas: canvas.drawString(30, 30, "Downloaded on 3 May 2020"))
    assert "412" not in parse(content).pages[0].text and parse(content).unread == (1,)
    page = read(content, reader).pages[0]
    assert "enrolled 412 patients" in page.text and "Downloaded on 3 May 2020" in page.text


def test_a_figure_beside_much_text_is_left_alone(reader: Reader) -> None:
    lines = [f"Line {row} of a page that has a text layer of its own" for row in range(30)]
    content = pictures_pdf([_written("A figure")], lambda canvas: says(*lines)(canvas))
    assert not read(content, reader).pages[0].ocr and not reader.numbers


def test_pictures_in_which_there_is_nothing_to_read_are_told_so(reader: Reader) -> None:
    with pytest.raises(DocumentError, match="in which OCR found no text") as caught:
        read(pictures_pdf([Image.new("L", (600, 800), 255)]), reader)
    assert caught.value.code == "no_text_layer"


def test_glyphs_without_meaning_are_read_from_how_they_look(reader: Reader) -> None:
    content = raw_pdf(b"BT /F1 12 Tf 20 50 Td (ABAB ABAB c) Tj ET", to_unicode=PRIVATE)
    page = read(content, reader).pages[0]
    assert page.text.casefold() == "abab abab c" and page.ocr


def test_what_is_kept_of_a_page_is_what_was_read(engine: Engine) -> None:
    content = scanned(drawn(says("Kept as it was read", "in two lines")))
    seen: list[Sequence[Line]] = []

    class Keeping(Reader):
        def read(self, number: int, picture: Callable[[], Picture]) -> Sequence[Line]:
            seen.append(super().read(number, picture))
            return storage.from_json(storage.to_json(seen[-1]))

    kept, fresh = read(content, Keeping(engine)), read(content, Reader(engine))
    assert kept.pages[0].text == fresh.pages[0].text == "Kept as it was read\nin two lines"
    for one, other in zip(kept.pages[0].words, fresh.pages[0].words, strict=True):
        assert one.box == pytest.approx(other.box, abs=0.01)


def _blot(canvas: Canvas) -> None:
    canvas.circle(200, 400, 100, fill=1)


def _written(text: str) -> Image.Image:
    """A page's picture with a line of type."""
    return drawings(drawn(says(text)))[0]
