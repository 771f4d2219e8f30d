"""The OCR engine of the extra `[ocr]`: RapidOCR, which carries its models (PP-OCRv6 small), on ONNX Runtime.

Nothing is downloaded: the models it starts with are files of its package. It is imported late, as it takes a second and
much memory and most documents need none of it.
"""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from statistics import mean
from typing import Any

from scatter_pipelines.model.document import Box
from scatter_pipelines.parsing.ocr.found import Found, around, is_among, is_tall, length, moved, regions, words_of
from scatter_pipelines.parsing.ocr.order import in_reading_order
from scatter_pipelines.parsing.ocr.sizes import with_sizes
from scatter_pipelines.parsing.ocr.turned import turned_back
from scatter_pipelines.parsing.placed import Line
from scatter_pipelines.parsing.protocol import Picture

_REVISION = 1
"""Goes up with every change that makes other text or boxes of the same picture."""
_PARAMETERS = {
    "Global.log_level": "critical",
    "Global.text_score": 0.0,
    "Global.max_side_len": 4_000,
    # Measured on pages of 200 dpi: a third of the time and half the memory of the defaults, and no line lost.
    "Det.limit_type": "max",
    "Det.limit_side_len": 1_600,
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
_READ = {"use_cls": False, "use_rec": True, "return_word_box": True, "return_single_char_box": True}
"""Said in every call: the engine goes on with what it was told last."""
_GLANCE = 736
"""Longer side, in pixels, of the page as it is looked at once more."""
_LEAST_SCORE = 0.5
_DOUBTFUL_SCORE = 0.8
_SAMPLE = 6

Image = Any
"""Rows of pixels as numpy's array: height, width, 3 bytes."""


def installed() -> bool:
    """Whether the extra `[ocr]` is there."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def engine_version() -> str:
    """What the text of a picture depends on."""
    return f"{_REVISION} (rapidocr {version('rapidocr')}, onnxruntime {version('onnxruntime')})"


class Engine:
    """One in a process; about a second to make."""

    def __init__(self) -> None:
        import cv2  # noqa: PLC0415  comes with the extra
        import numpy  # noqa: PLC0415  comes with the extra
        from rapidocr import RapidOCR  # noqa: PLC0415  the extra, and heavy

        self._ocr: Any = RapidOCR(params=_PARAMETERS)
        self._numpy = numpy
        self._cv2 = cv2

    def read(self, picture: Picture) -> list[Line]:
        """The lines in reading order, boxes in points. Pages that lie on a side or on the head are turned."""
        pixels = self._numpy.frombuffer(picture.pixels, self._numpy.uint8)
        image = pixels.reshape(picture.rows, picture.columns, 3)
        found = self._lines(image)
        turns = self._turns(image, found)
        if turns:
            found = self._lines(self._turned(image, turns))
        scale = picture.width / picture.columns
        ordered = with_sizes(in_reading_order([words for line in found if (words := words_of(line, scale))]))
        return turned_back(ordered, turns, picture.width, picture.height) if turns else ordered

    def _turned(self, image: Image, turns: int) -> Image:
        return self._numpy.ascontiguousarray(self._numpy.rot90(image, turns))

    def _lines(self, image: Image) -> list[Found]:
        """All lines; short ones on a page that is mostly blank are seen only with little around them."""
        found = self._seen(image)
        for left, top, right, bottom in self._overlooked(image, found):
            crop = self._numpy.ascontiguousarray(image[top:bottom, left:right])
            more = [moved(line, left, top) for line in self._seen(crop)]
            found += [line for line in more if not is_among(line.box, [other.box for other in found])]
        return found

    def _seen(self, image: Image) -> list[Found]:
        read = self._ocr(image, use_det=True, **_READ)
        if read.boxes is None or read.txts is None:
            return []
        lines = zip(read.boxes.tolist(), read.txts, read.scores, _by_line(read), strict=True)
        return [
            Found(text, score, around(corners), characters)
            for corners, text, score, characters in lines
            if score >= _LEAST_SCORE
        ]

    def _overlooked(self, image: Image, found: Sequence[Found]) -> list[tuple[int, int, int, int]]:
        """Parts of the image, as (left, top, right, bottom), where a glance at the whole sees lines not found."""
        rows, columns = image.shape[:2]
        shrunk = min(_GLANCE / max(rows, columns), 1.0)
        size = (max(int(columns * shrunk), 1), max(int(rows * shrunk), 1))
        small = self._cv2.resize(image, size, interpolation=self._cv2.INTER_AREA)
        seen = self._ocr(small, use_det=True, use_cls=False, use_rec=False)
        if seen.boxes is None:
            return []
        known = [line.box for line in found]
        glimpsed = [tuple(side / shrunk for side in around(corners)) for corners in seen.boxes.tolist()]
        return regions([box for box in glimpsed if not is_among(box, known)], columns, rows)

    def _turns(self, image: Image, found: Sequence[Found]) -> int:
        """Quarter turns to the left that bring the page upright: those in which its longest lines read best."""
        sample = sorted(found, key=lambda line: -length(line.box))[:_SAMPLE]
        if not sample:
            return 0
        on_side = sum(is_tall(line.box) for line in sample) * 2 > len(sample)
        if not on_side and mean(line.score for line in sample) >= _DOUBTFUL_SCORE:
            return 0
        boxes = [line.box for line in sample if is_tall(line.box) == on_side]
        return max((1, 3) if on_side else (0, 2), key=lambda turns: self._score(image, boxes, turns))

    def _score(self, image: Image, boxes: Sequence[Box], turns: int) -> float:
        scores = []
        for left, top, right, bottom in (tuple(map(int, box)) for box in boxes):
            crop = self._turned(image[max(top, 0) : bottom, max(left, 0) : right], turns)
            read = self._ocr(crop, use_det=False, **_READ)
            scores.append(read.scores[0] if read.scores else 0.0)
        return mean(scores)


def _by_line(read: Any) -> Iterator[Sequence[Box]]:
    """The boxes of each line's characters; none where the engine has lost count of them."""
    words = list(read.word_results or ())
    for text in read.txts:
        characters = words.pop(0) if words and "".join(part[0] for part in words[0]) == "".join(text.split()) else ()
        yield [around(part[2]) for part in characters]
