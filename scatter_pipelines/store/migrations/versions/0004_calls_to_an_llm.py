"""Calls to an LLM: budgets, the ledger, the pace, and what is kept of documents and answers"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NOW = sa.text("clock_timestamp()")
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "task_budget",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("limit_usd", sa.Numeric()),
        sa.Column("document_limit_usd", sa.Numeric()),
        sa.Column("spent_usd", sa.Numeric(), server_default="0", nullable=False),
        sa.Column("reserved_usd", sa.Numeric(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["scatter.extraction_task.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("task_id"),
        schema="scatter",
    )
    op.create_table(
        "llm_call",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("result_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="reserved", nullable=False),
        sa.Column("started_at", INSTANT, server_default=NOW, nullable=False),
        sa.Column("ended_at", INSTANT),
        sa.Column("reserved_usd", sa.Numeric(), nullable=False, comment="the most it may cost; 0 without a price"),
        sa.Column("cost_usd", sa.Numeric(), comment="null where the price is not known"),
        sa.Column("input_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("characters", sa.BigInteger(), server_default="0", nullable=False, comment="of the prompt"),
        sa.CheckConstraint("state IN ('reserved', 'settled', 'failed', 'lost')", name="llm_call_state"),
        sa.PrimaryKeyConstraint("id"),
        schema="scatter",
    )
    op.create_index("llm_call_result", "llm_call", ["result_id"], schema="scatter")
    op.create_index("llm_call_task", "llm_call", ["task_id"], schema="scatter")
    op.create_index(
        "llm_call_open", "llm_call", ["id"], schema="scatter", postgresql_where=sa.text("state = 'reserved'")
    )
    op.create_table(
        "llm_pace",
        sa.Column("endpoint", sa.Text(), nullable=False, comment="base URL and model"),
        sa.Column("requests_at", INSTANT, server_default=NOW, nullable=False),
        sa.Column("tokens_at", INSTANT, server_default=NOW, nullable=False),
        sa.Column("paused_until", INSTANT, server_default=NOW, nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False, comment="in a row"),
        sa.PrimaryKeyConstraint("endpoint"),
        schema="scatter",
    )
    for name, content in (
        ("parsed_document", sa.LargeBinary()),
        ("llm_answer", postgresql.JSON(astext_type=sa.Text())),
    ):
        op.create_table(
            name,
            sa.Column("key", sa.Text(), nullable=False),
            sa.Column("content", content, nullable=False),
            sa.Column("bytes", sa.BigInteger(), nullable=False),
            sa.Column("used_at", INSTANT, server_default=NOW, nullable=False),
            sa.PrimaryKeyConstraint("key"),
            schema="scatter",
        )
        op.create_index(f"{name}_used", name, ["used_at"], schema="scatter")


def downgrade() -> None:
    for name in ("llm_answer", "parsed_document", "llm_pace", "llm_call", "task_budget"):
        op.drop_table(name, schema="scatter")
