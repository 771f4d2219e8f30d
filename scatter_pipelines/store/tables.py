"""The tables, for Alembic and for bulk loads. Statements live in the module of the table they change."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON

SCHEMA = "scatter"
metadata = MetaData(schema=SCHEMA)

NOW = text("clock_timestamp()")
INSTANT = DateTime(timezone=True)

OPEN = "status IN ('pending', 'extracting')"

extraction_task = Table(
    "extraction_task",
    metadata,
    Column("id", Text, primary_key=True),
    Column("idempotency_key", Text, nullable=False, unique=True),
    Column("key_origin", Text, nullable=False),
    Column("sources", JSON, nullable=False),
    Column("template_name", Text, nullable=False),
    Column("template", JSON, nullable=False),
    Column("template_hash", Text, nullable=False),
    Column("engine", JSON, nullable=False),
    Column("expected_count", Integer, nullable=False),
    Column("status", Text, nullable=False, server_default="processing"),
    Column(
        "closing", Integer, nullable=False, server_default="1", comment="number of the closing to come or just made"
    ),
    Column("submitted_at", INSTANT, nullable=False, server_default=NOW),
    Column("started_at", INSTANT, nullable=False, server_default=NOW, comment="submitted, or last reopened"),
    Column("closed_at", INSTANT),
    Column("cancelled_at", INSTANT),
    Column("announced_closing", Integer, nullable=False, server_default="0"),
    Column("announced_at", INSTANT),
    CheckConstraint("expected_count > 0", name="extraction_task_not_empty"),
    CheckConstraint(
        "status IN ('processing', 'completed', 'completed_with_errors', 'failed', 'cancelled')",
        name="extraction_task_status",
    ),
    CheckConstraint("(status = 'processing') = (closed_at IS NULL)", name="extraction_task_closed_at"),
    Index("extraction_task_open", "submitted_at", postgresql_where=text("status = 'processing'")),
    Index(
        "extraction_task_unannounced",
        "id",
        postgresql_where=text("closed_at IS NOT NULL AND announced_closing < closing"),
    ),
)

extraction_shard = Table(
    "extraction_shard",
    metadata,
    Column("task_id", Text, ForeignKey(extraction_task.c.id, ondelete="CASCADE"), primary_key=True),
    Column("shard", Integer, primary_key=True),
    Column("round", Integer, nullable=False, server_default="0"),
    Column("dispatched_at", INSTANT),
)

extraction_result = Table(
    "extraction_result",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("task_id", Text, ForeignKey(extraction_task.c.id, ondelete="CASCADE"), nullable=False),
    Column("shard", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("uri", Text, nullable=False),
    Column("filename", Text, nullable=False),
    Column("size", BigInteger),
    Column("media_type", Text),
    Column("sha256", Text),
    Column("columns", JSON, nullable=False, server_default=text("'{}'")),
    Column("status", Text, nullable=False, server_default="pending"),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("losses", Integer, nullable=False, server_default="0"),
    Column("waits", Integer, nullable=False, server_default="0"),
    Column("limit_hits", Integer, nullable=False, server_default="0"),
    Column("not_before", INSTANT),
    Column("claim_token", Uuid),
    Column("claimed_at", INSTANT),
    Column("run_id", Text),
    Column("step_key", Text),
    Column("host", Text),
    Column("error_code", Text),
    Column("error_stage", Text),
    Column("error_message", Text),
    Column("fields", JSON),
    Column("missing", ARRAY(Text), comment="required fields without a value"),
    Column("usage", JSON),
    Column("timings", JSON),
    Column("pages", Integer),
    Column("created_at", INSTANT, nullable=False, server_default=NOW),
    Column("finished_at", INSTANT),
    UniqueConstraint("task_id", "uri", name="extraction_result_one_a_document"),
    CheckConstraint(
        "status IN ('pending', 'extracting', 'completed', 'error', 'cancelled')", name="extraction_result_status"
    ),
    CheckConstraint("(status = 'error') = (error_code IS NOT NULL)", name="extraction_result_error_has_code"),
    Index("extraction_result_order", "task_id", "ordinal"),
    Index("extraction_result_open", "task_id", "shard", "not_before", postgresql_where=text(OPEN)),
    Index("extraction_result_failed", "run_id", postgresql_where=text("status = 'error'")),
    Index("extraction_result_finished", "task_id", "finished_at", postgresql_where=text("finished_at IS NOT NULL")),
    Index("extraction_result_claimed", "id", postgresql_where=text("status = 'extracting'")),
)

claim_beat = Table(
    "claim_beat",
    metadata,
    Column("result_id", BigInteger, primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("beat_at", INSTANT, nullable=False),
    Column("progress_at", INSTANT, nullable=False),
    Column("stage", SmallInteger, nullable=False, server_default="0", comment="index into model.states.STAGES"),
    Column("done", Integer, nullable=False, server_default="0"),
    Column("total", Integer, nullable=False, server_default="0"),
    Column("waited_ms", BigInteger, nullable=False, server_default="0"),
)

shard_lease = Table(
    "shard_lease",
    metadata,
    Column("task_id", Text, primary_key=True),
    Column("shard", Integer, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("taken_at", INSTANT, nullable=False),
    Column("beat_at", INSTANT, nullable=False),
)

extraction_attempt = Table(
    "extraction_attempt",
    metadata,
    Column("result_id", BigInteger, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("run_id", Text),
    Column("step_key", Text),
    Column("host", Text),
    Column("started_at", INSTANT, nullable=False),
    Column("ended_at", INSTANT, nullable=False, server_default=NOW),
    Column("outcome", Text, nullable=False),
    Column("code", Text),
    Column("message", Text),
)

task_hold = Table(
    "task_hold",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("task_id", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("placed_by", Text, nullable=False),
    Column("placed_at", INSTANT, nullable=False, server_default=NOW),
    Index("task_hold_task", "task_id"),
)

task_hold_release = Table(
    "task_hold_release",
    metadata,
    Column("hold_id", BigInteger, ForeignKey(task_hold.c.id, ondelete="CASCADE"), primary_key=True),
    Column("released_by", Text, nullable=False),
    Column("released_at", INSTANT, nullable=False, server_default=NOW),
)

task_event = Table(
    "task_event",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("task_id", Text, nullable=False),
    Column("at", INSTANT, nullable=False, server_default=NOW),
    Column("level", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("message", Text, nullable=False),
    Index("task_event_task", "task_id", "id"),
)

inbox_file = Table(
    "inbox_file",
    metadata,
    Column("uri", Text, primary_key=True),
    Column("fingerprint", Text, primary_key=True, comment="size and modification time"),
    Column("first_seen_at", INSTANT, nullable=False, server_default=NOW),
    Column("task_id", Text),
    Index("inbox_file_new", "uri", postgresql_where=text("task_id IS NULL")),
)

ocr_page = Table(
    "ocr_page",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("engine", Text, primary_key=True, comment="with its version"),
    Column("content", JSON, nullable=False),
    Column("kept_at", INSTANT, nullable=False, server_default=NOW),
    Index("ocr_page_kept", "kept_at"),
)

task_budget = Table(
    "task_budget",
    metadata,
    Column("task_id", Text, ForeignKey(extraction_task.c.id, ondelete="CASCADE"), primary_key=True),
    Column("limit_usd", Numeric),
    Column("document_limit_usd", Numeric),
    Column("spent_usd", Numeric, nullable=False, server_default="0"),
    Column("reserved_usd", Numeric, nullable=False, server_default="0"),
)

llm_call = Table(
    "llm_call",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("task_id", Text, nullable=False),
    Column("result_id", BigInteger, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="reserved"),
    Column("started_at", INSTANT, nullable=False, server_default=NOW),
    Column("ended_at", INSTANT),
    Column("reserved_usd", Numeric, nullable=False, comment="the most it may cost; 0 without a price"),
    Column("cost_usd", Numeric, comment="null where the price is not known"),
    Column("input_tokens", BigInteger, nullable=False, server_default="0"),
    Column("output_tokens", BigInteger, nullable=False, server_default="0"),
    Column("characters", BigInteger, nullable=False, server_default="0", comment="of the prompt"),
    CheckConstraint("state IN ('reserved', 'settled', 'failed', 'lost')", name="llm_call_state"),
    Index("llm_call_result", "result_id"),
    Index("llm_call_task", "task_id"),
    Index("llm_call_open", "id", postgresql_where=text("state = 'reserved'")),
)

llm_pace = Table(
    "llm_pace",
    metadata,
    Column("endpoint", Text, primary_key=True, comment="base URL and model"),
    Column("requests_at", INSTANT, nullable=False, server_default=NOW),
    Column("tokens_at", INSTANT, nullable=False, server_default=NOW),
    Column("paused_until", INSTANT, nullable=False, server_default=NOW),
    Column("failures", Integer, nullable=False, server_default="0", comment="in a row"),
)

parsed_document = Table(
    "parsed_document",
    metadata,
    Column("key", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("used_at", INSTANT, nullable=False, server_default=NOW),
    Index("parsed_document_used", "used_at"),
)

llm_answer = Table(
    "llm_answer",
    metadata,
    Column("key", Text, primary_key=True),
    Column("content", JSON, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("used_at", INSTANT, nullable=False, server_default=NOW),
    Index("llm_answer_used", "used_at"),
)
