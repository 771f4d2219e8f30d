"""Pages read by OCR, kept for retries"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ocr_page",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False, comment="with its version"),
        sa.Column("content", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("sha256", "number", "engine"),
        schema="scatter",
    )
    op.create_index("ocr_page_kept", "ocr_page", ["kept_at"], unique=False, schema="scatter")


def downgrade() -> None:
    op.drop_index("ocr_page_kept", table_name="ocr_page", schema="scatter")
    op.drop_table("ocr_page", schema="scatter")
