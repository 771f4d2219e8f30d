"""EML: a mail with its most telling headers and its body. Attachments are named, not opened."""

import email.message
import email.policy
from email.errors import MessageError
from email.parser import BytesParser

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.decoding import decode_text
from scatter_pipelines.parsing.detect import EML
from scatter_pipelines.parsing.markup.html import parse_html, write_html
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_DEEPEST = 50


class EmlParser:
    """Codes raised: empty, corrupt, too_large. The plain body is preferred to the HTML one."""

    name = "eml"
    version = "1"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        try:
            message = BytesParser(policy=email.policy.default.clone(max_line_length=None)).parsebytes(content)
            headers = {name: " ".join(str(message[name]).split()) for name in _HEADERS if message[name]}
            writer = Sectioned(limits, progress)
            for name, value in headers.items():
                writer.block(f"{name}: {value}")
            self._write_body(writer, list(_parts(message)))
        except (MessageError, LookupError, ValueError, AttributeError, TypeError, IndexError, RecursionError) as error:
            raise DocumentError(
                "corrupt", f"The mail cannot be read ({type(error).__name__}): save it again."
            ) from error
        metadata = {
            "title": headers.get("Subject", ""),
            "author": headers.get("From", ""),
            "date": headers.get("Date", ""),
        }
        return writer.finish(EML.name, f"{self.name} {self.version}", metadata)

    @staticmethod
    def _write_body(writer: Sectioned, parts: list[email.message.Message]) -> None:
        shown = [part for part in parts if part.get_content_disposition() != "attachment" and not part.get_filename()]
        plain = [part for part in shown if part.get_content_type() == "text/plain"]
        for part in plain:
            for line in _text(part).splitlines():
                writer.block(line)
        for part in shown if not plain else []:
            if part.get_content_type() == "text/html" and (payload := _payload(part)).strip():
                write_html(writer, parse_html(payload))
        for part in parts:
            if part not in shown:
                writer.block(f"Attachment: {part.get_filename() or part.get_content_type()}")


def _parts(message: email.message.Message) -> list[email.message.Message]:
    """All that hold content, in order; a mail within the mail counts as an attachment."""
    found: list[email.message.Message] = []
    waiting = [(message, 0)]
    while waiting:
        part, depth = waiting.pop()
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list) and depth < _DEEPEST:
            waiting += [(one, depth + 1) for one in reversed(inner) if isinstance(one, email.message.Message)]
        else:
            found.append(part)
    return found


def _payload(part: email.message.Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: email.message.Message) -> str:
    payload = _payload(part)
    try:
        return payload.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return decode_text(payload) or payload.decode("latin-1")
