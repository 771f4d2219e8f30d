"""Word, PowerPoint, Excel, e-books, OpenDocument, mail and RTF."""

import pytest

from scatter_pipelines.errors import DocumentError
from scatter_pipelines_tests.parsing.office_files import (
    W,
    docx,
    epub,
    opendocument,
    paragraph,
    pptx,
    xlsx,
    zipped,
)
from scatter_pipelines_tests.parsing.pdfs import parse
from scatter_pipelines_tests.parsing.regions import check_regions, lines, texts


def code_of(content: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(content)
    return caught.value.code


def test_headings_are_told_by_style_in_any_language() -> None:
    body = paragraph("Sleep", "Titel") + paragraph("Methods", "berschrift1") + paragraph("Beds", "Deep")
    document = parse(docx(body + paragraph("Results", "Own") + paragraph("Good")))
    assert lines(document) == [["Sleep"], ["Methods", "Beds"], ["Results", "Good"]]
    found = [(text, region.level) for text, region in zip(
        texts(document, "heading"), [one for one in document.regions if one.kind == "heading"], strict=True
    )]  # fmt: skip
    assert found == [("Methods", 1), ("Beds", 3), ("Results", 1)]
    assert texts(document, "title") == ["Sleep"]


def test_changes_are_accepted_and_fields_show_their_result() -> None:
    body = (
        "<w:p><w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r><w:hyperlink><w:r><w:t> link</w:t></w:r>"
        '</w:hyperlink><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r></w:p>'
    )
    assert lines(parse(docx(body))) == [["new 7 link2"]]


def test_a_text_box_is_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('In the box')}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    assert lines(parse(docx(f"<w:p><w:r><w:t>Before</w:t>{both}</w:r></w:p>"))) == [["Before", "In the box"]]


def test_tables_of_word_have_their_merged_cells_and_notes_come_last() -> None:
    cell = "<w:tc><w:tcPr><w:gridSpan w:val='{}'/></w:tcPr>{}</w:tc>"
    inner = f"<w:tbl><w:tr>{cell.format(1, paragraph('x'))}</w:tr></w:tbl>"
    rows = f"<w:tr>{cell.format(2, paragraph('wide'))}</w:tr><w:tr>{cell.format(1, paragraph('a') + inner)}"
    table = f"<w:tbl>{rows}{cell.format(1, paragraph('b'))}</w:tr></w:tbl>"
    notes = (
        f'<w:footnotes {W}><w:footnote w:type="separator">{paragraph("-")}</w:footnote><w:footnote>{paragraph("See")}'
    )
    document = parse(docx(table, footnotes=notes + "</w:footnote></w:footnotes>"))
    assert texts(document, "table") == ["wide\t\na x\tb"]
    assert texts(document, "footnote") == ["See"] and lines(document)[-1] == ["See"]
    check_regions(document)


@pytest.mark.parametrize(
    "kind",
    ["ms-word.document.macroEnabled", "openxmlformats-officedocument.wordprocessingml.template"],
)
def test_documents_with_macros_and_templates_are_word_documents(kind: str) -> None:
    assert parse(docx(paragraph("Text"), kind=kind)).pages[0].text == "Text"


def test_slides_come_in_their_order_with_notes() -> None:
    document = parse(pptx())
    assert lines(document) == [["First", "A point"], ["Second", "Say this"]]
    assert texts(document, "heading") == ["First", "Second"]


def test_a_sheet_is_a_page_of_rows() -> None:
    cell = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
    rows = f'<row r="1">{cell.format("A1", "Drug")}{cell.format("B1", "Day")}{cell.format("C1", "Sum")}</row>'
    rows += (
        '<row r="2"><c r="A2"><v>5</v></c><c r="B2" s="1"><v>43831</v></c><c r="C2"><f>A2*1.5</f><v>7.5</v></c></row>'
    )
    document = parse(xlsx(rows))
    assert lines(document) == [["Doses", "Drug\tDay\tSum", "5\t2020-01-01\t7.5"]]
    assert texts(document, "table") == ["Drug\tDay\tSum\n5\t2020-01-01\t7.5"]


def test_chapters_of_a_book_are_pages() -> None:
    document = parse(epub("<html><h1>One</h1><p>Text</p></html>", "<html><body/></html>", "<html><p>Two</p></html>"))
    assert lines(document) == [["One", "Text"], ["Two"]]
    assert document.metadata["title"] == "A book"


def test_an_opendocument_text_is_read() -> None:
    body = (
        '<text:h text:outline-level="1">Methods</text:h><text:p>A<text:s text:c="2"/>B<text:line-break/>C<text:note>'
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>Note</text:p></text:note-body></text:note></text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b"
        "</text:p></table:table-cell></table:table-row></table:table>"
    )
    document = parse(opendocument("text", body))
    assert lines(document) == [["Methods", "A  B", "C", "a\tb"], ["Note"]]
    assert (texts(document, "footnote"), texts(document, "table")) == (["Note"], ["a\tb"])


def test_sheets_and_slides_of_opendocument_are_pages() -> None:
    row = "<table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row>"
    assert lines(parse(opendocument("spreadsheet", f'<table:table table:name="S">{row}</table:table>'))) == [["S", "1"]]
    slides = "".join(f"<draw:page><draw:frame><text:p>{n}</text:p></draw:frame></draw:page>" for n in "ab")
    assert lines(parse(opendocument("presentation", slides))) == [["a"], ["b"]]


MAIL = (
    b"From: Ada <ada@x.org>\r\nMessage-ID: <1@x.org>\r\nSubject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=\r\nMIME-Version: 1.0\r\n"
)


def test_a_mail_is_its_headers_and_its_plain_body() -> None:
    body = (
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; charset=latin-1\r\n\r\n'
        b"Gr\xf6\xdfe\r\n"
        b"--b\r\nContent-Type: text/html\r\n\r\n<p>no</p>\r\n--b\r\nContent-Type: application/pdf\r\n"
        b'Content-Disposition: attachment; filename="a.pdf"\r\n\r\nx\r\n--b--\r\n'
    )
    document = parse(MAIL + body)
    assert lines(document) == [["From: Ada <ada@x.org>", "Subject: Größe", "Größe", "Attachment: a.pdf"]]
    assert document.metadata["title"] == "Größe"


def test_a_mail_of_html_alone_is_read() -> None:
    assert lines(parse(MAIL + b"Content-Type: text/html\r\n\r\n<p>Hello <b>you</b></p>"))[0][-1] == "Hello you"


def test_rtf_is_text() -> None:
    assert lines(parse(rb"{\rtf1\ansi First\par Gr\'f6\'dfe {\*\hidden no}\par}")) == [["First", "Größe"]]


def test_what_needs_a_password_says_so() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert code_of(ole + "EncryptedPackage".encode("utf-16-le")) == "encrypted"
    assert code_of(ole) == "unsupported_type"
    assert code_of(opendocument("text", "<text:p>x</text:p>", "<manifest><encryption-data/></manifest>")) == "encrypted"


@pytest.mark.parametrize(
    "make", [lambda: docx(paragraph("x" * 5000)), pptx, lambda: xlsx("<row/>"), lambda: epub("<p>x")]
)
def test_a_document_cut_short_is_corrupt(make) -> None:  # type: ignore[no-untyped-def]
    content = make()
    assert code_of(content[: len(content) * 2 // 3]) in ("corrupt", "unsupported_type")


def test_a_word_document_without_its_text_is_corrupt() -> None:
    assert code_of(zipped({"[Content_Types].xml": "<Types/>", "word/document2.xml": "x"})) == "corrupt"
