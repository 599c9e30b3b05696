"""The command line: `python -m paper run comparison`. Reads arguments, says what happens; the work is elsewhere."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from paper import FOLDER
from paper.engine.study import Selection, Study, Task
from paper.studies import STUDIES
from taylor_sensus.cli.command import FAILED, INTERRUPTED, Command
from taylor_sensus.errors import did_you_mean, listed

if TYPE_CHECKING:
    from paper.engine.running import Plan

RESULTS = FOLDER / "results"
QUICK = "quick"
"""Folder below the results for quick runs, whose numbers mean nothing."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The paper's studies. Results are recorded as they come: the same command again goes on after an interrupt.",
)

StudyName = Annotated[str, typer.Argument(metavar="STUDY", help=f"One of: {', '.join(STUDIES)}.")]
Datasets = Annotated[str | None, typer.Option(metavar="A,B", help="Datasets; the study's own by default.")]
Methods = Annotated[str | None, typer.Option(metavar="A,B", help="Methods; all by default.")]
Seeds = Annotated[str | None, typer.Option(metavar="0-4", help="Seeds, as 0-4 or 0,1,2.")]
Quick = Annotated[bool, typer.Option("--quick", help="Tiny budgets, to try that everything runs.")]
Search = Annotated[bool, typer.Option("--search", help="Choose settings from a small grid on validation rows.")]
Results = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where results are kept.")]
Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where to write.")]
AnyVersions = Annotated[bool, typer.Option("--any-versions", help="Keep results made with other package versions.")]


@app.command(cls=Command)
def run(
    study: StudyName,
    datasets: Datasets = None,
    methods: Methods = None,
    seeds: Seeds = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="Tasks at the same time.")] = 1,
    backend: Annotated[Literal["joblib", "dask"], typer.Option(help="Who does the tasks.")] = "joblib",
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A running Dask scheduler.")] = None,
    quick: Quick = False,
    search: Search = False,
    again: Annotated[bool, typer.Option("--again", help="Forget the results of these tasks first.")] = False,
    any_versions: AnyVersions = False,
    results: Results = None,
) -> None:
    """Do what is open of a study, and write its results."""
    if scheduler is not None and backend != "dask":
        raise typer.BadParameter("--scheduler needs --backend dask")
    found, tasks = _chosen(study, datasets, methods, seeds, quick, search)
    folder = _folder(results, quick)
    from rich.console import Console

    from paper.engine.running import Workers, carry_out, forget, make_plan

    command = f"python -m paper {shlex.join(sys.argv[1:])}"
    try:
        if again:
            forget(found, tasks, folder)
        plan = make_plan(found, tasks, folder, any_versions=any_versions)
        _explain(plan)
        typer.echo(f"{study}: {len(tasks)} tasks, {len(plan.finished)} done before, {len(plan.open)} to do")
        workers = Workers(jobs, backend, scheduler)
        carry_out(found, plan, folder, workers=workers, command=command, console=Console(stderr=True))
    except KeyboardInterrupt:
        again_hint = " without --again" if again else ""
        _stop(f"interrupted; finished tasks are kept: the same command{again_hint} goes on from here", INTERRUPTED)
    done = len(plan.open) - len(plan.failed)
    typer.echo(f"{study}: {done} done now, {len(plan.failed)} failed; results in {folder}")
    if plan.failed:
        for task in plan.open:
            if task.key in plan.failed:
                typer.echo(f"failed: {task}: {plan.failed[task.key]}", err=True)
        _stop(f"tracebacks are in {folder / study / 'tasks'}; the same command tries failed tasks again", FAILED)


@app.command(cls=Command)
def status(
    study: StudyName,
    datasets: Datasets = None,
    methods: Methods = None,
    seeds: Seeds = None,
    quick: Quick = False,
    search: Search = False,
    any_versions: AnyVersions = False,
    results: Results = None,
) -> None:
    """Say how many tasks of a study are done, failed and open."""
    found, tasks = _chosen(study, datasets, methods, seeds, quick, search)
    from paper.engine.running import make_plan

    plan = make_plan(found, tasks, _folder(results, quick), any_versions=any_versions)
    _explain(plan)
    left = len(plan.open) - len(plan.failed)
    typer.echo(f"{study}: {len(tasks)} tasks, {len(plan.finished)} done, {len(plan.failed)} failed, {left} open")
    for task in plan.open:
        if task.key in plan.failed:
            typer.echo(f"failed: {task}: {plan.failed[task.key]}")


@app.command(cls=Command)
def merge(
    study: StudyName,
    other: Annotated[Path, typer.Argument(metavar="FOLDER", help="Results of the same study, made elsewhere.")],
    results: Results = None,
) -> None:
    """Add the results of another folder, made by another process or machine; where both have a task, theirs count."""
    from paper.engine.running import join

    kind, folder = STUDIES[_known([study], STUDIES, "study")[0]], results or RESULTS
    typer.echo(f"{study}: {join(kind, other, folder)} results from {other} added to {folder}")


@app.command(cls=Command)
def tables(quick: Quick = False, results: Results = None, out: Out = None) -> None:
    """Write every table from the recorded results, without running anything."""
    from paper.engine.tables import write_tables

    _rebuild(write_tables, "tables", quick, results, out)


@app.command(cls=Command)
def figures(quick: Quick = False, results: Results = None, out: Out = None) -> None:
    """Draw every figure from the recorded results, without running anything."""
    from paper.engine.figures import write_figures

    _rebuild(write_figures, "figures", quick, results, out)


@app.command(cls=Command)
def page() -> None:
    """Put the tables into the pages of the studies, docs/paper/, and write their index, paper/RESULTS.md."""
    from paper.engine.page import write_pages

    typer.echo(f"written: {', '.join(str(path.relative_to(FOLDER.parent)) for path in write_pages())}")


def main() -> None:
    """Entry point of `python -m paper`."""
    app(prog_name="python -m paper")


def _rebuild(write: Callable[..., list[Path]], kind: str, quick: bool, results: Path | None, out: Path | None) -> None:
    folder = _folder(results, quick)
    place = out or (folder / kind if quick else FOLDER / kind)
    written = write(folder, place, quick=quick)
    typer.echo(f"{len(written)} files written to {place}")


def _folder(results: Path | None, quick: bool) -> Path:
    return results or (RESULTS / QUICK if quick else RESULTS)


def _chosen(
    name: str, datasets: str | None, methods: str | None, seeds: str | None, quick: bool, search: bool
) -> tuple[Study, list[Task]]:
    """The study and the tasks that were asked for; wrong names are refused before anything is loaded."""
    study = STUDIES[_known([name], STUDIES, "study")[0]]
    if search and "search" not in study.parameters:
        raise typer.BadParameter(f"the study {name} has no --search")
    wanted = Selection(
        datasets=None if datasets is None else _datasets(_names(datasets), study),
        methods=None if methods is None else _known(_names(methods), study.methods, "method"),
        seeds=None if seeds is None else _seeds(seeds),
        quick=quick,
        search=search,
    )
    return study, list(dict.fromkeys(study.tasks(wanted)))


def _datasets(names: list[str], study: Study) -> list[str]:
    if study.datasets is not None:
        return _known(names, study.datasets, "dataset")
    from taylor_sensus.datasets.catalogue import DISTINCT
    from taylor_sensus.datasets.sources import DATASETS

    _known([name.removesuffix(DISTINCT) for name in names], DATASETS, "dataset")
    return names


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _known(names: list[str], known: Iterable[str], what: str) -> list[str]:
    known = list(known)
    if not names:
        raise typer.BadParameter(f"no {what} is named; there are {listed(known)}")
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"there is no {what} {name!r}{did_you_mean(name, known, 'there are')}")
    return names


def _seeds(text: str) -> list[int]:
    found: list[int] = []
    for part in _names(text):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= 1000:
            raise typer.BadParameter(f"--seeds takes whole numbers, as 0-4 or 0,1,2; {part!r} is not")
        found += range(first, last + 1)
    if not found:
        raise typer.BadParameter("--seeds takes whole numbers, as 0-4 or 0,1,2")
    return found


def _explain(plan: Plan) -> None:
    """What the user should know before the work starts."""
    for path in plan.damaged:
        typer.echo(f"warning: {path} is damaged or half-written and is ignored", err=True)
    for reason, count in sorted(plan.reasons.items()):
        typer.echo(f"{count} {'result no longer counts' if count == 1 else 'results no longer count'}: {reason}")
    if plan.other_source:
        typer.echo(f"{plan.other_source} results were made before the package's code changed; --again makes them anew")
    if plan.unchecked:
        typer.echo(f"{plan.unchecked} results are kept unchecked, because their data or method cannot be loaded here")


def _stop(line: str, code: int) -> NoReturn:
    typer.echo(line, err=True)
    raise typer.Exit(code)
