"""Nothing false is proved, and what is true is: thousands of quotes of either kind."""

from collections import Counter
from random import Random

import pytest

from scatter_pipelines.extraction.llm.schema import Candidate
from scatter_pipelines.extraction.llm.verify import Verifier
from scatter_pipelines.extraction.quotes import QuoteFinder
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.template import TemplateField
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.conftest import SHARED
from scatter_pipelines_tests.extraction.false_quotes import (
    KINDS,
    as_printed,
    as_typed,
    document_of,
    false_of_each_kind,
    false_quotes,
    printed_sentences,
    sentences,
    squeezed,
)

PAPERS = SHARED / "corpus" / "papers"
COUNT = 10_000
SEED = 20261201
TEXT = TemplateField(name="it", type="text", description="any words")
NUMBER = TemplateField(name="it", type="integer", description="a number")


def test_ten_thousand_false_quotes_prove_nothing() -> None:
    print(f"seed {SEED}")
    verifiers: dict[int, tuple[Document, Verifier]] = {}
    tried: Counter[str] = Counter()
    proved: list[tuple[str, str, str]] = []
    for kind, document, (value, quote) in false_quotes(Random(SEED), COUNT):
        _, verifier = verifiers.setdefault(id(document), (document, Verifier(document)))
        tried[kind] += 1
        number = kind == "neighbours_number"
        candidate = Candidate(int(value) if number else value, quote)
        if verifier.proves(candidate, NUMBER if number else TEXT):
            proved.append((kind, value, quote))
    assert tried.total() == COUNT and set(tried) == {kind.__name__ for kind in KINDS}
    assert min(tried.values()) > COUNT / 10
    assert not proved, (len(proved), proved[:5])


def test_true_quotes_are_proved_in_whatever_form_they_come() -> None:
    print(f"seed {SEED}")
    random = Random(SEED)
    found = tried = 0
    missed: list[str] = []
    for _ in range(40):
        said = sentences(random, 50)
        document = document_of([as_printed(random, one) for one in said])
        finder = QuoteFinder(document)
        for one in said:
            tried += 1
            quote = as_typed(random, one)
            located = finder.find(quote)
            if located is None:
                missed.append(quote)
            else:
                found += 1
    assert found / tried >= 0.99, (found, tried, missed[:5])


@pytest.mark.parametrize("part", [0.3, 0.6])
def test_true_parts_of_sentences_are_found_where_they_stand(part: float) -> None:
    random = Random(SEED)
    said = sentences(random, 60)
    document = document_of(said)
    finder = QuoteFinder(document)
    for one in said:
        words = one.split()
        quote = " ".join(words[: max(4, int(len(words) * part))])
        located = finder.find(quote)
        assert located is not None, quote
        page = document.pages[located.span.page - 1].text
        assert page[located.span.start : located.span.end] == quote


@pytest.mark.proof
@pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus of real documents lies only beside the project")
def test_the_same_on_real_papers() -> None:
    print(f"seed {SEED}")
    random = Random(SEED)
    tried: Counter[str] = Counter()
    proved: list[tuple[str, str, str]] = []
    found = true = 0
    for path in sorted(PAPERS.glob("*.pdf")):
        document = parse_document(
            path.read_bytes(), limits=ParseLimits(1_000, 10**7), progress=lambda done, total: None
        )
        said, verifier = printed_sentences(document), Verifier(document)
        whole = squeezed(" ".join(page.text for page in document.pages))
        for kind, (value, quote) in (one for _ in range(90) for one in false_of_each_kind(random, said, whole)):
            tried[kind] += 1
            number = kind == "neighbours_number"
            if verifier.proves(Candidate(int(value) if number else value, quote), NUMBER if number else TEXT):
                proved.append((kind, value, quote))
        finder = QuoteFinder(document)
        for one in random.sample(said, min(len(said), 60)):
            true += 1
            found += finder.find(as_typed(random, one)) is not None
    print(f"false: {tried.total()} tried ({dict(tried)}), {len(proved)} proved; true: {found} of {true} found")
    assert tried.total() > COUNT / 2 and not proved, proved
    assert found / true >= 0.99
