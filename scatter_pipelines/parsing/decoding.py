"""Bytes to text, or None where the bytes are no text. What the text means is not known here."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_C1_CONTROL = re.compile(r"[\x80-\x9f]")
_MOST_CONTROL_IN_UNICODE = 0.10
_MOST_CONTROL_IN_ONE_BYTE = 0.005
_MOST_HIGH_IN_ONE_BYTE = 0.30
_GOOD_TO_BAD = 4


def decode_text(content: bytes) -> str | None:
    """The text, without byte order mark; None for binary data and for encodings that cannot be told.

    UTF-8, UTF-16 and UTF-32 by their mark, else UTF-8 (a few broken characters become U+FFFD), else cp1252.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _if_readable(content[len(mark) :].decode(encoding, "replace"))
    body = content.rstrip(b"\0")
    text = _utf8(body)
    return _one_byte(body) if text is None else _if_readable(text)


def _if_readable(text: str) -> str | None:
    bad = len(_CONTROL.findall(text)) + text.count("\ufffd")
    return text if bad <= _MOST_CONTROL_IN_UNICODE * len(text) else None


def _utf8(content: bytes) -> str | None:
    """Strictly, then with replacements if the characters that are right far outnumber those that are not."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        text = content.decode(errors="replace")
    bad = text.count("\ufffd")
    good = sum(character > "\x7f" for character in text) - bad
    return text if good >= _GOOD_TO_BAD * bad else None


def _one_byte(content: bytes) -> str | None:
    """Western European text: mostly ASCII, hardly a control character. Anything else would be a guess."""
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    control = len(_CONTROL.findall(text)) + len(_C1_CONTROL.findall(text))
    high = sum(byte > 0x7F for byte in content)
    if control > _MOST_CONTROL_IN_ONE_BYTE * len(text) or high > _MOST_HIGH_IN_ONE_BYTE * len(text):
        return None
    return text
