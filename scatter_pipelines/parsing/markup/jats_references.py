"""A reference of JATS as one line, as a reader would cite it."""

import re

from scatter_pipelines.parsing.markup.jats_names import name_of
from scatter_pipelines.parsing.markup.jats_text import text_of
from scatter_pipelines.parsing.sectioned import Sectioned
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, children, local

_CITATIONS = ("element-citation", "mixed-citation", "citation", "nlm-citation")
_WORDS = re.compile(r"\w|[.,;:]")
_TITLES = ("article-title", "chapter-title", "data-title", "trans-title")


def write_reference(writer: Sectioned, reference: Element) -> None:
    label = text_of(child(reference, "label"))
    found = [one for one in reference.iter() if local(one) in _CITATIONS]
    texts = [_citation(one) for one in found] or [text_of(reference, without=frozenset(("label",)))]
    notes = [text_of(note) for note in children(reference, "note")] if found else []
    writer.block(" ".join(filter(None, (label, *texts, *notes))), "reference")


def _citation(citation: Element) -> str:
    """As it is written where its punctuation is there, else put together from its parts."""
    between = "".join(one.tail or "" for one in citation) + (citation.text or "")
    if len(citation) == 0 or _WORDS.search(between):
        return text_of(citation, without=frozenset(("label",)))
    return _assembled(citation) or text_of(citation)


def _assembled(citation: Element) -> str:
    parts: dict[str, str] = {}
    for one in citation:
        parts.setdefault(local(one), text_of(one))
    numbers = parts.get("volume", "") + (f"({parts['issue']})" if parts.get("issue") else "")
    pages = "-".join(filter(None, (parts.get("fpage"), parts.get("lpage")))) or parts.get("elocation-id", "")
    where = ":".join(filter(None, (numbers, pages)))
    title = next((parts[name] for name in _TITLES if parts.get(name)), "")
    publisher = ": ".join(filter(None, (parts.get("publisher-loc"), parts.get("publisher-name"))))
    sentences = [_authors(citation), title, parts.get("source", ""), parts.get("edition", ""), publisher]
    sentences += [";".join(filter(None, (parts.get("year"), where))), parts.get("comment", "")]
    sentences += [_identifier(one) for one in children(citation, "pub-id")] + [
        text_of(one) for one in children(citation, "ext-link", "uri")
    ]
    return " ".join(_ended(one) for one in sentences if one)


def _authors(citation: Element) -> str:
    groups = [
        one for one in children(citation, "person-group") if attribute(one, "person-group-type") in ("author", "")
    ]
    people = [one for group in groups or [citation] for one in group]
    names = [name_of(one, surname_first=True) for one in people if local(one) in ("name", "string-name", "collab")]
    return ", ".join(names + ["et al" for one in people if local(one) == "etal"])


def _identifier(identifier: Element) -> str:
    kind = attribute(identifier, "pub-id-type")
    return f"{kind}:{text_of(identifier)}" if kind in ("doi", "pmid") else text_of(identifier)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else sentence + "."
