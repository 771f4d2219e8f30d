"""The states of tasks and results. What may change into what is enforced by the statements in `store/`."""

from typing import Literal

TaskStatus = Literal["processing", "completed", "completed_with_errors", "failed", "cancelled"]
ResultStatus = Literal["pending", "extracting", "completed", "error", "cancelled"]


Stage = Literal["claimed", "reading", "parsing", "ocr", "annotating", "extracting", "asking", "saving"]
"""The stages of a claim, in order; progress is a later stage or a higher `done` in the same one."""

STAGES: tuple[Stage, ...] = ("claimed", "reading", "parsing", "ocr", "annotating", "extracting", "asking", "saving")
