"""An index that tells when a task last got on, without reading its rows"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "extraction_result_finished",
        "extraction_result",
        ["task_id", "finished_at"],
        unique=False,
        schema="scatter",
        postgresql_where=sa.text("finished_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index(
        "extraction_result_finished",
        table_name="extraction_result",
        schema="scatter",
        postgresql_where=sa.text("finished_at IS NOT NULL"),
    )
