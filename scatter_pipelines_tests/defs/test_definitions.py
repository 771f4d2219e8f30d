"""What Dagster is offered, as a snapshot: a name that changes breaks somebody's bookmark, script or schedule."""

import dagster as dg

JOBS = [
    "aggregate_tasks",
    "cancel_task",
    "export_results",
    "extract_documents",
    "force_finalize",
    "retry_documents",
    "sweep_stale",
]


def test_the_jobs_have_their_names(definitions: dg.Definitions) -> None:
    assert sorted(job.name for job in definitions.jobs or ()) == JOBS


def test_every_sensor_and_schedule_is_on_by_default(definitions: dg.Definitions) -> None:
    sensors = {sensor.name: sensor for sensor in definitions.sensors or ()}
    assert sorted(sensors) == ["aggregator_sensor", "dispatch_sensor", "inbox_sensor"]
    assert {sensor.default_status for sensor in sensors.values()} == {dg.DefaultSensorStatus.RUNNING}
    assert {sensor.minimum_interval_seconds for sensor in sensors.values()} == {5}
    (schedule,) = definitions.schedules or ()
    assert (schedule.name, schedule.cron_schedule) == ("sweep_schedule", "* * * * *")
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING


def test_the_lineage_goes_from_documents_to_the_table(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    parents = {
        key.to_user_string(): [p.to_user_string() for p in graph.get(key).parent_keys]
        for key in graph.get_all_asset_keys()
    }
    assert parents == {
        "source_documents": [],
        "extraction_results": ["source_documents"],
        "exported_table": ["extraction_results"],
    }
    assert {graph.get(key).partitions_def.name for key in graph.get_all_asset_keys()} == {"scatter_tasks"}


def test_nothing_hangs_on_the_mapped_step(definitions: dg.Definitions) -> None:
    structure = definitions.resolve_job_def("extract_documents").graph.dependency_structure
    feeds = {
        (upstream.node_name, node.node_name)
        for node in structure.inputs()
        for upstream in structure.get_deps_list(node)
        if structure.has_deps(node)
    }
    assert feeds <= {("scatter", "extract_document")}
