"""What DOCX and PPTX share: parts, the relations between them, and the core properties."""

import posixpath

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.archive import Archive
from scatter_pipelines.parsing.xml_tree import Element, attribute, local, parse_xml

_PROPERTIES = ("title", "creator", "subject", "description", "keywords", "created", "modified")


def main_part(archive: Archive, kind: str, usual: str) -> str:
    """The part whose content type speaks of `kind`; macros and templates have other types than plain documents."""
    for one in parse_xml(archive.read("[Content_Types].xml")):
        name = attribute(one, "PartName").lstrip("/")
        if kind in attribute(one, "ContentType") and "main+xml" in attribute(one, "ContentType") and name in archive:
            return name
    if usual not in archive:
        raise DocumentError("corrupt", f"The document lacks its part {usual!r}: save it again.")
    return usual


def relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """Target and kind by id, of what lies in the archive. What lies elsewhere is never looked at."""
    folder, name = posixpath.split(part)
    content = archive.find(posixpath.join(folder, "_rels", name + ".rels"))
    found: dict[str, tuple[str, str]] = {}
    for one in [] if content is None else parse_xml(content):
        target = posixpath.normpath(posixpath.join("/", folder, attribute(one, "Target"))).lstrip("/")
        if attribute(one, "TargetMode") != "External" and target in archive:
            found[attribute(one, "Id")] = (target, attribute(one, "Type").rpartition("/")[2])
    return found


def related(archive: Archive, part: str, kind: str) -> Element | None:
    target = next((target for target, found in relations(archive, part).values() if found == kind), None)
    return None if target is None else parse_xml(archive.read(target))


def properties(archive: Archive) -> dict[str, str]:
    content = archive.find("docProps/core.xml")
    found = [] if content is None else list(parse_xml(content))
    return {local(one): one.text or "" for one in found if local(one) in _PROPERTIES}
