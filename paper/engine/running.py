"""One run of a study from start to end: what is open, who does it, what is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rich.console import Console

from paper.engine.backends import apart, dask_workers, here, joblib_workers
from paper.engine.collected import read_collected, write_collected
from paper.engine.ledger import Ledger, Record, record_of
from paper.engine.screen import TaskProgress, expected_costs
from paper.engine.study import Inputs, Study, Task, function
from paper.engine.versions import SOURCE, installed
from paper.engine.work import Done, Failure, Job, limit_threads

UNKNOWN = Inputs("", {})


@dataclass(frozen=True)
class Workers:
    """Who does the tasks."""

    jobs: int = 1
    backend: Literal["joblib", "dask"] = "joblib"
    scheduler: str | None = None


@dataclass(eq=False)
class Plan:
    """What of a study is done and what is open."""

    records: dict[str, Record]
    """Every result that counts, also of tasks that were not asked for."""
    finished: list[Task] = field(default_factory=list)
    open: list[Task] = field(default_factory=list)
    """Tasks without a result that counts."""
    inputs: dict[str, Inputs] = field(default_factory=dict)
    failed: dict[str, Failure] = field(default_factory=dict)
    """Open tasks that were tried and failed."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why results no longer count, and how many."""
    unchecked: int = 0
    """Results whose data or method are not here, so that nobody can tell whether they still count."""
    other_source: int = 0
    """Results that count, but were made by another program text of the package."""
    damaged: list[Path] = field(default_factory=list)


def make_plan(study: Study, tasks: Sequence[Task], results: Path, *, any_versions: bool = False) -> Plan:
    """Compare what was asked for with what is recorded, in the working folder and in the committed files."""
    ledger, committed = Ledger(results, study.name), read_collected(results, study)
    tried = ledger.read()
    good = {key: record for key, record in tried.items() if record.failure is None}
    plan = Plan({**committed, **good}, damaged=ledger.damaged)
    for task in tasks:
        try:
            plan.inputs[task.key] = function(study.place, "run", "inputs")(task)
        except Exception:  # data or method are missing: running the task will say so better than we can here
            plan.inputs[task.key] = UNKNOWN
        record, reasons = _counting(plan.inputs[task.key], task, [good, committed], any_versions)
        if record is not None:
            plan.records[task.key] = record
            plan.finished.append(task)
            plan.unchecked += plan.inputs[task.key] is UNKNOWN
            plan.other_source += record.versions.get(SOURCE) != installed().get(SOURCE)
            continue
        plan.records.pop(task.key, None)
        plan.reasons.update(reasons)
        plan.open.append(task)
        failure = tried[task.key].failure if task.key in tried else None
        if failure:
            plan.failed[task.key] = failure
    return plan


def _counting(
    inputs: Inputs, task: Task, places: Sequence[dict[str, Record]], any_versions: bool
) -> tuple[Record | None, list[str]]:
    """The first record that still counts, or why none does."""
    reasons: list[str] = []
    for place in places:
        record = place.get(task.key)
        if record is None:
            continue
        if inputs is UNKNOWN:
            return record, []
        found = record.outdated(inputs, None if any_versions else installed())
        if not found:
            return record, []
        reasons = reasons or found
    return None, reasons


def join(study: Study, other: Path, results: Path) -> int:
    """Add what another folder has of a study, committed or in progress; returns how many results these are."""
    here, there = ({**read_collected(place, study), **_good(Ledger(place, study.name))} for place in (results, other))
    write_collected(results, study, {**here, **there}.values())
    return len(there)


def _good(ledger: Ledger) -> dict[str, Record]:
    return {key: record for key, record in ledger.read().items() if record.failure is None}


def forget(study: Study, tasks: Sequence[Task], results: Path) -> None:
    """Remove the results of these tasks everywhere, so that an interrupted repetition goes on where it was."""
    keys = {task.key for task in tasks}
    ledger = Ledger(results, study.name)
    kept = {**read_collected(results, study), **_good(ledger)}
    write_collected(results, study, [record for key, record in kept.items() if key not in keys])
    ledger.forget(keys)


def carry_out(study: Study, plan: Plan, results: Path, *, workers: Workers, command: str, console: Console) -> Plan:
    """Do the open tasks; each is recorded as soon as it is done, and the committed files are written at the end."""
    ledger = Ledger(results, study.name)
    if not study.alone:
        limit_threads()
    plan.failed.clear()
    costs = expected_costs(plan.open, plan.records)
    try:
        with closing(_results(study, plan.open, workers)) as stream, TaskProgress(plan.open, costs, console) as shown:
            for done in stream:
                key = done.task.key
                record = record_of(done, plan.inputs[key], installed(), command)
                if done.failure:
                    plan.failed[key] = done.failure
                else:
                    plan.records[key] = record  # first: Ctrl-C while the disk takes it must not lose it
                ledger.write(record)
                shown.tell(done)
    finally:  # also after Ctrl-C: what is done can be looked at
        write_collected(results, study, plan.records.values())
    return plan


def _results(study: Study, tasks: Sequence[Task], workers: Workers) -> Generator[Done, None, None]:
    several = (workers.jobs > 1 or workers.scheduler is not None) and not study.alone
    n_jobs = 1 if several else None
    jobs = [Job(task, study.place, n_jobs, not study.alone, study.environment) for task in tasks]
    if study.alone:
        yield from apart(jobs)
    elif workers.backend == "dask" and jobs:
        yield from dask_workers(jobs, workers.jobs, workers.scheduler)
    elif workers.jobs > 1:
        yield from joblib_workers(jobs, workers.jobs)
    else:
        yield from here(jobs)
