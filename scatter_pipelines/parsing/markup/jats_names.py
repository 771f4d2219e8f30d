"""Names of people and groups in JATS, in reading order."""

from scatter_pipelines.parsing.markup.jats_text import text_of
from scatter_pipelines.parsing.xml_tree import Element, attribute, child, local

_BESIDE = frozenset(("contrib-group", "xref", "fn", "email", "aff", "address", "sup", "role", "degrees", "contrib-id"))


def name_of(element: Element | None, *, surname_first: bool = False) -> str:
    """Of a `name`, `string-name`, `name-alternatives` or `collab`: "Given Surname Jr", or "Surname Given" in a list."""
    if element is None:
        return ""
    if local(element) == "name-alternatives":
        return name_of(next((one for one in element if local(one) in ("name", "string-name")), None))
    surname, given = (
        text_of(child(element, "surname"), without=_BESIDE),
        text_of(child(element, "given-names"), without=_BESIDE),
    )
    if local(element) in ("collab", "string-name") and not (surname and given):
        return text_of(element, without=_BESIDE).strip(" ,;")
    first = surname_first or attribute(element, "name-style") == "eastern"
    ordered = (surname, given) if first else (given, surname)
    return " ".join(filter(None, (*ordered, text_of(child(element, "suffix"))))).strip(" ,;")
