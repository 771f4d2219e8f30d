"""How fast an endpoint may be asked, over all processes: requests and tokens a minute, and pauses it asked for.

One row an endpoint. Each limit is a generic cell rate algorithm (ITU-T I.371): the row holds the instant at which the
calls made so far would be due at an even pace, and a call may be made up to BURST_SECONDS before it is due.
"""

from sqlalchemy import Connection, text

BURST_SECONDS = 5.0
"""So much of a minute's calls may come at once. The pace is slower by as much, so that no minute sees too many."""
FAILURES_BEFORE_PAUSE = 3
LONGEST_PAUSE = 300.0

KNOW = text("INSERT INTO scatter.llm_pace (endpoint) VALUES (:endpoint) ON CONFLICT DO NOTHING")

TAKE_TURN = text("""
    -- one call more, if it is not too early by any limit
    UPDATE scatter.llm_pace
       SET requests_at = greatest(requests_at, clock_timestamp()) + make_interval(secs => :request_seconds),
           tokens_at = greatest(tokens_at, clock_timestamp()) + make_interval(secs => :token_seconds)
     WHERE endpoint = :endpoint AND paused_until <= clock_timestamp()
       AND requests_at <= clock_timestamp() + make_interval(secs => :burst)
       AND tokens_at <= clock_timestamp() + make_interval(secs => :burst)
    RETURNING endpoint
""")

PAUSED = text("""
    -- seconds until the pause is over, if there is one
    SELECT extract(epoch FROM paused_until - clock_timestamp())::float8
      FROM scatter.llm_pace WHERE endpoint = :endpoint AND paused_until > clock_timestamp()
""")

WAIT = text("""
    -- seconds until the next call may be made
    SELECT extract(epoch FROM greatest(
               paused_until,
               requests_at - make_interval(secs => :burst),
               tokens_at - make_interval(secs => :burst)) - clock_timestamp())::float8
      FROM scatter.llm_pace WHERE endpoint = :endpoint
""")

PAUSE = text("""
    -- the endpoint asked to be left alone for a while
    UPDATE scatter.llm_pace
       SET paused_until = greatest(paused_until, clock_timestamp() + make_interval(secs => :seconds))
     WHERE endpoint = :endpoint
""")

FAILED = text("""
    -- one more failure in a row; from the third on everybody pauses, twice as long each time
    UPDATE scatter.llm_pace
       SET failures = failures + 1,
           paused_until = CASE WHEN failures + 1 < :before THEN paused_until ELSE greatest(
               paused_until, clock_timestamp() + make_interval(secs => least(
                   CAST(:longest AS float8), :seconds * power(2, least(failures + 1 - :before, 20))))) END
     WHERE endpoint = :endpoint AND paused_until <= clock_timestamp()
""")

ANSWERED = text("""
    -- the endpoint works
    UPDATE scatter.llm_pace SET failures = 0 WHERE endpoint = :endpoint AND failures > 0
""")


def know(connection: Connection, endpoint: str) -> None:
    connection.execute(KNOW, {"endpoint": endpoint})


def take_turn(
    connection: Connection, endpoint: str, *, requests_per_minute: float, tokens_per_minute: float, tokens: int
) -> float:
    """0: the call may be made now; otherwise seconds until it may be tried again. A limit of 0 is none."""
    if not (requests_per_minute or tokens_per_minute):
        return float(connection.execute(PAUSED, {"endpoint": endpoint}).scalar_one_or_none() or 0.0)
    values = {
        "endpoint": endpoint,
        "request_seconds": _seconds(1, requests_per_minute),
        "token_seconds": _seconds(tokens, tokens_per_minute),
        "burst": BURST_SECONDS,
    }
    if connection.execute(TAKE_TURN, values).first() is not None:
        return 0.0
    wait = connection.execute(WAIT, {"endpoint": endpoint, "burst": BURST_SECONDS}).scalar_one()
    return max(0.01, float(wait))


def _seconds(amount: float, per_minute: float) -> float:
    """What `amount` puts the next call off by. With the burst, and the call that comes last, no minute has too much."""
    if not per_minute:
        return 0.0
    return amount * (60.0 + BURST_SECONDS) / max(per_minute - amount, per_minute / 2)


def pause(connection: Connection, endpoint: str, seconds: float) -> None:
    connection.execute(PAUSE, {"endpoint": endpoint, "seconds": seconds})


def failed(connection: Connection, endpoint: str, seconds: float) -> None:
    """`seconds` is the first pause. Failures of calls that were under way when a pause began do not prolong it."""
    values = {"endpoint": endpoint, "seconds": seconds, "before": FAILURES_BEFORE_PAUSE, "longest": LONGEST_PAUSE}
    connection.execute(FAILED, values)


def answered(connection: Connection, endpoint: str) -> None:
    connection.execute(ANSWERED, {"endpoint": endpoint})
