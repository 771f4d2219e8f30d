"""What it means that two executors do the same."""

from scatter_pipelines_tests.executor.reference import Outcome, Sequences, stored, yielded


def summary(sequences: Sequences) -> str:
    return "\n".join(f"{key}: {words}" for key in sorted(sequences) for words in sequences[key])


def assert_same(warm: Outcome, reference: Outcome) -> None:
    """In the run's status and in what happened to each step."""
    assert warm.status == reference.status
    assert_same_steps(warm, reference)


def assert_same_steps(warm: Outcome, reference: Outcome) -> None:
    """The event log, and what was yielded, by step."""
    assert summary(warm.stored()) == summary(reference.stored())
    assert summary(yielded(warm.events)) == summary(yielded(reference.events))
    assert_consistent(warm)
    statuses = {key: (stats.status, stats.attempts) for key, stats in warm.stats.items()}
    assert statuses == {key: (stats.status, stats.attempts) for key, stats in reference.stats.items()}


def assert_consistent(run: Outcome) -> None:
    """The event log has what was yielded, in its order; time does not run backwards; statistics are of these events."""
    entries = run.entries
    assert stored(entries, with_logs=False) == yielded(run.events)
    for key, stats in run.stats.items():
        times = [entry.timestamp for entry in entries if entry.step_key == key]
        assert times == sorted(times), key
        kinds = {entry.dagster_event.event_type_value: entry.timestamp for entry in entries
                 if entry.dagster_event and entry.dagster_event.step_key == key}  # fmt: skip
        ended = [kinds[kind] for kind in ("STEP_SUCCESS", "STEP_FAILURE", "STEP_SKIPPED") if kind in kinds]
        assert (stats.start_time, stats.end_time) == (kinds.get("STEP_START"), ended[0] if ended else None), key
