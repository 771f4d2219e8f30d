"""The sweeper: repairs what dead runs left, repeats the claim sweep as a second net, and raises alerts.

Keeps nothing between two calls: a sweep that dies midway is made good by the next.
"""

from dataclasses import dataclass
from functools import partial

from scatter_pipelines.model.result import ShardRef, SweptClaim
from scatter_pipelines.store import beats, events, ocr_pages, sweeping
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.cache import prune
from scatter_pipelines.work.dispatch import START_SECONDS, cancel_shard
from scatter_pipelines.work.notify import notify
from scatter_pipelines.work.runs import Runs
from scatter_pipelines.work.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Sweep:
    """What one sweep did."""

    claims: tuple[SweptClaim, ...]
    leases: tuple[ShardRef, ...]
    failed_runs: tuple[str, ...]
    stalled: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What a sweep would find now."""

    claims: int
    stale_claims: int
    leases: int
    stale_leases: int
    stalled: int
    silent_runs: int

    @property
    def needed(self) -> bool:
        return bool(self.stale_claims or self.stale_leases or self.stalled or self.silent_runs)

    def text(self) -> str:
        return (
            f"{self.claims} claims ({self.stale_claims} stale), {self.leases} leases ({self.stale_leases} stale), "
            f"{self.stalled} stalled tasks, {self.silent_runs} silent runs"
        )


def survey(runtime: Runtime, runs: Runs | None = None) -> Survey:
    """Without `runs` (no Dagster at hand) nothing is said of silent ones."""
    settings = runtime.settings
    counts = runtime.database.run(lambda c: sweeping.survey(c, settings))
    stalled = runtime.database.run(lambda c: sweeping.stalled(c, settings.stall_seconds))
    silent = _silent_runs(runtime, runs) if runs is not None else []
    return Survey(**counts, stalled=len(stalled), silent_runs=len(silent))


def sweep(runtime: Runtime, runs: Runs | None) -> Sweep:
    """One sweep. Without `runs` (no Dagster at hand) leases are freed and runs stay as they are reported."""
    claims = sweep_claims(runtime)
    leases, failed = _repair_leases(runtime, runs)
    if runs is not None:
        failed += _report_silent_runs(runtime, runs)
    runtime.database.run(lambda c: ocr_pages.drop_old(c, runtime.settings.ocr_keep_days))
    prune(runtime)
    return Sweep(tuple(claims), tuple(leases), tuple(failed), tuple(_raise_alerts(runtime)))


def _repair_leases(runtime: Runtime, runs: Runs | None) -> tuple[list[ShardRef], list[str]]:
    stale_seconds = runtime.settings.stale_seconds
    leases = runtime.database.run(lambda c: beats.stale_leases(c, stale_seconds))
    states = runs.states({lease.run_id for lease in leases if lease.run_id}) if runs else {}
    failed: list[str] = []
    for lease in leases:
        run_id = lease.run_id or ""
        state = states.get(run_id, "unknown")
        if state == "cancelled":
            cancel_shard(runtime, lease)
        elif state == "active" and runs is not None and run_id not in failed:
            runs.report_failed(run_id, f"No sign of life for {stale_seconds:g} s; its documents go on in another run.")
            failed.append(run_id)
        runtime.database.run(partial(beats.drop_lease, lease=lease, stale_seconds=stale_seconds))
    return leases, failed


def _silent_runs(runtime: Runtime, runs: Runs) -> list[str]:
    """Runs that began a while ago and hold neither lease nor claim: dead, or others took over what they held."""
    known = runtime.database.run(beats.runs_at_work)
    return [
        run.run_id
        for run in runs.unfinished()
        if run.state == "active" and run.seconds > START_SECONDS and run.run_id not in known
    ]


def _report_silent_runs(runtime: Runtime, runs: Runs) -> list[str]:
    silent = _silent_runs(runtime, runs)
    for run_id in silent:
        runs.report_failed(run_id, f"It began more than {START_SECONDS} s ago and gives no sign of life.")
    return silent


def _raise_alerts(runtime: Runtime) -> list[str]:
    seconds = runtime.settings.stall_seconds
    message = f"No document of the task got on for {seconds:g} s."
    stalled = runtime.database.run(lambda c: sweeping.stalled(c, seconds))
    for task_id in stalled:
        runtime.database.run(partial(events.add, task_id=task_id, level="error", kind="stalled", message=message))
        notify(runtime.settings, {"event": "stalled", "task_id": task_id})
    return stalled
