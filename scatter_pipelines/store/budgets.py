"""What calls to an LLM cost: each is written down before it is made, with the most it may cost, and settled after.

`task_budget` has the limits and the two sums they are held against; `llm_call` is the ledger that the sums are made of.
Both are changed by the same statement. Amounts are in US dollars, as exact decimals.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from sqlalchemy import Connection, text

from scatter_pipelines.model.result import Claim

OPEN = text("""
    -- the budget of a task that may make calls
    INSERT INTO scatter.task_budget (task_id, limit_usd, document_limit_usd) VALUES (:task_id, :limit, :document_limit)
    ON CONFLICT (task_id) DO NOTHING
""")

CHANGE = text("""
    -- an operator's new limits; null leaves the one there is
    UPDATE scatter.task_budget
       SET limit_usd = coalesce(CAST(:limit AS numeric), limit_usd),
           document_limit_usd = coalesce(CAST(:document_limit AS numeric), document_limit_usd)
     WHERE task_id = :task_id
    RETURNING limit_usd, document_limit_usd, spent_usd, reserved_usd
""")

READ = text("""
    SELECT limit_usd, document_limit_usd, spent_usd, reserved_usd FROM scatter.task_budget WHERE task_id = :task_id
""")

DOCUMENT_SPENT = """(SELECT coalesce(sum(coalesce(c.cost_usd, c.reserved_usd)), 0)
                       FROM scatter.llm_call c WHERE c.result_id = :result_id)"""

RESERVE = text(f"""
    -- sets the most that a call may cost aside, if task and document have as much left and the claim still holds
    WITH budget AS (
        UPDATE scatter.task_budget b SET reserved_usd = b.reserved_usd + CAST(:worst AS numeric)
         WHERE b.task_id = :task_id
           AND (b.limit_usd IS NULL OR b.spent_usd + b.reserved_usd + CAST(:worst AS numeric) <= b.limit_usd)
           AND (b.document_limit_usd IS NULL
                OR {DOCUMENT_SPENT} + CAST(:worst AS numeric) <= b.document_limit_usd)
           AND EXISTS (SELECT FROM scatter.extraction_result r
                        WHERE r.id = :result_id AND r.status = 'extracting' AND r.claim_token = :token)
        RETURNING b.task_id
    )
    INSERT INTO scatter.llm_call (task_id, result_id, attempt, model, reserved_usd, characters)
    SELECT task_id, :result_id, :attempt, :model, CAST(:worst AS numeric), :characters FROM budget
    RETURNING id
""")

LEFT = text(f"""
    -- what a call may still cost, without and with what others have set aside
    SELECT b.limit_usd - b.spent_usd AS of_task, b.limit_usd - b.spent_usd - b.reserved_usd AS of_task_now,
           b.document_limit_usd - {DOCUMENT_SPENT} AS of_document
      FROM scatter.task_budget b WHERE b.task_id = :task_id
""")

SETTLE = text("""
    -- a call's end: what was set aside is let go and what it cost is spent; also of one that was given up for lost
    WITH before AS (
        SELECT id, task_id, state, reserved_usd, cost_usd FROM scatter.llm_call WHERE id = :id FOR UPDATE
    ), call AS (
        UPDATE scatter.llm_call c
           SET state = :state, ended_at = clock_timestamp(), input_tokens = :input_tokens,
               output_tokens = :output_tokens,
               cost_usd = CASE WHEN :state = 'lost' THEN c.reserved_usd ELSE CAST(:cost AS numeric) END
          FROM before
         WHERE c.id = before.id AND before.state IN ('reserved', 'lost')
        RETURNING c.task_id, c.cost_usd, before.state, before.reserved_usd, before.cost_usd AS counted
    )
    UPDATE scatter.task_budget b
       SET reserved_usd = b.reserved_usd - CASE WHEN call.state = 'reserved' THEN call.reserved_usd ELSE 0 END,
           spent_usd = b.spent_usd + coalesce(call.cost_usd, 0)
                     - CASE WHEN call.state = 'lost' THEN coalesce(call.counted, 0) ELSE 0 END
      FROM call WHERE b.task_id = call.task_id
""")

WRITE_OFF = text("""
    -- calls whose worker is gone: nobody knows what they cost, so they count as the most they may have cost
    WITH call AS (
        UPDATE scatter.llm_call c SET state = 'lost', ended_at = clock_timestamp(), cost_usd = c.reserved_usd
         WHERE c.state = 'reserved'
           AND NOT EXISTS (SELECT FROM scatter.extraction_result r
                            WHERE r.id = c.result_id AND r.status = 'extracting' AND r.attempt = c.attempt)
        RETURNING c.task_id, c.reserved_usd
    ), total AS (SELECT task_id, sum(reserved_usd) AS usd, count(*) AS n FROM call GROUP BY task_id),
    budget AS (
        UPDATE scatter.task_budget b SET reserved_usd = b.reserved_usd - total.usd, spent_usd = b.spent_usd + total.usd
          FROM total WHERE b.task_id = total.task_id
    )
    SELECT coalesce(sum(n), 0)::int FROM total
""")

SPENT = text("""
    -- what one document's calls came to, over all attempts
    SELECT count(*) AS calls, coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
           coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
           CASE WHEN bool_or(state = 'settled' AND cost_usd IS NULL) THEN NULL
                ELSE coalesce(sum(cost_usd), 0)::float8 END AS cost_usd,
           count(*) FILTER (WHERE state = 'lost') AS lost
      FROM scatter.llm_call WHERE result_id = :result_id AND state <> 'failed'
""")

DIFFERENCES = text("""
    -- budgets that are not the sum of their ledger
    SELECT b.task_id FROM scatter.task_budget b
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(cost_usd), 0) AS spent,
               coalesce(sum(reserved_usd) FILTER (WHERE state = 'reserved'), 0) AS reserved
          FROM scatter.llm_call c WHERE c.task_id = b.task_id) l ON true
     WHERE b.spent_usd <> l.spent OR b.reserved_usd <> l.reserved
""")

TOKENS_A_CHARACTER = text("""
    -- how a model's tokens go with characters, from the calls made so far
    SELECT sum(input_tokens)::float8 / nullif(sum(characters), 0) FROM (
        SELECT input_tokens, characters FROM scatter.llm_call
         WHERE model = :model AND state = 'settled' ORDER BY id DESC LIMIT 200) latest
""")

Ending = Literal["settled", "failed", "lost"]
"""`failed`: answered with an error, which is not charged; `lost`: sent, and nobody knows whether it is charged."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A task's limits (None: none) and sums."""

    limit_usd: Decimal | None
    document_limit_usd: Decimal | None
    spent_usd: Decimal
    reserved_usd: Decimal


@dataclass(frozen=True, slots=True)
class Left:
    """What is left for one more call; None: without limit. `of_task_now` leaves out what others have set aside."""

    of_task: Decimal | None
    of_task_now: Decimal | None
    of_document: Decimal | None


@dataclass(frozen=True, slots=True)
class CallUse:
    """What a call used. `cost_usd` is None where the price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)


def open_budget(
    connection: Connection, task_id: str, limit: Decimal | None = None, document_limit: Decimal | None = None
) -> None:
    connection.execute(OPEN, {"task_id": task_id, "limit": limit, "document_limit": document_limit})


def change(
    connection: Connection, task_id: str, limit: Decimal | None, document_limit: Decimal | None
) -> Budget | None:
    """None: the task makes no calls and has no budget."""
    values = {"task_id": task_id, "limit": limit, "document_limit": document_limit}
    row = connection.execute(CHANGE, values).one_or_none()
    return Budget(*row) if row is not None else None


def read(connection: Connection, task_id: str) -> Budget | None:
    row = connection.execute(READ, {"task_id": task_id}).one_or_none()
    return Budget(*row) if row is not None else None


def reserve(connection: Connection, claim: Claim, *, model: str, worst: Decimal, characters: int) -> int | None:
    """The id of the call, which must be settled; None: not as much is left, as `left` says, or the claim is lost."""
    values = {
        "task_id": claim.task_id, "result_id": claim.result_id, "attempt": claim.attempt, "token": claim.token,
        "model": model, "worst": worst, "characters": characters,
    }  # fmt: skip
    return connection.execute(RESERVE, values).scalar_one_or_none()


def left(connection: Connection, claim: Claim) -> Left:
    return Left(*connection.execute(LEFT, {"task_id": claim.task_id, "result_id": claim.result_id}).one())


def settle(connection: Connection, call_id: int, ending: Ending, use: CallUse) -> None:
    """Takes effect once; a call that was written off meanwhile is set right."""
    values = {
        "id": call_id, "state": ending, "input_tokens": use.input_tokens, "output_tokens": use.output_tokens,
        "cost": use.cost_usd,
    }  # fmt: skip
    connection.execute(SETTLE, values)


def write_off(connection: Connection) -> int:
    """How many calls of lost workers were counted as the most they may have cost."""
    return int(connection.execute(WRITE_OFF).scalar_one())


def spent(connection: Connection, result_id: int) -> dict[str, float | None]:
    """Calls, tokens and dollars of a document; `cost_usd` is None where a price is not known."""
    row = dict(connection.execute(SPENT, {"result_id": result_id}).one()._mapping)
    lost = row.pop("lost")
    return row | ({"calls_lost": lost} if lost else {})


def differences(connection: Connection) -> list[str]:
    """Tasks whose sums are not those of their ledger: somebody else writes to the database."""
    return list(connection.execute(DIFFERENCES).scalars())


def tokens_a_character(connection: Connection, model: str) -> float | None:
    """Of a model's latest calls; None where there are none."""
    found = connection.execute(TOKENS_A_CHARACTER, {"model": model}).scalar_one_or_none()
    return float(found) if found else None
