"""RTF through striprtf: one page, a line a paragraph; the cells of a row are parted by `|`."""

from importlib.metadata import version

from striprtf.striprtf import rtf_to_text

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.model.document import Document
from scatter_pipelines.parsing.detect import RTF
from scatter_pipelines.parsing.protocol import ParseLimits, Progress
from scatter_pipelines.parsing.sectioned import Sectioned


class RtfParser:
    """Codes raised: empty, corrupt, too_large."""

    name = "rtf"
    version = f"1 (striprtf {version('striprtf')})"

    def parse(self, content: bytes, *, limits: ParseLimits, progress: Progress) -> Document:
        try:
            text = rtf_to_text(content.decode("latin-1"), errors="replace")
        except (ValueError, LookupError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise DocumentError(
                "corrupt", f"The RTF cannot be read ({type(error).__name__}): save it again."
            ) from error
        writer = Sectioned(limits, progress)
        for line in text.splitlines():
            writer.block(line)
        return writer.finish(RTF.name, f"{self.name} {self.version}")
