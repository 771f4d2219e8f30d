"""A service that fails again and again is left alone for a while, so that it does not cost each document its limit."""

import time
from dataclasses import dataclass

FAILURES = 3
REST_SECONDS = 60.0
MOST_DOUBLINGS = 4


@dataclass(slots=True)
class Breaker:
    """Opens after so many failures in a row. When its time is over one call is let through, and decides.

    Each time that call fails too the rest is twice as long, up to a quarter of an hour: it may cost a whole time-out.
    """

    failures: int = FAILURES
    rest_seconds: float = REST_SECONDS
    in_a_row: int = 0
    opened_at: float = 0.0

    def left(self) -> float:
        """Seconds until the service may be asked again; 0 where it may be asked now."""
        if self.in_a_row < self.failures:
            return 0.0
        rest = self.rest_seconds * (1 << min(self.in_a_row - self.failures, MOST_DOUBLINGS))
        return max(0.0, self.opened_at + rest - time.monotonic())

    def failed(self) -> None:
        self.in_a_row += 1
        self.opened_at = time.monotonic()

    def answered(self) -> None:
        self.in_a_row = 0
