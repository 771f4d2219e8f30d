"""The synthetic papers are what their answers say, the same every time, and the odd documents are odd."""

import hashlib
import json
import re
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import pypdfium2 as pdfium
import pytest

from scatter_pipelines_tests.generator.examples import ANSWERS_FILE, Example, make_examples, write_answers
from scatter_pipelines_tests.generator.model import Answers, GeneratedPaper, PaperKind
from scatter_pipelines_tests.generator.odd import ODD_KINDS, PASSWORD, generate_odd
from scatter_pipelines_tests.generator.papers import generate_batch, generate_paper

KINDS: tuple[PaperKind, ...] = get_args(PaperKind)
PDF_KINDS: tuple[PaperKind, ...] = ("one_column", "two_column", "trial")
EXAMPLES = Path(__file__).parent.parent / "examples"
P_VALUE = re.compile(r"\bp\s*([<=])\s*(\d\.\d+)", re.IGNORECASE)
REGISTRATION = re.compile(r"NCT\d{8}|ISRCTN\d{8}|\b\d{4}-\d{6}-\d{2}\b")


def pages_of(content: bytes, password: str | None = None) -> list[str]:
    if not content.startswith(b"%PDF"):
        return [content.decode()]
    with pdfium.PdfDocument(content, password=password) as document:
        return [page.get_textpage().get_text_range() for page in document]


def squeezed(text: str) -> str:
    """Without white space, hyphens, what PDFium puts for a hyphen at a line's end, and Markdown's stars."""
    return re.sub(r"[\s\-\xad\x02￾*]", "", text)


def missing_answers(text: str, answers: Answers) -> list[str]:
    """The answers that do not stand in the text."""
    p_values = {f"p{sign}{number}" for sign, number in P_VALUE.findall(text)}
    stated = [answers[name] for name in ("title", "doi", "abstract", "journal")]
    stated += [str(answers["year"]), f"{answers['sample_size']:,}"]
    stated += answers["authors"] + answers["registration_ids"] + answers["effect_estimates"]
    whole = squeezed(text)
    return [s for s in stated if squeezed(s) not in whole] + [p for p in answers["p_values"] if p not in p_values]


def appearance(content: bytes) -> Any:
    """What a reader sees of a document; the bytes of a PDF also depend on the versions of reportlab and zlib."""
    if not content.startswith(b"%PDF"):
        return content
    try:
        document = pdfium.PdfDocument(content, password=PASSWORD)
    except pdfium.PdfiumError:
        return "unreadable"
    with document:
        return [(page.get_size(), page.get_textpage().get_text_range(), _boxes(page)) for page in document]


def _boxes(page: pdfium.PdfPage) -> list[tuple[int, ...]]:
    text = page.get_textpage()
    return [tuple(round(v) for v in text.get_charbox(i)) for i in range(0, text.count_chars(), 50)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_every_answer_stands_in_the_text(kind: PaperKind, seed: int) -> None:
    paper = generate_paper(seed, kind)
    assert missing_answers("\n".join(pages_of(paper.content)), paper.answers) == []


def test_a_wrong_answer_is_noticed() -> None:
    paper = generate_paper(1, "trial")
    text = "\n".join(pages_of(paper.content))
    wrong = {"title": "Another title", "p_values": ["p=0.999"], "authors": ["Nemo Nobody"], "sample_size": 987_654}
    for name, value in wrong.items():
        assert missing_answers(text, paper.answers | {name: value}), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_the_text_holds_no_p_value_interval_or_registration_beyond_the_answers(kind: PaperKind, seed: int) -> None:
    paper = generate_paper(seed, kind)
    text = "\n".join(pages_of(paper.content))
    body, references = text.rsplit("References", 1)
    assert {f"p{sign}{number}" for sign, number in P_VALUE.findall(text)} == set(paper.answers["p_values"])
    assert set(REGISTRATION.findall(squeeze_breaks(body))) == set(paper.answers["registration_ids"])
    assert len(REGISTRATION.findall(references)) == 1
    assert re.findall(r"10\.5555/\S+", references)
    whole = squeezed(text)
    stated = [squeezed(effect) for effect in paper.answers["effect_estimates"]]
    assert whole.count("95%CI") == sum(whole.count(effect) for effect in stated)


def squeeze_breaks(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(kind: PaperKind) -> None:
    first = generate_paper(3, kind)
    assert generate_paper(3, kind) == first
    assert generate_paper(4, kind).content != first.content


def test_the_bytes_do_not_depend_on_the_process_or_the_day() -> None:
    script = (
        "import hashlib, time; time.time = lambda: 1e9\n"
        "from scatter_pipelines_tests.generator.papers import generate_paper\n"
        "print(hashlib.sha256(generate_paper(5, 'trial').content).hexdigest())"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(generate_paper(5, "trial").content).hexdigest()


def test_papers_have_two_to_six_pages() -> None:
    counts = [len(pages_of(generate_paper(seed, kind).content)) for seed in range(12) for kind in PDF_KINDS]
    assert min(counts) >= 2
    assert max(counts) <= 6
    assert len(set(counts)) > 2


def test_two_column_papers_hyphenate_and_one_column_ones_do_not() -> None:
    def line_ends(kind: PaperKind) -> int:
        text = "".join(page for seed in range(3) for page in pages_of(generate_paper(seed, kind).content))
        return len(re.findall(r"[a-z](?:[￾\x02]|-\r\n)", text))

    assert line_ends("two_column") > 10
    assert line_ends("one_column") == 0


@pytest.mark.parametrize(("kind", "margin"), [("one_column", 72), ("two_column", 50), ("trial", 48)])
def test_nothing_is_drawn_beyond_the_margins(kind: PaperKind, margin: float) -> None:
    for seed in range(4):
        for page in pdfium.PdfDocument(generate_paper(seed, kind).content):
            text = page.get_textpage()
            boxes = [text.get_charbox(i) for i in range(text.count_chars())]
            assert min(box[0] for box in boxes if box[2]) >= margin - 1
            assert max(box[2] for box in boxes) <= page.get_width() - margin + 1


def test_other_numbers_of_pages_are_refused() -> None:
    with pytest.raises(ValueError, match="pages=3"):
        generate_paper(1, "trial", pages=3)


def test_a_batch_is_of_distinct_one_page_papers_and_grows_at_the_end() -> None:
    batch: list[GeneratedPaper] = list(generate_batch(90, seed=2))
    assert len({paper.filename for paper in batch}) == len({paper.content for paper in batch}) == 90
    assert {len(pages_of(paper.content)) for paper in batch} == {1}
    assert all(missing_answers(pages_of(paper.content)[0], paper.answers) == [] for paper in batch)
    assert list(islice(generate_batch(1_000, seed=2), 5)) == batch[:5]


def test_a_batch_of_hundreds_takes_seconds_of_processor_time() -> None:
    started = time.process_time()
    assert sum(1 for _ in generate_batch(100, seed=4)) == 100
    assert time.process_time() - started < 5


def test_the_committed_examples_are_what_the_generator_makes() -> None:
    made = {example.filename: example for example in make_examples()}
    assert {path.name for path in EXAMPLES.iterdir()} == set(made)
    for name, example in made.items():
        assert appearance((EXAMPLES / name).read_bytes()) == appearance(example.content), name


def test_the_committed_answers_belong_to_the_committed_examples() -> None:
    rows = [json.loads(line) for line in ANSWERS_FILE.read_text("utf-8").splitlines()]
    made = [example.row | {"sha256": _digest(example.filename)} for example in make_examples()]
    assert rows == made


def _digest(filename: str) -> str:
    return hashlib.sha256((EXAMPLES / filename).read_bytes()).hexdigest()


def test_the_command_writes_documents_only(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "scatter_pipelines_tests.generator", str(out), "--seed", "7"]
    subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, check=True)
    assert {path.name for path in out.iterdir()} == {example.filename for example in make_examples()}


def test_the_examples_are_small_and_one_has_a_blank_and_a_letter_outside_ascii() -> None:
    files = list(EXAMPLES.iterdir())
    assert sum(path.stat().st_size for path in files) < 600_000
    assert any(" " in path.name and not path.name.isascii() for path in files)


def test_answers_are_one_json_object_a_line(tmp_path: Path) -> None:
    example = Example("ä.txt", b"x", "corrupt", {})
    write_answers(tmp_path / "a.jsonl", [example, example])
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert rows == [example.row] * 2
    assert rows[0]["expected_status"] == "error"


def test_odd_documents_are_the_same_every_time() -> None:
    assert [generate_odd(kind) for kind in ODD_KINDS] == [generate_odd(kind) for kind in ODD_KINDS]


def test_the_encrypted_one_opens_with_its_password_only() -> None:
    odd = generate_odd("encrypted")
    assert odd.expected_code == "encrypted"
    with pytest.raises(pdfium.PdfiumError, match=r"[Pp]assword"):
        pdfium.PdfDocument(odd.content)
    assert "Introduction" in "".join(pages_of(odd.content, PASSWORD))


@pytest.mark.parametrize(("kind", "code"), [("truncated", "corrupt"), ("zero_pages", "empty")])
def test_the_broken_ones_begin_like_a_pdf_and_cannot_be_opened(kind: Any, code: str) -> None:
    odd = generate_odd(kind)
    assert odd.expected_code == code
    assert odd.content.startswith(b"%PDF-")
    with pytest.raises(pdfium.PdfiumError, match="Failed to load document"):
        pdfium.PdfDocument(odd.content)


def test_the_scan_has_a_picture_and_no_text() -> None:
    odd = generate_odd("image_only")
    assert odd.expected_code == "no_text_layer"
    page = pdfium.PdfDocument(odd.content)[0]
    assert page.get_textpage().count_chars() == 0
    grey = bytes(page.render(scale=0.5, grayscale=True).buffer)
    assert min(grey) < 128 < max(grey)


def test_the_others_are_what_their_code_says() -> None:
    assert generate_odd("empty")[1:] == (b"", "empty")
    old = generate_odd("old_word")
    assert old.content.startswith(b"\xd0\xcf\x11\xe0")
    assert (old.filename, old.expected_code) == ("fulltext.pdf", "unsupported_type")


def test_the_misnamed_ones_are_whole() -> None:
    pdf, text = generate_odd("pdf_named_txt"), generate_odd("text_named_pdf")
    assert pdf.filename == "report.txt"
    assert "References" in "".join(pages_of(pdf.content))
    assert text.filename.endswith(".pdf")
    assert "References" in text.content.decode()
    assert pdf.expected_code is text.expected_code is None
