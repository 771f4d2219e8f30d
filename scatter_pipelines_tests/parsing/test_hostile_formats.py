"""Documents made to hurt: each ends in a code, in bounded memory, with nothing fetched and nothing written."""

import functools
import io
import multiprocessing
import os
import resource
import socket
import struct
import threading
import zipfile
import zlib
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.parsing.parse import parse_document
from scatter_pipelines.parsing.protocol import ParseLimits
from scatter_pipelines_tests.parsing.office_files import (
    docx,
    epub,
    opendocument,
    paragraph,
    pptx,
    relations,
    types,
    xlsx,
    zipped,
)
from scatter_pipelines_tests.parsing.pdfs import parse
from scatter_pipelines_tests.parsing.regions import check_regions, lines
from scatter_pipelines_tests.parsing.test_jats import BODY, FRONT, article

GIB = 1024**3
MEMORY = GIB


def code_of(content: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(content)
    return caught.value.code


@functools.cache
def deflated(size: int) -> bytes:
    """`size` spaces, packed without holding them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = b" " * 2**20
    return b"".join(packer.compress(piece) for _ in range(size // len(piece))) + packer.flush()


def bomb(parts: dict[str, str], name: str, size: int, claimed: int) -> bytes:
    """An archive whose part `name` unpacks to `size` bytes and claims to be of `claimed`."""
    packed = deflated(size)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
        archive.writestr(name, packed)
    content = bytearray(out.getvalue())
    for signature, at in ((b"PK\x03\x04", 30), (b"PK\x01\x02", 46)):
        start = content.rfind(signature + b"", 0, content.rfind(name.encode()) if at == 46 else content.find(packed))
        method, length = (8, 22) if at == 30 else (10, 24)
        struct.pack_into("<H", content, start + method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", content, start + length, claimed)
    return bytes(content)


WORD = {"[Content_Types].xml": types("word/document.xml", "openxmlformats-officedocument.wordprocessingml.document")}
BOOK = {"META-INF/container.xml": '<a><rootfile full-path="a.opf"/></a>'}
SHEET = {"[Content_Types].xml": types("xl/workbook.xml", "openxmlformats-officedocument.spreadsheetml.sheet")}


def _parse_in_child(content: bytes, results: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        parse_document(content, limits=ParseLimits(), progress=lambda done, total: None)
        results.send("completed")
    except DocumentError as error:
        results.send(error.code)


def in_child(content: bytes) -> str:
    """The code, from a process that may use a gibibyte in all."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("spawn").Process(target=_parse_in_child, args=(content, theirs))
    child.start()
    theirs.close()
    try:
        return str(ours.recv())
    except EOFError:
        return "died"
    finally:
        child.join(60)


@pytest.mark.parametrize("claimed", [GIB, 100])
@pytest.mark.parametrize(
    ("parts", "name"),
    [(WORD, "word/document.xml"), (BOOK, "a.opf"), (SHEET | {"xl/workbook.xml": "<a/>"}, "xl/worksheets/sheet1.xml")],
)
def test_a_bomb_of_a_gibibyte_ends_in_a_code_in_bounded_memory(parts: dict[str, str], name: str, claimed: int) -> None:
    assert in_child(bomb(parts, name, GIB, claimed)) in ("too_large", "corrupt")


@pytest.mark.parametrize(
    ("far", "code"),
    [
        ('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "too_large"),
        ("<row r='99999'><c\nr = 'XFD99999'><v>1</v></c></row>", "too_large"),
        ('<row r="999999999"><c><v>1</v></c></row>', "corrupt"),
        ('<row r="2"><c r="A&#57;9999999"><v>1</v></c></row>', "corrupt"),
    ],
)
def test_two_cells_far_apart_do_not_fill_memory(far: str, code: str) -> None:
    assert in_child(xlsx(f'<row r="1"><c r="A1"><v>1</v></c></row>{far}')) == code


def test_an_archive_of_too_many_parts_is_refused() -> None:
    parts = {f"word/{number}": "" for number in range(20_001)}
    assert code_of(zipped({**WORD, "word/document.xml": "<a/>", **parts}, packed=False)) == "too_large"


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:/out.txt", "..\\out.txt"])
def test_a_part_that_leaves_the_archive_is_refused_and_nothing_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert code_of(zipped({**WORD, "word/document.xml": "<a/>", name: "x"})) == "corrupt"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "spine", ["../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "%2e%2e/%2e%2e/etc/passwd"]
)
def test_a_book_that_names_a_file_outside_is_refused(spine: str) -> None:
    assert code_of(epub("<p>One</p>", spine=spine)) == "corrupt"


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(10))
DECLARED = {
    "laughs": f"<!DOCTYPE article [{LAUGHS}]>",
    "external": '<!DOCTYPE article [<!ENTITY a9 SYSTEM "{secret}">]>',
    "parameter": '<!DOCTYPE article [<!ENTITY % p SYSTEM "{secret}"> %p;]>',
}


@pytest.mark.parametrize("kind", DECLARED)
def test_entities_of_the_files_own_are_not_expanded(kind: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('<!ENTITY a9 "secret">')
    doctype = DECLARED[kind].replace("{secret}", secret.as_uri())
    content = f"{doctype}<article><body><p>&a9;</p></body></article>".encode()
    assert in_child(content) == "corrupt"
    assert in_child(content.decode().encode("utf-16")) == "corrupt"


@pytest.fixture
def requests() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server on this machine, and what it is asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    asked.append(connection.recv(1000))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/x", asked
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def test_nothing_a_document_refers_to_is_fetched(requests: tuple[str, list[bytes]]) -> None:
    url, asked = requests
    tags = f'<img src="{url}"><script src="{url}"></script><link rel="stylesheet" href="{url}"><iframe src="{url}">'
    doctype = f'<!DOCTYPE article PUBLIC "x" "{url}">'
    external = relations(("styles", url), ("image", url)).replace(
        "<Relationship ", '<Relationship TargetMode="External" '
    )
    parts = {"word/document.xml": f"<a><p>{paragraph('Text').replace('w:', '')}</p></a>"}
    for content in (
        f"<html>{tags}</iframe><p>Text".encode(),
        article("<body><p>Text</p></body>", doctype=doctype),
        zipped({**WORD, **parts, "word/_rels/document.xml.rels": external}),
        epub(f"<html>{tags}</iframe><p>Text"),
    ):
        assert "Text" in lines(parse(content))[0]
    with socket.create_connection(("127.0.0.1", int(url.split(":")[2].split("/")[0]))) as own:
        own.sendall(b"own")
    for _ in range(500):
        if asked:
            break
        threading.Event().wait(0.01)
    assert asked == [b"own"]


MADE = {
    "docx": docx(paragraph("Methods", "berschrift1") + paragraph("Text")),
    "pptx": pptx(),
    "xlsx": xlsx('<row r="1"><c r="A1"><v>1</v></c></row>'),
    "epub": epub("<h1>One</h1>"),
    "odt": opendocument("text", "<text:p>x</text:p>"),
    "jats": article(FRONT, BODY),
    "rtf": rb"{\rtf1\ansi First\par {\b x}\u8211 ?}",
    "eml": b"From: a@x.org\nMessage-ID: <1>\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n--b--\n",
}


@pytest.mark.parametrize("kind", MADE)
@given(data=st.data())
def test_a_damaged_document_ends_in_a_document_or_a_code(kind: str, data: st.DataObject) -> None:
    content = bytearray(MADE[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    kept = data.draw(st.integers(len(content) // 2, len(content)))
    try:
        check_regions(parse(bytes(content[:kept]), ParseLimits(max_pages=100, max_characters=100_000)))
    except DocumentError as error:
        assert error.code in ("corrupt", "empty", "encrypted", "too_large", "unsupported_type")


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(tmp_path)
    try:
        child = context.Process(target=_parse_all)
        child.start()
        child.join(60)
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
    assert child.exitcode == 0
    assert list(tmp_path.iterdir()) == []


def _parse_all() -> None:
    for content in MADE.values():
        parse(content)
