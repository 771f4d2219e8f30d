"""A Dagster executor with warm workers. It knows nothing of documents; what does is reached through `hooks`."""

from scatter_pipelines.executor.definition import warm_pool_executor

__all__ = ["warm_pool_executor"]
