"""What the regions of a document say, and whether they lie where they should."""

from scatter_pipelines.model.document import Document, Region


def text_of(document: Document, region: Region) -> str:
    return document.pages[region.page - 1].text[region.start : region.end]


def texts(document: Document, kind: str) -> list[str]:
    return [text_of(document, region) for region in document.regions if region.kind == kind]


def lines(document: Document) -> list[list[str]]:
    return [page.text.split("\n") for page in document.pages]


def check_regions(document: Document) -> None:
    """Every region has text, lies within its page, begins and ends with a line's text, and they are in order."""
    assert [page.number for page in document.pages] == list(range(1, len(document.pages) + 1))
    places = [(region.page, region.start, -region.end) for region in document.regions]
    assert places == sorted(places)
    for region in document.regions:
        page = document.pages[region.page - 1]
        assert 0 <= region.start < region.end <= len(page.text)
        text = text_of(document, region)
        assert text.strip() and text.strip("\n ") == text
        assert region.kind != "heading" or ("\n" not in text and region.level >= 1)
