"""The warm pool: the same as Dagster's own executors where nothing breaks, and what happens where something does."""
