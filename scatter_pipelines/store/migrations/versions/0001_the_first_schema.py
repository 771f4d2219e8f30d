"""The first schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "claim_beat",
        sa.Column("result_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("progress_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "stage", sa.SmallInteger(), server_default="0", nullable=False, comment="index into model.states.STAGES"
        ),
        sa.Column("done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("waited_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("result_id"),
        schema="scatter",
    )
    op.create_table(
        "extraction_attempt",
        sa.Column("result_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("step_key", sa.Text(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("result_id", "attempt"),
        schema="scatter",
    )
    op.create_table(
        "extraction_task",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("key_origin", sa.Text(), nullable=False),
        sa.Column("sources", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("template_name", sa.Text(), nullable=False),
        sa.Column("template", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("template_hash", sa.Text(), nullable=False),
        sa.Column("engine", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("expected_count", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), server_default="processing", nullable=False),
        sa.Column(
            "closing",
            sa.Integer(),
            server_default="1",
            nullable=False,
            comment="number of the closing to come or just made",
        ),
        sa.Column(
            "submitted_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
            comment="submitted, or last reopened",
        ),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("announced_closing", sa.Integer(), server_default="0", nullable=False),
        sa.Column("announced_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(status = 'processing') = (closed_at IS NULL)", name="extraction_task_closed_at"),
        sa.CheckConstraint(
            "status IN ('processing', 'completed', 'completed_with_errors', 'failed', 'cancelled')",
            name="extraction_task_status",
        ),
        sa.CheckConstraint("expected_count > 0", name="extraction_task_not_empty"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("idempotency_key"),
        schema="scatter",
    )
    op.create_index(
        "extraction_task_open",
        "extraction_task",
        ["submitted_at"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("status = 'processing'"),
    )
    op.create_index(
        "extraction_task_unannounced",
        "extraction_task",
        ["id"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("closed_at IS NOT NULL AND announced_closing < closing"),
    )
    op.create_table(
        "inbox_file",
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False, comment="size and modification time"),
        sa.Column(
            "first_seen_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("uri", "fingerprint"),
        schema="scatter",
    )
    op.create_index(
        "inbox_file_new",
        "inbox_file",
        ["uri"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("task_id IS NULL"),
    )
    op.create_table(
        "shard_lease",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("task_id", "shard"),
        schema="scatter",
    )
    op.create_table(
        "task_event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        schema="scatter",
    )
    op.create_index("task_event_task", "task_event", ["task_id", "id"], unique=False, schema="scatter")
    op.create_table(
        "task_hold",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("placed_by", sa.Text(), nullable=False),
        sa.Column("placed_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        schema="scatter",
    )
    op.create_index("task_hold_task", "task_hold", ["task_id"], unique=False, schema="scatter")
    op.create_table(
        "extraction_result",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("columns", postgresql.JSON(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("losses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("waits", sa.Integer(), server_default="0", nullable=False),
        sa.Column("limit_hits", sa.Integer(), server_default="0", nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("claim_token", sa.Uuid(), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("step_key", sa.Text(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_stage", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("fields", postgresql.JSON(astext_type=sa.Text()), nullable=True),
        sa.Column("missing", postgresql.ARRAY(sa.Text()), nullable=True, comment="required fields without a value"),
        sa.Column("usage", postgresql.JSON(astext_type=sa.Text()), nullable=True),
        sa.Column("timings", postgresql.JSON(astext_type=sa.Text()), nullable=True),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(status = 'error') = (error_code IS NOT NULL)", name="extraction_result_error_has_code"),
        sa.CheckConstraint(
            "status IN ('pending', 'extracting', 'completed', 'error', 'cancelled')", name="extraction_result_status"
        ),
        sa.ForeignKeyConstraint(["task_id"], ["scatter.extraction_task.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("task_id", "uri", name="extraction_result_one_a_document"),
        schema="scatter",
    )
    op.create_index(
        "extraction_result_claimed",
        "extraction_result",
        ["id"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("status = 'extracting'"),
    )
    op.create_index(
        "extraction_result_failed",
        "extraction_result",
        ["run_id"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("status = 'error'"),
    )
    op.create_index(
        "extraction_result_open",
        "extraction_result",
        ["task_id", "shard", "not_before"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("status IN ('pending', 'extracting')"),
    )
    op.create_index(
        "extraction_result_order", "extraction_result", ["task_id", "ordinal"], unique=False, schema="scatter"
    )
    op.create_table(
        "extraction_shard",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), server_default="0", nullable=False),
        sa.Column("dispatched_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["scatter.extraction_task.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("task_id", "shard"),
        schema="scatter",
    )
    op.create_table(
        "task_hold_release",
        sa.Column("hold_id", sa.BigInteger(), nullable=False),
        sa.Column("released_by", sa.Text(), nullable=False),
        sa.Column(
            "released_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.ForeignKeyConstraint(["hold_id"], ["scatter.task_hold.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hold_id"),
        schema="scatter",
    )
    for table, fillfactor in (("claim_beat", 40), ("shard_lease", 40), ("extraction_result", 80)):
        op.execute(f"ALTER TABLE scatter.{table} SET (fillfactor = {fillfactor})")


def downgrade() -> None:
    op.drop_table("task_hold_release", schema="scatter")
    op.drop_table("extraction_shard", schema="scatter")
    op.drop_index("extraction_result_order", table_name="extraction_result", schema="scatter")
    op.drop_index(
        "extraction_result_open",
        table_name="extraction_result",
        schema="scatter",
        postgresql_where=sa.text("status IN ('pending', 'extracting')"),
    )
    op.drop_index(
        "extraction_result_claimed",
        table_name="extraction_result",
        schema="scatter",
        postgresql_where=sa.text("status = 'extracting'"),
    )
    op.drop_index(
        "extraction_result_failed",
        table_name="extraction_result",
        schema="scatter",
        postgresql_where=sa.text("status = 'error'"),
    )
    op.drop_table("extraction_result", schema="scatter")
    op.drop_index("task_hold_task", table_name="task_hold", schema="scatter")
    op.drop_table("task_hold", schema="scatter")
    op.drop_index("task_event_task", table_name="task_event", schema="scatter")
    op.drop_table("task_event", schema="scatter")
    op.drop_table("shard_lease", schema="scatter")
    op.drop_index(
        "inbox_file_new", table_name="inbox_file", schema="scatter", postgresql_where=sa.text("task_id IS NULL")
    )
    op.drop_table("inbox_file", schema="scatter")
    op.drop_index(
        "extraction_task_unannounced",
        table_name="extraction_task",
        schema="scatter",
        postgresql_where=sa.text("closed_at IS NOT NULL AND announced_closing < closing"),
    )
    op.drop_index(
        "extraction_task_open",
        table_name="extraction_task",
        schema="scatter",
        postgresql_where=sa.text("status = 'processing'"),
    )
    op.drop_table("extraction_task", schema="scatter")
    op.drop_table("extraction_attempt", schema="scatter")
    op.drop_table("claim_beat", schema="scatter")
