"""Result rows in the shape in which they are exported."""

from typing import Any

KEYS = (
    "task_id", "result_id", "uri", "filename", "sha256", "columns", "status", "attempt", "error", "fields",
    "usage", "timings", "pages", "run_id", "step_key",
)  # fmt: skip


def found(value: Any, quote: str = "quote", page: int = 1) -> dict[str, Any]:
    """A field with a value; a list has one evidence a member."""
    evidence = {
        "page": page,
        "start": 0,
        "end": len(quote),
        "quote": quote,
        "bbox": [1.0, 2.0, 3.5, 4.5],
        "verified": True,
        "ocr": False,
        "confidence": 0.93,
    }
    return {"value": value, "evidence": [evidence] * (len(value) if isinstance(value, list) else 1)}


NOTHING = {"value": None, "evidence": []}


def row(filename: str = "a.pdf", **other: Any) -> dict[str, Any]:
    values: dict[str, Any] = dict.fromkeys(KEYS) | {
        "task_id": "t", "result_id": "1", "uri": f"file:///{filename}", "filename": filename, "sha256": "00",
        "columns": {}, "status": "completed", "attempt": 1, "fields": {}, "timings": {"parse_ms": 3}, "pages": 2,
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0},
    }  # fmt: skip
    return values | other


def failed(filename: str = "b.pdf", **other: Any) -> dict[str, Any]:
    error = {"code": "encrypted", "stage": "parse", "message": "It needs a password.", "advice": "Take it off."}
    return row(filename, status="error", error=error, pages=None, **other)
