"""Plain text and Markdown: one page, or one for each form feed. Offsets count in the page's text."""

import re

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document, Page
from scatter_pipelines.parsing.decoding import decode_text
from scatter_pipelines.parsing.detect import MediaType
from scatter_pipelines.parsing.protocol import ParseLimits, Progress

_LINE_END = re.compile(r"\r\n?|[\u0085\u2028\u2029]")
_UNWANTED = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class TextParser:
    """Keeps the text as it is, but for line ends (all become `\\n`) and control characters (dropped; tabs stay)."""

    name = "text"
    version = "1"

    def __init__(self, media_type: MediaType) -> None:
        self.media_type = media_type

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        texts = self._readable(content).split("\f")
        _check(texts, limits)
        progress(len(texts), len(texts))
        pages = tuple(Page(number, text) for number, text in enumerate(texts, start=1))
        return Document(pages, self.media_type.name, f"{self.name} {self.version}")

    def _readable(self, content: bytes) -> str:
        text = decode_text(content)
        if text is None:
            raise DocumentError("unsupported_type", "The text is in an encoding that cannot be told: save it as UTF-8.")
        return _UNWANTED.sub("", _LINE_END.sub("\n", text))


def _check(texts: list[str], limits: ParseLimits) -> None:
    characters = sum(map(len, texts))
    if not any(text.strip() for text in texts):
        raise DocumentError("empty", "The document holds nothing but white space.")
    if len(texts) > limits.max_pages:
        raise DocumentError("too_large", f"{len(texts)} pages, more than the {limits.max_pages} allowed.")
    if characters > limits.max_characters:
        raise DocumentError("too_large", f"{characters} characters, more than the {limits.max_characters} allowed.")
