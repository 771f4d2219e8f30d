"""The content tells what a document is."""

import gzip
import io
import random
import zipfile

import pytest
from PIL import Image

from scatter_pipelines.parsing.detect import detect
from scatter_pipelines_tests.parsing.pdfs import drawn, says


def zipped(*names: str, first: bytes = b"") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        if first:
            archive.writestr("mimetype", first)
        for name in names:
            archive.writestr(name, "content")
    return out.getvalue()


def picture(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(out, kind)
    return out.getvalue()


OFFICE = "application/vnd.openxmlformats-officedocument."
ODF = "application/vnd.oasis.opendocument."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)
PDF = drawn(says("Hello"))
SAMPLES = {
    "pdf": (PDF, "application/pdf"),
    "pdf after junk": (b"\r\n junk \x00\xff" * 20 + PDF, "application/pdf"),
    "pdf cut short": (PDF[:12], "application/pdf"),
    "text about pdf": (b"A PDF starts with %PDF-1.7, as the standard says.", "text/plain"),
    "text": (b"Patients were randomised.\n", "text/plain"),
    "python": (b"import os\n\nprint(os.name)\n", "text/plain"),
    "json": (b'{"a": [1, 2]}', "text/plain"),
    "csv": (b"a,b\n1,2\n", "text/plain"),
    "less than": (b"<0.05 was taken as significant", "text/plain"),
    "markdown": (b"# Title\n\nText with a [link](http://x.org).\n\n- a point\n", "text/markdown"),
    "utf-16": ("Größe".encode("utf-16"), "text/plain"),
    "cp1252": ("Größe und Gewicht der Kinder".encode("cp1252"), "text/plain"),
    "html": (b"\n<!DOCTYPE HTML PUBLIC>\n<html><body>404</body></html>", "text/html"),
    "html fragment": (b"<!-- error --><HEAD><TITLE>Access denied</TITLE></HEAD>", "text/html"),
    "xhtml": (b'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html/>', "text/html"),
    "jats": (b'<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS">', "application/jats+xml"),
    "jats 1.3": (b'<?xml version="1.0"?>\n<article article-type="x"><front/></article>', "application/jats+xml"),
    "xml": (b'<?xml version="1.0"?><note/>', "application/xml"),
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
    "zip": (zipped("a.txt"), "application/zip"),
    "docx": (zipped("[Content_Types].xml", "word/document.xml"), OFFICE + "wordprocessingml.document"),
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), OFFICE + "spreadsheetml.sheet"),
    "pptx": (zipped("[Content_Types].xml", "ppt/presentation.xml"), OFFICE + "presentationml.presentation"),
    "epub": (zipped("a.xhtml", first=b"application/epub+zip"), "application/epub+zip"),
    "odt": (zipped("content.xml", first=b"application/vnd.oasis.opendocument.text"), ODF + "text"),
    "ods": (zipped("content.xml", first=b"application/vnd.oasis.opendocument.spreadsheet"), ODF + "spreadsheet"),
    "zip that speaks of word": (zipped("word.txt") + b"word/document", "application/zip"),
    "docx cut short": (zipped("word/document.xml", "more")[:-40], OFFICE + "wordprocessingml.document"),
    "mail": (b"Received: from x\n by y\nFrom: a@x.org\nSubject: s\n\nHello", "message/rfc822"),
    "memo": (b"From: Ada\nTo: Bob\nDate: Monday\nSubject: sleep\n\nHello", "text/plain"),
    "mhtml": (b"From: <Saved by Blink>\nSnapshot-Content-Location: x\nMIME-Version: 1.0\n\n", "multipart/related"),
    "locked office": (OLE + "EncryptedPackage".encode("utf-16-le"), "application/x-ole-encrypted"),
    "rtf": (b"{\\rtf1\\ansi text}", "application/rtf"),
    "ps": (b"%!PS-Adobe-3.0\n", "application/postscript"),
    "ole": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "application/x-ole-storage"),
    "gzip": (gzip.compress(b"text"), "application/gzip"),
    "png": (picture("PNG"), "image/png"),
    "jpeg": (picture("JPEG"), "image/jpeg"),
    "gif": (picture("GIF"), "image/gif"),
    "tiff": (picture("TIFF"), "image/tiff"),
    "webp": (picture("WEBP"), "image/webp"),
    "nothing": (b"", "application/x-empty"),
    "zeros": (bytes(5000), "text/plain"),
    "noise": (random.Random(1).randbytes(3000), "application/octet-stream"),
    "small numbers": (bytes([0, 1, 2, 0, 0, 7]) * 50, "application/octet-stream"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_content_decides(name: str) -> None:
    content, expected = SAMPLES[name]
    assert detect(content).name == expected


def test_noise_never_becomes_text() -> None:
    source = random.Random(2)
    noise = [source.randbytes(source.randint(64, 4096)) for _ in range(200)]
    assert {detect(content).name for content in noise} == {"application/octet-stream"}
