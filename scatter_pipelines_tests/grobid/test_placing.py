"""Regions cover the very words of each part of a paper, and wrong coordinates lead to none."""

from collections import defaultdict
from dataclasses import replace
from functools import cache

import pytest

from scatter_pipelines.model.document import Document, Region, RegionKind
from scatter_pipelines.parsing.grobid.placing import place
from scatter_pipelines.parsing.grobid.tei import read_tei
from scatter_pipelines.parsing.service import ServiceRefused
from scatter_pipelines_tests.generator.model import Paper, PaperKind
from scatter_pipelines_tests.grobid.tei import Boxes, Known, known, tei_of

KINDS: tuple[PaperKind, ...] = ("one_column", "two_column", "trial")
SEEDS = range(4)

known_once = cache(known)


def placed(made: Known, tei: str | None = None) -> Document:
    regions = place(read_tei((tei or tei_of(made)).encode()), made.document, lambda: None)
    return Document(made.document.pages, made.document.media_type, made.document.parser, regions=regions)


def said(document: Document) -> dict[RegionKind, list[str]]:
    """The words of each kind's regions, in order, lines put together."""
    found = defaultdict(list)
    for region in document.regions:
        text = document.pages[region.page - 1].text[region.start : region.end]
        found[region.kind].append(joined(text))
    return found


def joined(text: str) -> str:
    return " ".join(text.replace("-\n", "").split())


def headings(made: Known) -> list[str]:
    return [
        f"{number}. {section.heading}" if made.numbered and section.heading != "Funding" else section.heading
        for number, section in enumerate(made.paper.sections, 1)
    ]


def abstract(paper: Paper) -> str:
    return " ".join(f"{label}: {text}" if label else text for label, text in paper.abstract)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_regions_are_the_very_words_of_the_parts(kind: PaperKind, seed: int) -> None:
    made = known_once(seed, kind)
    paper, found = made.paper, said(placed(made))
    assert found["title"] == [joined(paper.title)]
    assert found["author"] == [author.name for author in paper.authors], "without the marks set high behind them"
    assert found["affiliation"] == list(paper.affiliations), "once each, though GROBID repeats them by author"
    assert found["abstract"] == [joined(abstract(paper))]
    assert found["heading"] == headings(made)
    assert found["reference"] == [joined(text) for text in paper.references]
    assert found["caption"] == [table.caption for section in paper.sections for table in section.tables]
    assert found["doi"] == [paper.imprint.doi]
    assert found["email"] == [paper.email]
    assert found["keywords"] == ["; ".join(paper.keywords)]
    assert len(found["table"]) == len(found["caption"])


def test_a_table_s_region_has_its_cells_and_not_its_caption() -> None:
    made = known_once(1, "two_column")
    (table,) = [table for section in made.paper.sections for table in section.tables][:1]
    text = said(placed(made))["table"][0]
    assert text.startswith(" ".join(table.header)) and text.endswith(" ".join(table.rows[-1]))


def test_the_level_of_a_heading_is_that_of_its_number() -> None:
    made = next(paper for seed in range(20) if (paper := known_once(seed, "one_column")).numbered)
    tei = tei_of(made).replace('<head n="2"', '<head n="1.2"', 1)
    levels = [region.level for region in placed(made, tei).regions if region.kind == "heading"]
    assert levels[:3] == [1, 2, 1]


def test_a_caption_whose_description_repeats_its_head_is_found() -> None:
    made = known_once(1, "two_column")
    tei, good = tei_of(made), said(placed(made))["caption"]
    assert good
    head = good[0].partition(". ")[0]
    assert f"<figDesc>{good[0]}" not in tei
    assert said(placed(made, tei.replace("<figDesc>", f"<figDesc>{head}. ", 1)))["caption"] == good


def test_a_heading_without_coordinates_is_not_searched_for() -> None:
    made = known_once(0, "one_column")
    tei = tei_of(made)
    start = tei.index("<head", tei.index("<body>"))
    without = tei[:start] + "<head>" + tei[tei.index(">", start) + 1 :]
    assert said(placed(made, without))["heading"] == headings(made)[1:]


def test_regions_are_in_the_order_of_the_text_and_inside_it() -> None:
    document = placed(known_once(2, "trial"))
    places = [(region.page, region.start) for region in document.regions]
    assert places == sorted(places)
    for region in document.regions:
        text = document.pages[region.page - 1].text
        assert 0 <= region.start < region.end <= len(text)
        assert text[region.start : region.end].strip() == text[region.start : region.end]


@pytest.mark.parametrize("shift", [30.0, -45.0, 5_000.0])
def test_coordinates_of_another_origin_or_off_the_page_are_refused(shift: float) -> None:
    made = known_once(1, "one_column")
    with pytest.raises(ServiceRefused, match="do not fit"):
        placed(made, tei_of(made, boxes=Boxes(made.document, shift=shift)))


def test_an_answer_about_another_document_is_refused() -> None:
    with pytest.raises(ServiceRefused, match="do not fit"):
        placed(known_once(1, "one_column"), tei_of(known_once(2, "one_column")))


def test_pages_of_another_size_than_grobid_saw_are_not_trusted() -> None:
    """As of a page that is turned, or whose crop box is not its media box."""
    made = known_once(1, "two_column")
    turned = [(page.height, page.width) for page in made.document.pages]
    with pytest.raises(ServiceRefused, match="do not fit"):
        placed(made, tei_of(made, sizes=turned))


def test_one_part_that_is_astray_costs_only_itself() -> None:
    made = known_once(0, "one_column")
    good = said(placed(made))
    wrong = tei_of(made).replace(made.paper.references[0], "Words that nobody wrote. Nowhere 1999;1:1", 2)
    bad = said(placed(made, wrong))
    assert bad["reference"] == good["reference"][1:]
    assert bad["title"] == good["title"]


def test_text_that_is_not_on_the_pages_has_no_region() -> None:
    made = known_once(0, "one_column")
    tei = tei_of(made).replace(made.paper.imprint.doi, "10.5555/never.seen").replace("<term>", "<term>unheard of ", 1)
    found = said(placed(made, tei))
    assert not found["doi"] and not found["keywords"]


def test_a_text_is_not_found_in_the_middle_of_a_longer_one() -> None:
    made = known_once(0, "one_column")
    found = said(placed(made, tei_of(made).replace(made.paper.imprint.doi, made.paper.imprint.doi[:-1])))
    assert not found["doi"]


def test_regions_the_parser_knew_stay_where_the_service_has_none_of_their_kind() -> None:
    made = known_once(0, "one_column")
    own = (Region("title", 1, 0, 3), Region("registration", 1, 0, 3))
    before = replace(made.document, regions=own)
    regions = place(read_tei(tei_of(made).encode()), before, lambda: None)
    assert own[1] in regions and own[0] not in regions


def test_a_stop_is_heard_between_two_parts() -> None:
    def stop() -> None:
        raise InterruptedError

    made = known_once(0, "one_column")
    with pytest.raises(InterruptedError):
        place(read_tei(tei_of(made).encode()), made.document, stop)
