"""How a journal's pages look: sizes, margins and fonts by kind of paper."""

from dataclasses import dataclass

from scatter_pipelines_tests.generator.layout import Style
from scatter_pipelines_tests.generator.model import PaperKind
from scatter_pipelines_tests.generator.words import Journal

_A4, _LETTER = (595.28, 841.89), (612.0, 792.0)


@dataclass(frozen=True, slots=True)
class House:
    """Lengths in points."""

    page_size: tuple[float, float]
    margin: float
    columns: int
    gutter: float
    size: float
    serif: bool
    centred: bool
    abstract_in_column: bool
    numbered: bool
    spacing: float = 1.22
    note_height: float = 24.0

    @property
    def font(self) -> str:
        return "Times-Roman" if self.serif else "Helvetica"

    @property
    def bold(self) -> str:
        return "Times-Bold" if self.serif else "Helvetica-Bold"

    @property
    def italic(self) -> str:
        return "Times-Italic" if self.serif else "Helvetica-Oblique"

    @property
    def bottom(self) -> float:
        return self.margin

    @property
    def text_width(self) -> float:
        return self.page_size[0] - 2 * self.margin

    @property
    def column_width(self) -> float:
        return (self.text_width - (self.columns - 1) * self.gutter) / self.columns

    def style(self, scale: float = 1.0, **changes: object) -> Style:
        """Body text, enlarged by `scale`; `changes` are fields of `Style`."""
        size = round(self.size * scale, 1)
        fields: dict[str, object] = {"font": self.font, "size": size, "leading": round(size * self.spacing, 1)}
        return Style(**(fields | changes))  # type: ignore[arg-type]


def house_of(journal: Journal, kind: PaperKind, *, brief: bool) -> House:
    """`brief` sets a one-column paper small and tight whatever the journal does."""
    common: dict[str, bool] = {"serif": journal.serif, "numbered": journal.numbered}
    smaller = 0.0 if journal.serif else 0.7
    if kind == "one_column":
        size, spacing = (9.2 - smaller, 1.22) if brief else (10.5 - smaller, journal.spacing)
        return House(_A4, 72, 1, 0, size, centred=journal.serif, abstract_in_column=False, spacing=spacing, **common)
    size = 9.6 - smaller
    if kind == "two_column":
        return House(_LETTER, 50, 2, 18, size, centred=False, abstract_in_column=False, **common)
    return House(_A4, 48, 2, 16, size, centred=False, abstract_in_column=True, **common)
