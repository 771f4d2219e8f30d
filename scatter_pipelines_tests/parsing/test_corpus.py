"""Real papers and odd PDFs, where the corpus lies next to the project."""

import json
import multiprocessing
import re
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from scatter_pipelines.errors import CODES, DocumentError
from scatter_pipelines.model.document import Page
from scatter_pipelines.parsing.ocr.engine import Engine, installed
from scatter_pipelines.parsing.pdf_picture import pictured_share
from scatter_pipelines.parsing.placed import PageLines, PlacedWord, page_of
from scatter_pipelines.parsing.reading_order import in_reading_order
from scatter_pipelines_tests.parsing.fidelity import Score, score
from scatter_pipelines_tests.parsing.ocr_accuracy import Accuracy, accuracy
from scatter_pipelines_tests.parsing.pdfs import assert_partitioned, parse
from scatter_pipelines_tests.parsing.regions import check_regions, texts

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
SECONDS = 10
LONG_PAGE = 1_500
PICTURED = 0.05
FLOAT = re.compile(r"^(?:table|fig(?:ure)?\.?)[ -]?\d", re.IGNORECASE | re.MULTILINE)
SUITE_PAPERS = 6
ROW_HEIGHT = 2.5
TWO_COLUMNS = ("PMC4575751.pdf", "PMC4945999.pdf", "PMC5771181.pdf", "PMC6417514.pdf")
PAPERS = sorted((CORPUS / "papers").glob("*.pdf"))

pytestmark = pytest.mark.skipif(not PAPERS, reason="the corpus does not lie at ../shared/corpus")


def measured(paper: Path) -> Score:
    document = parse(paper.read_bytes())
    for page in document.pages:
        assert_partitioned(page)
        assert all(-20 < word.box[0] < word.box[2] < page.width + 20 for word in page.words)
    return score(paper.with_suffix(".nxml"), "\n".join(page.text for page in document.pages))


def assert_faithful(papers: list[Path]) -> None:
    scores = [measured(paper) for paper in papers]
    total = Score(*(sum(getattr(one, name) for one in scores) for name in ("runs", "found", "pairs", "ordered")))
    print(f"ten-word runs {total.fidelity:.4f} of {total.runs}, sentence order {total.order:.4f} of {total.pairs}")
    assert total.fidelity > 0.97
    assert total.order > 0.98
    assert min(one.fidelity for one in scores) > 0.85


def test_some_papers_come_out_whole_and_in_order() -> None:
    assert_faithful(PAPERS[:: len(PAPERS) // SUITE_PAPERS])


@pytest.mark.proof
def test_all_papers_come_out_whole_and_in_order() -> None:
    assert_faithful(PAPERS)


@pytest.mark.proof
@pytest.mark.skipif(not installed(), reason="the extra [ocr] is not installed")
def test_drawn_pages_of_papers_are_read_by_ocr_as_their_text_layer_has_them() -> None:
    """One page of every second paper, at 200 dpi; none with images, tables or figures, where lines overlap."""
    engine, total = Engine(), Accuracy()
    for paper in PAPERS[::2]:
        content = paper.read_bytes()
        with pdfium.PdfDocument(content) as document:
            drawn = [pictured_share(page.raw) for page in document]
        prose = [page for page in parse(content).pages if len(page.text) > LONG_PAGE and not FLOAT.search(page.text)]
        full = [page for page in prose if drawn[page.number - 1] < PICTURED]
        total += accuracy(engine, content, full[len(full) // 2])
    print(f"{total}: {total.errors / total.characters:.4f} of the characters wrong, {total.missed} numbers missed")
    assert total.errors < 0.02 * total.characters
    assert total.missed <= 0.01 * total.numbers


def drawn_row_by_row(page: Page) -> list[list[PlacedWord]]:
    """The page's words as a program would leave them that knows no columns: all words of a height in one line."""
    rows: list[tuple[float, list[PlacedWord]]] = []
    for word in sorted(page.words, key=lambda word: word.box[1] + word.box[3]):
        middle = (word.box[1] + word.box[3]) / 2
        if not rows or middle - rows[-1][0] > ROW_HEIGHT:
            rows.append((middle, []))
        rows[-1][1].append(PlacedWord(page.text[word.start : word.end], word.box, word.size, word.bold))
    return [sorted(words, key=lambda word: word.box[0]) for _, words in rows]


def test_papers_whose_columns_were_drawn_row_by_row_are_put_right() -> None:
    for name in TWO_COLUMNS:
        paper = CORPUS / "papers" / name
        rows = [drawn_row_by_row(page) for page in parse(paper.read_bytes()).pages]
        mixed = "\n".join(page_of(PageLines(1, lines))[0].text for lines in rows)
        ordered = "\n".join(page_of(PageLines(1, in_reading_order(lines)))[0].text for lines in rows)
        assert score(paper.with_suffix(".nxml"), mixed).fidelity < 0.4
        assert score(paper.with_suffix(".nxml"), ordered).fidelity > 0.8


def test_a_font_that_lies_about_its_height_does_not_make_boxes_that_cover_other_lines() -> None:
    page = parse((CORPUS / "papers" / "PMC6281068.pdf").read_bytes()).pages[1]
    assert max(word.box[3] - word.box[1] for word in page.words) < 20


def _parse_in_child(paths: list[Path], results: Connection) -> None:
    for path in paths:
        try:
            document = parse(path.read_bytes())
            for page in document.pages:
                assert_partitioned(page)
            results.send("text")
        except DocumentError as error:
            results.send(error.code)


def outcomes(paths: list[Path]) -> dict[str, str]:
    """By file name: "text", an error code, "hung" or "died". A child works through all until one stops it."""
    found: dict[str, str] = {}
    while len(found) < len(paths):
        left = paths[len(found) :]
        ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
        child = multiprocessing.get_context("spawn").Process(target=_parse_in_child, args=(left, theirs))
        child.start()
        theirs.close()
        try:
            for path in left:
                found[path.name] = _next_result(ours)
                if found[path.name] in ("hung", "died"):
                    break
        finally:
            child.kill()
            child.join()
            ours.close()
    return found


def _next_result(results: Connection) -> str:
    try:
        return str(results.recv()) if results.poll(SECONDS) else "hung"
    except EOFError:
        return "died"


def test_every_odd_pdf_ends_in_a_text_or_a_code() -> None:
    found = outcomes(sorted((CORPUS / "pdfs").glob("*.pdf")))
    print(Counter(found.values()).most_common())
    assert set(found.values()) <= {"text", *CODES}
    assert found["issue13316_reduced.pdf"] == "text"
    assert found["javauninstall-7r.pdf"] == "text"
    assert found["bug1782186.pdf"] == "encrypted"
    assert found["issue19484_1.pdf"] == "encrypted"
    assert found["bug_jpx.pdf"] == "no_text_layer"
    assert found["issue15516_reduced.pdf"] == "unreadable_text"


def soft(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def test_the_regions_of_an_article_are_its_gold() -> None:
    """A gold abstract may begin with the abstract's heading, which is no part of the region."""
    for line in (CORPUS / "gold" / "papers.jsonl").read_text().splitlines():
        paper = json.loads(line)
        gold = paper["fields"]
        document = parse((CORPUS / "papers" / paper["filename"]).with_suffix(".nxml").read_bytes())
        check_regions(document)
        assert texts(document, "author") == gold["authors"]
        assert [*texts(document, "title"), *texts(document, "journal")] == [gold["title"], gold["journal"]]
        assert texts(document, "doi") == ([gold["doi"]] if gold["doi"] else [])
        assert [date[:4] for date in texts(document, "publication_date")] == [str(gold["year"])]
        abstract = soft(gold["abstract"] or "").removeprefix("abstract")
        assert [soft(text) for text in texts(document, "abstract")] == ([abstract] if abstract else [])


def test_every_office_document_ends_in_a_text_or_a_code() -> None:
    found: Counter[str] = Counter()
    for path in sorted((CORPUS / "office").iterdir()):
        try:
            check_regions(parse(path.read_bytes()))
            found["text"] += 1
        except DocumentError as error:
            found[error.code] += 1
    assert found == {"text": 45}
