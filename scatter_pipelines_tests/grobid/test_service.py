"""The client against a process: what each answer, good or bad, is taken for."""

from pathlib import Path

import pytest

from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.grobid import service as module
from scatter_pipelines.parsing.grobid.service import GrobidService
from scatter_pipelines.parsing.parse import parser_version
from scatter_pipelines.parsing.service import ServiceBusy, ServiceError, ServiceRefused, ServiceUnavailable
from scatter_pipelines_tests.grobid.conftest import paper
from scatter_pipelines_tests.grobid.running import StandIn
from scatter_pipelines_tests.grobid.tei import tei_of


def annotate(url: str, timeout: float = 20) -> Document:
    made = paper(0)
    return GrobidService(url).annotate(made.content, made.document, timeout=timeout, check=lambda: None)


def failure(grobid: StandIn, *acts: str, timeout: float = 20) -> ServiceError:
    grobid.does(*acts)
    with pytest.raises(ServiceError) as caught:
        annotate(grobid.url, timeout)
    assert "\n" not in caught.value.message and len(caught.value.message) < 300
    return caught.value


def test_a_good_answer_adds_regions_and_keeps_the_local_pages(grobid: StandIn) -> None:
    made = paper(0)
    grobid.knows(made.content, tei_of(made))
    read = annotate(grobid.url + "/")
    assert read.pages == made.document.pages
    assert {"title", "author", "heading", "reference"} <= {region.kind for region in read.regions}
    assert read.parser == f"{made.document.parser} + grobid 0.8.2"
    assert not read.marked_up, "a model may overlook things"


def test_the_call_asks_for_coordinates_and_for_no_look_ups(grobid: StandIn) -> None:
    made = paper(0)
    grobid.knows(made.content, tei_of(made))
    annotate(grobid.url)
    asked = grobid.seen()["options"]
    assert {"title", "persName", "head", "biblStruct"} <= set(asked.pop("teiCoordinates"))
    look_ups = {name for name in asked if name.startswith("consolidate")}
    assert look_ups == {"consolidateHeader", "consolidateCitations", "consolidateFunders"}
    assert {asked[name][0] for name in look_ups} == {"0"}
    assert asked["includeRawCitations"] == ["1"]


def test_the_version_of_all_parsers_names_the_service_and_what_was_asked_of_it() -> None:
    service = GrobidService("http://127.0.0.1:9")
    assert parser_version(service) != parser_version()
    assert f"grobid {service.revision};" in parser_version(service)
    assert f"grobid {service.revision} (0.8.2)" in parser_version(service, "0.8.2")


def test_it_tells_whether_it_is_alive_and_its_version(grobid: StandIn) -> None:
    service = GrobidService(grobid.url)
    assert (service.alive(), service.version()) == (True, "0.8.2")
    grobid.kill()
    with pytest.raises(ServiceUnavailable, match="refused"):
        service.alive()


@pytest.mark.parametrize(
    ("act", "says"),
    [
        ("nothing", "204"),
        ("status:400 ", "400"),
        ("status:500 [NO_BLOCKS] PDF parsing resulted in empty content", "NO_BLOCKS"),
        ('status:500 {"grobidExceptionStatus":"PASSWORD_PROTECTED"}', "PASSWORD_PROTECTED"),
        ("status:500 [TIMEOUT] PDF to XML conversion timed out", "TIMEOUT"),
        ("status:500 [BAD_INPUT_DATA] PDF to XML conversion failed", "BAD_INPUT_DATA"),
    ],
)
def test_what_is_about_the_document_is_a_refusal(grobid: StandIn, act: str, says: str) -> None:
    error = failure(grobid, act)
    assert isinstance(error, ServiceRefused) and says in error.message


@pytest.mark.parametrize(
    ("act", "says"),
    [
        ("status:500 [GENERAL] something", "500"),
        ("status:502 bad gateway", "502"),
        ("status:404 no such page", "SCATTER_GROBID_URL"),
        ("moved", "302: is SCATTER_GROBID_URL"),
        ("html", "text/html"),
        ("bomb", "declares"),
        ("external", "declares"),
        ("reset", "broken"),
        ("cut", "broken"),
    ],
)
def test_what_is_about_the_service_says_that_it_is_not_available(grobid: StandIn, act: str, says: str) -> None:
    error = failure(grobid, act)
    assert isinstance(error, ServiceUnavailable) and not isinstance(error, ServiceBusy)
    assert says in error.message


def test_a_busy_service_says_when_it_may_be_asked_again(grobid: StandIn) -> None:
    error = failure(grobid, "busy:7")
    assert isinstance(error, ServiceBusy) and error.retry_after == 7
    assert failure(grobid, "busy").retry_after is None
    assert failure(grobid, "busy:soon").retry_after is None


@pytest.mark.parametrize("act", ["hang", "drip"])
def test_a_silent_or_dribbling_service_is_left_at_the_limit(grobid: StandIn, act: str) -> None:
    error = failure(grobid, act, timeout=0.5)
    assert isinstance(error, ServiceUnavailable) and ("0.5 s" in error.message or "silent" in error.message)


def test_an_answer_without_end_is_left(grobid: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEI_BYTES", 3_000_000)
    assert "3,000,000 bytes" in failure(grobid, "huge").message


def test_who_waits_for_a_hung_service_may_be_called_away(grobid: StandIn) -> None:
    """Who is not heard gets no answer from the stand-in either, and another error."""
    grobid.does("hang")
    made = paper(0)

    def stop() -> None:
        if grobid.calls():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        GrobidService(grobid.url).annotate(made.content, made.document, timeout=300, check=stop)


def test_a_password_in_the_url_is_never_told(grobid: StandIn) -> None:
    grobid.does("status:404 no")
    with pytest.raises(ServiceError) as caught:
        annotate(grobid.url.replace("//", "//me:secret@"))
    assert "secret" not in caught.value.message and "127.0.0.1" in caught.value.message


def test_a_place_where_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnavailable, match="refused"):
        annotate("http://127.0.0.1:9")
