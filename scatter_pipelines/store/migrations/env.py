"""Alembic's entry point. The connection comes from `store/schema.py`; there is no alembic.ini."""

from alembic import context

from scatter_pipelines.store.tables import SCHEMA, metadata


def include_name(name: str | None, type_: str, _parents: object) -> bool:
    return type_ != "schema" or name == SCHEMA


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table_schema=SCHEMA,
    include_schemas=True,
    include_name=include_name,
    compare_server_default=False,
)
with context.begin_transaction():
    context.run_migrations()
