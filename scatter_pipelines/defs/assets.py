"""The lineage: source documents -> extraction results -> exported table, one partition a task.

They are materialised by what happens to a task, not by asset runs: the first two at its closing, the table
by the export.
"""

import dagster as dg

TASKS = dg.DynamicPartitionsDefinition(name="scatter_tasks")

source_documents = dg.AssetSpec(
    "source_documents",
    description="The documents a task was submitted with. A partition is a task.",
    partitions_def=TASKS,
    group_name="scatter",
    kinds={"pdf"},
)
extraction_results = dg.AssetSpec(
    "extraction_results",
    deps=[source_documents],
    description="One row a document: its fields with evidence, or the error it ended in.",
    partitions_def=TASKS,
    group_name="scatter",
    kinds={"postgres"},
)
exported_table = dg.AssetSpec(
    "exported_table",
    deps=[extraction_results],
    description="The results as files, written when a task closes and by `export_results`.",
    partitions_def=TASKS,
    group_name="scatter",
    kinds={"json", "csv"},
)
ASSETS = [source_documents, extraction_results, exported_table]
