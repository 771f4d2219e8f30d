"""Small documents of each format, made in code."""

import io
import zipfile
from collections.abc import Mapping

OFFICE = "application/vnd.openxmlformats-officedocument."
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_R = f'xmlns:r="{_RELATION.rstrip("/")}"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'


def zipped(parts: Mapping[str, str | bytes], *, packed: bool = True) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def types(part: str, kind: str) -> str:
    return f'<Types><Override PartName="/{part}" ContentType="application/vnd.{kind}.main+xml"/></Types>'


def relations(*targets: tuple[str, str]) -> str:
    listed = (
        f'<Relationship Id="r{number}" Type="{_RELATION}{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets)
    )
    return f"<Relationships>{''.join(listed)}</Relationships>"


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


STYLES = (
    f'<w:styles {W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="berschrift1"/></w:style>'
    '<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="Deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style></w:styles>'
)


def docx(body: str, *, kind: str = "openxmlformats-officedocument.wordprocessingml.document", **parts: str) -> bytes:
    """`parts` are further parts of the folder `word`, by name without `.xml`."""
    return zipped(
        {
            "[Content_Types].xml": types("word/document.xml", kind),
            "word/document.xml": f"<w:document {W} {MC}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": STYLES,
            "word/_rels/document.xml.rels": relations(
                ("styles", "styles.xml"), *((name, f"{name}.xml") for name in parts)
            ),
            **{f"word/{name}.xml": content for name, content in parts.items()},
        }
    )


def shape(text: str, placeholder: str = "body") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{placeholder}"/></p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def pptx() -> bytes:
    """Two slides, listed in the order 2, 1; the second of them has notes."""
    slide = f"<p:sld {_P} {_A}><p:spTree>{{}}</p:spTree></p:sld>"
    return zipped(
        {
            "[Content_Types].xml": types(
                "ppt/presentation.xml", "openxmlformats-officedocument.presentationml.presentation"
            ),
            "ppt/presentation.xml": f'<p:presentation {_P} {_R}><p:sldIdLst><p:sldId id="256" r:id="r1"/>'
            '<p:sldId id="257" r:id="r0"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(
                ("slide", "slides/slide1.xml"), ("slide", "slides/slide2.xml")
            ),
            "ppt/slides/slide1.xml": slide.format(shape("Second", "title") + shape("7", "sldNum")),
            "ppt/slides/slide2.xml": slide.format(shape("First", "title") + shape("A point")),
            "ppt/slides/_rels/slide1.xml.rels": relations(("notesSlide", "../notesSlides/notes1.xml")),
            "ppt/notesSlides/notes1.xml": slide.format(shape("Say this")),
        }
    )


def xlsx(sheet: str) -> bytes:
    """`sheet` are rows of the one sheet, `Doses`. Style 1 is a date."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return zipped(
        {
            "[Content_Types].xml": types("xl/workbook.xml", "openxmlformats-officedocument.spreadsheetml.sheet"),
            "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{main}" {_R}><sheets>'
            '<sheet name="Doses" sheetId="1" r:id="r0"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")),
            "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
            "</cellXfs></styleSheet>",
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
        }
    )


def epub(*chapters: str, spine: str | None = None) -> bytes:
    """`spine` is the href of a further item of the spine."""
    hrefs = [f"text/c{number}.xhtml" for number in range(len(chapters))]
    listed = [*hrefs, spine] if spine else hrefs
    items = "".join(
        f'<item id="i{n}" href="{href}" media-type="application/xhtml+xml"/>' for n, href in enumerate(listed)
    )
    order = "".join(f'<itemref idref="i{n}"/>' for n in range(len(listed)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/a.opf"/></rootfiles></container>',
            "OPS/a.opf": f"<package><metadata><title>A book</title></metadata><manifest>{items}</manifest>"
            f"<spine>{order}</spine></package>",
            **{f"OPS/{href}": chapter for href, chapter in zip(hrefs, chapters, strict=True)},
        }
    )


def opendocument(kind: str, body: str, manifest: str = "<manifest/>") -> bytes:
    names = "office", "text", "table", "draw"
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": manifest,
            "content.xml": f"<office:document-content {spaces}><office:body><office:{kind}>{body}</office:{kind}>"
            "</office:body></office:document-content>",
        }
    )
