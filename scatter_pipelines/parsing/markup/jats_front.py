"""The front page of an article in JATS: who wrote what, where and when, one line a value, each a region."""

from collections.abc import Iterator

from scatter_pipelines.model.document import RegionKind
from scatter_pipelines.parsing.markup.jats_dates import publication_date
from scatter_pipelines.parsing.markup.jats_names import name_of
from scatter_pipelines.parsing.markup.jats_text import MARKUP, text_of
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.walk import Walk
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local

_NAMES = ("name", "name-alternatives", "string-name", "collab", "collab-alternatives")
_NOT_MAIN = (
    "graphical",
    "teaser",
    "toc",
    "precis",
    "editor",
    "executive-summary",
    "key-points",
    "author-highlights",
    "synopsis",
)
_FUNDING = ("financial-disclosure", "supported-by", "funding")
_CONFLICTS = ("conflict", "coi-statement")


def write_front(writer: Sectioned, front: Element) -> None:
    meta = child(front, "article-meta")
    writer.block(_journal(child(front, "journal-meta")), "journal")
    writer.block(_title(child(meta, "title-group")), "title")
    _write_people(writer, meta)
    doi = next((text_of(one) for one in children(meta, "article-id") if attribute(one, "pub-id-type") == "doi"), "")
    if doi:
        writer.block(f"DOI: {doi}", within=[("doi", doi)])
    date = publication_date(meta)
    if date:
        writer.block(f"Published: {date}", within=[("publication_date", date)])
    _write_abstracts(writer, meta)
    _write_keywords(writer, meta)
    _write_notes(writer, meta)


def _journal(meta: Element | None) -> str:
    title = child(meta, "journal-title-group", "journal-title")
    return text_of(title if title is not None else child(meta, "journal-title"))


def _title(group: Element | None) -> str:
    """With its subtitles, joined by a colon."""
    without = frozenset(("xref", "fn"))
    title = text_of(child(group, "article-title"), without=without)
    subtitles = [text_of(one, without=without) for one in children(group, "subtitle")]
    return ": ".join(part for part in (title.rstrip(" :") if any(subtitles) else title, *subtitles) if part)


def _write_people(writer: Sectioned, meta: Element | None) -> None:
    """Authors, then affiliations, then what the authors' notes say with their addresses."""
    authors = list(_authors(meta))
    for author in authors:
        writer.block(name_of(next((one for one in author if local(one) in _NAMES), None)), "author")
    places = [] if meta is None else [one for one in meta.iter() if local(one) == "aff" and not _of_others(one)]
    for place in places:
        writer.block(text_of(place), "affiliation")
    for author in authors:
        for email in (one for one in author.iter() if local(one) == "email"):
            writer.block(text_of(email), "email")
    for note in children(child(meta, "author-notes"), "corresp", "fn", "p"):
        emails = [text_of(one) for one in note.iter() if local(one) == "email"]
        writer.block(text_of(note), _kind_of_note(note), within=[("email", email) for email in emails])


def _authors(meta: Element | None) -> Iterator[Element]:
    """Those whom the article says are authors, and those of whom it says nothing."""
    for group in children(meta, "contrib-group"):
        for one in children(group, "contrib"):
            kind = attribute(one, "contrib-type") or attribute(group, "content-type") or "author"
            if kind.lower() in ("author", "authors", "collab", "collaborator"):
                yield one


def _of_others(place: Element) -> bool:
    """Whether it is the place of an editor or reviewer."""
    for above in place.iterancestors():
        if local(above) == "contrib":
            return attribute(above, "contrib-type") not in ("author", "")
        if local(above) == "contrib-group":
            kinds = {attribute(one, "contrib-type") for one in children(above, "contrib")}
            return bool(kinds) and not kinds & {"author", ""}
    return False


def _kind_of_note(note: Element) -> RegionKind | None:
    if local(note) != "fn":
        return None
    kind = attribute(note, "fn-type").lower()
    if kind in _FUNDING:
        return "funding"
    return "conflicts" if kind in _CONFLICTS else "footnote"


def _write_abstracts(writer: Sectioned, meta: Element | None) -> None:
    """The article's own abstract is a region, its heading is not part of it; others follow as text."""
    found = children(meta, "abstract", "trans-abstract")
    main = next((one for one in found if local(one) == "abstract" and not _is_special(one)), None)
    for one in sorted(found, key=lambda one: one is not main):
        title = child(one, "title")
        writer.block(text_of(title) or "Abstract", "heading", level=1)
        mark = writer.mark()
        walk = Walk(writer, MARKUP)
        for part in one:
            if part is not title and isinstance(part.tag, str):
                walk.element(part)
        if one is main:
            writer.close("abstract", mark)


def _is_special(abstract: Element) -> bool:
    return attribute(abstract, "abstract-type").lower() in _NOT_MAIN


def _write_keywords(writer: Sectioned, meta: Element | None) -> None:
    for group in children(meta, "kwd-group"):
        words = "; ".join(filter(None, (text_of(one) for one in group.iter() if local(one) in ("kwd", "compound-kwd"))))
        title = text_of(child(group, "title")).rstrip(": ") or "Keywords"
        if words:
            writer.block(f"{title}: {words}", within=[("keywords", words)])


def _write_notes(writer: Sectioned, meta: Element | None) -> None:
    """Funding, and where the article's trial or review is registered."""
    for group in children(meta, "funding-group"):
        statements = [text_of(one) for one in children(group, "funding-statement")]
        awards = [_award(one) for one in children(group, "award-group")]
        for one in statements or awards:
            writer.block(one, "funding")
    for one in children(meta, "related-object"):
        writer.block(text_of(one), "registration")


def _award(group: Element) -> str:
    parts = [text_of(one) for one in children(group, "funding-source", "award-id")]
    return " ".join(filter(None, parts))
