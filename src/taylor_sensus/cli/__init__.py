"""The command line, `taylor-sensus --help`: reads files, calls the library, shows what came back.

    command.py    what all commands share: one-line errors, exit codes, common options
    screen.py     tables, JSON and notes
    files.py      tables with notes on what was found there; outputs refused before the work, not after it
    space.py      the settings that `suggest` may choose from
    demo.py, fit.py, predict.py, evaluate.py, budget.py, suggest.py, update.py, report.py, info.py, datasets.py, app.py,
    serve.py      one command a file

Before a command runs, only the standard library and Typer are imported, so that `--help` answers at once. Mistakes in
options, names of files and headers are reported before JAX, scikit-learn or pandas are imported.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from taylor_sensus._version import __version__
from taylor_sensus.cli.app import app as page
from taylor_sensus.cli.budget import budget
from taylor_sensus.cli.command import Command
from taylor_sensus.cli.datasets import datasets
from taylor_sensus.cli.demo import demo
from taylor_sensus.cli.evaluate import evaluate
from taylor_sensus.cli.fit import fit
from taylor_sensus.cli.info import info
from taylor_sensus.cli.predict import predict
from taylor_sensus.cli.report import report
from taylor_sensus.cli.serve import serve
from taylor_sensus.cli.suggest import suggest
from taylor_sensus.cli.update import update

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: half the start-up time, and nothing to strip in a pipe
    context_settings={"help_option_names": ["-h", "--help"]},
)
EXAMPLES: dict[Callable[..., None], str] = {
    demo: "taylor-sensus demo --out demo-output",
    fit: "taylor-sensus fit steel.csv --target strength --id sample -o steel.tsnet",
    predict: "taylor-sensus predict steel.tsnet new.xlsx --id sample -o predictions.xlsx",
    evaluate: "taylor-sensus evaluate steel.tsnet test.csv",
    budget: "taylor-sensus budget steel.tsnet new.csv --plot budget.png",
    suggest: "taylor-sensus suggest steel.tsnet --goal max -n 4 -o form.csv",
    update: "taylor-sensus update steel.tsnet form.csv -o better.tsnet",
    report: "taylor-sensus report steel.tsnet steel.csv -o report.html",
    info: "taylor-sensus info steel.tsnet",
    datasets: "taylor-sensus datasets concrete -o concrete.csv",
    page: "taylor-sensus app",
    serve: "taylor-sensus serve steel.tsnet",
}
"""Each command as it is mostly typed, for its help page."""
for function, example in EXAMPLES.items():
    name = None if function is not page else "app"
    app.command(name, cls=Command, epilog=f"\b\nExample:\n  {example}")(function)


COMPLETION = "_TAYLOR_SENSUS_COMPLETE"
"""The environment variable by which a shell asks for completions."""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"taylor-sensus {__version__}")
        raise typer.Exit


@app.callback()
def taylor_sensus(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Predictions for tables of measurements, with error bars that say where the error comes from.

    Start with: taylor-sensus demo
    """


def main() -> None:
    """Entry point of the command `taylor-sensus`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that this terminal cannot show is no failure
    if COMPLETION in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    app(prog_name="taylor-sensus")
