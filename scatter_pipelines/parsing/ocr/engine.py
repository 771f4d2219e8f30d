"""The OCR engine of the extra `[ocr]`: RapidOCR, which carries its models (PP-OCRv6 small), on ONNX Runtime.

Nothing is downloaded: the models it starts with are files of its package. It is imported late, as it takes a second and
much memory and most documents need none of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from statistics import mean
from typing import Any

from scatter_pipelines.model.document import Box
from scatter_pipelines.parsing.ocr.order import in_reading_order
from scatter_pipelines.parsing.ocr.turned import turned_back
from scatter_pipelines.parsing.placed import Line, PlacedWord
from scatter_pipelines.parsing.protocol import Picture

_REVISION = 1
"""Goes up with every change that makes other text or boxes of the same picture."""
_PARAMETERS = {
    "Global.log_level": "critical",
    "Global.text_score": 0.0,
    "Global.max_side_len": 4_000,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
_LEAST_SCORE = 0.5
_DOUBTFUL_SCORE = 0.8
_SAMPLE = 6
_TALL = 1.5
_SIZE_IN_LINE = 0.75
"""Font size, in heights of the line's box."""

Image = Any
"""Rows of pixels as numpy's array: height, width, 3 bytes."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One line: text, how sure the engine is (0 to 1), its box and those of its characters but spaces, in pixels."""

    text: str
    score: float
    box: Box
    characters: Sequence[Box]


def installed() -> bool:
    """Whether the extra `[ocr]` is there."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def engine_version() -> str:
    """What the text of a picture depends on."""
    return f"{_REVISION} (rapidocr {version('rapidocr')}, onnxruntime {version('onnxruntime')})"


class Engine:
    """One in a process; about a second to make."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR  # noqa: PLC0415  an extra, and heavy

        self._ocr = RapidOCR(params=_PARAMETERS)

    def read(self, picture: Picture) -> list[Line]:
        """The lines in reading order, boxes in points. Pages that lie on a side or on the head are turned."""
        import numpy  # noqa: PLC0415  comes with the extra

        image = numpy.frombuffer(picture.pixels, numpy.uint8).reshape(picture.rows, picture.columns, 3)
        found = self._lines(image)
        turns = self._turns(image, found)
        if turns:
            found = self._lines(numpy.ascontiguousarray(numpy.rot90(image, turns)))
        scale = picture.width / picture.columns
        pieces = [words for line in found if (words := _words(line, scale))]
        ordered = in_reading_order(pieces)
        return turned_back(ordered, turns, picture.width, picture.height) if turns else ordered

    def _lines(self, image: Image) -> list[_Found]:
        read = self._ocr(image, use_cls=False, return_word_box=True, return_single_char_box=True)
        if read.boxes is None or read.txts is None:
            return []
        lines = zip(read.boxes.tolist(), read.txts, read.scores, _by_line(read), strict=True)
        return [
            _Found(text, score, _around(corners), characters)
            for corners, text, score, characters in lines
            if score >= _LEAST_SCORE
        ]

    def _turns(self, image: Image, found: Sequence[_Found]) -> int:
        """Quarter turns to the left that bring the page upright: those in which its longest lines read best."""
        sample = sorted(found, key=lambda line: -_length(line.box))[:_SAMPLE]
        if not sample:
            return 0
        on_side = sum(_is_tall(line.box) for line in sample) * 2 > len(sample)
        if not on_side and mean(line.score for line in sample) >= _DOUBTFUL_SCORE:
            return 0
        boxes = [line.box for line in sample if _is_tall(line.box) == on_side]
        choices = (1, 3) if on_side else (0, 2)
        return max(choices, key=lambda turns: self._score(image, boxes, turns))

    def _score(self, image: Image, boxes: Sequence[Box], turns: int) -> float:
        import numpy  # noqa: PLC0415  comes with the extra

        scores = []
        for left, top, right, bottom in (tuple(map(int, box)) for box in boxes):
            crop = numpy.ascontiguousarray(numpy.rot90(image[max(top, 0) : bottom, max(left, 0) : right], turns))
            read = self._ocr(crop, use_det=False, use_cls=False)
            scores.append(read.scores[0] if read.scores else 0.0)
        return mean(scores)


def _by_line(read: Any) -> Iterator[Sequence[Box]]:
    """The boxes of each line's characters; none where the engine has lost count of them."""
    words = list(read.word_results or ())
    for text in read.txts:
        characters = words.pop(0) if words and "".join(part[0] for part in words[0]) == "".join(text.split()) else ()
        yield [_around(part[2]) for part in characters]


def _around(corners: Sequence[Sequence[float]]) -> Box:
    across, down = [float(corner[0]) for corner in corners], [float(corner[1]) for corner in corners]
    return (min(across), min(down), max(across), max(down))


def _length(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _is_tall(box: Box) -> bool:
    return box[3] - box[1] > _TALL * (box[2] - box[0])


def _words(line: _Found, scale: float) -> list[PlacedWord]:
    """The line's words, each as high as the line, as wide as its characters."""
    size = (line.box[3] - line.box[1]) * scale * _SIZE_IN_LINE
    spans = _spans(line)
    return [
        PlacedWord(text, (left * scale, line.box[1] * scale, right * scale, line.box[3] * scale), size, bold=False)
        for text, (left, right) in zip(line.text.split(), spans, strict=True)
    ]


def _spans(line: _Found) -> list[tuple[float, float]]:
    """From where to where each word goes; by the share of letters where the characters' places are not known."""
    words = line.text.split()
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    if len(line.characters) == ends[-1]:
        return [(line.characters[start][0], line.characters[end - 1][2]) for start, end in pairwise(ends)]
    letter = (line.box[2] - line.box[0]) / max(len(" ".join(words)), 1)
    left = line.box[0]
    return [
        (left + letter * (start + at), left + letter * (end + at)) for at, (start, end) in enumerate(pairwise(ends))
    ]
