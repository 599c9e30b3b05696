"""What all commands share: failures and warnings as one line, exit codes, and the options that several have."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from taylor_sensus.cli.files import STANDARD, from_standard_input
from taylor_sensus.cli.screen import warning
from taylor_sensus.errors import SettingError, TaylorSensusError, TaylorSensusWarning

DEBUG = "TAYLOR_SENSUS_DEBUG"
"""Set this environment variable to 1 to see tracebacks."""
FAILED, INTERRUPTED = 1, 130

TABLES = ".csv, .tsv, .txt, .xlsx, .xls or .parquet"
OUTPUTS = ".csv, .tsv, .xlsx or .parquet, or - for standard output"
TABLE_ARGUMENTS = ("data", "candidates", "filled")
"""Arguments that may be `-`."""
DataFile = Annotated[
    Path, typer.Argument(metavar="DATA", help=f"Table with one header line: {TABLES}; - reads standard input.")
]
Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help=f"Table with one header line: {TABLES}; - reads standard input; or a folder of .parquet or .csv files.",
    ),
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file that `fit` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text; notes go to stderr.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Jobs = Annotated[int | None, typer.Option(metavar="N", help="Networks trained at the same time; all cores by default.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace a model file that is there already.")]
WithoutRows = Annotated[
    bool,
    typer.Option("--without-rows", help="Keep the training rows out of the model file; it cannot be updated then."),
]

XErr = Annotated[
    list[str] | None,
    typer.Option(
        "--x-err",
        metavar="COLUMN=ERROR",
        help="Standard error of an input: a number in its unit (0: exact), a percentage of its value such as 2%, or "
        "the column that holds the errors. 2% or 0 alone counts for all inputs. May be repeated.",
    ),
]
YErr = Annotated[
    list[str] | None,
    typer.Option(
        "--y-err",
        metavar="ERROR",
        help="The same for the target; TARGET=ERROR where there are several. May be repeated.",
    ),
]
Ordinary = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Not a column of errors, although it looks like one. May be repeated."),
]
Text = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Holds words, although it looks like numbers. May be repeated."),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="SHEET", help="Sheet of an Excel book, by its name or its number; the first by default."),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Column that names the rows; it is no input, and outputs carry it."),
]
Exact = Annotated[bool, typer.Option("--exact", help="All inputs of DATA are known exactly.")]
Decimal = Annotated[
    str | None, typer.Option(metavar="SIGN", help="Decimal sign of DATA, . or , (found by itself in simple tables).")
]
Censored = Annotated[
    str, typer.Option(metavar="WAY", help="What cells such as <0.05 become: missing, bound, or half the bound.")
]


class Command(TyperCommand):
    """A command that fails with one line on stderr. Its context's `obj` lists the files written so far."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; usage errors are left to Typer."""
        ctx.obj = written = []
        try:
            _take_standard_input(ctx)
            with warnings.catch_warnings():
                warnings.simplefilter("always", TaylorSensusWarning)
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            files = " and ".join(map(str, written))
            _stop(
                f"interrupted; {f'only {files} was written' if written else 'nothing was written'}",
                INTERRUPTED,
            )
        except Exception as error:
            if os.environ.get(DEBUG, "0") not in ("", "0"):
                raise
            _stop(f"error: {_one_line(error)}", FAILED)


def _take_standard_input(ctx: Any) -> None:
    """A table that is given as `-` comes from standard input; the command gets a file."""
    given = [name for name in TABLE_ARGUMENTS if ctx.params.get(name) == STANDARD]
    if len(given) > 1:
        raise SettingError("only one table can come from standard input (-); give the other as a file")
    for name in given:
        ctx.params[name] = from_standard_input(ctx)


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    if issubclass(category, TaylorSensusWarning):
        warning(" ".join(str(message).split()))
    else:
        typer.echo(warnings.formatwarning(message, category, filename, lineno), err=True, nl=False)


def _stop(line: str, code: int) -> NoReturn:
    typer.echo(line, err=True)
    raise typer.Exit(code)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, (TaylorSensusError, OSError)):
        text = str(error) or type(error).__name__
    else:
        text = f"{error} ({type(error).__name__}; set {DEBUG}=1 to see where it comes from)"
    return " ".join(text.split())
